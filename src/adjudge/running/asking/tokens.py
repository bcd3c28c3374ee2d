"""How many tokens a prompt has, before anybody counted them."""

from __future__ import annotations

from adjudge.core.prompt import Message, Prompt

# Tokenisers differ; these are on the high side for those in use, so that a budget holds.
_ASCII, _OTHER = 3.5, 2.5  # bytes a token
_MESSAGE = 6  # tokens around each message


class TokenGuess:
    """Guesses, and learns from the model's own counts; `ratio` is the highest seen of late."""

    def __init__(self) -> None:
        self.ratio = 1.0

    def of(self, prompt: Prompt) -> int:
        return round(self.ratio * rough_tokens(prompt.messages))

    def learn(self, prompt: Prompt, counted: int) -> None:
        """Upward at once, downward slowly: a guess that is too low breaks a budget."""
        seen = counted / rough_tokens(prompt.messages)
        self.ratio = seen if seen > self.ratio else self.ratio + (seen - self.ratio) * 0.02


def rough_tokens(messages: tuple[Message, ...]) -> int:
    """Never 0."""
    return sum(_MESSAGE + round(_size(message.content)) for message in messages)


def _size(text: str) -> float:
    if text.isascii():
        return len(text) / _ASCII
    return len(text.encode(errors="replace")) / _OTHER
