"""How many tokens a prompt and its reply have, before anybody counted them."""

from __future__ import annotations

from adjudge.core.prompt import Message, Prompt
from adjudge.core.reply import Usage
from adjudge.models import Capabilities

_MESSAGE = 6  # tokens around each message
_TWICE = 2  # times the longest reply, once one was longer than the model was allowed to write
_MOSTLY = 0.95  # of a text's bytes are ASCII in one that has only a dash or a quotation mark
# Bytes per token for plain and for other text, see Capabilities.
Rates = tuple[float, float]
_USUAL: Rates = Capabilities().bytes_per_token


class TokenGuess:
    """Guesses, and learns from the model's own counts.

    `ratio` is the highest seen recently, `longest` the tokens of the longest reply.
    """

    def __init__(self, rates: Rates = _USUAL) -> None:
        self.rates = rates
        self.ratio = 1.0
        self.longest = 0

    def of(self, prompt: Prompt) -> int:
        return self.learned(self.rough(prompt))

    def learned(self, rough: int) -> int:
        """The guess for a prompt of which `rough` is known already."""
        return round(self.ratio * rough)

    def rough(self, prompt: Prompt) -> int:
        """Without what was learned: the same for the same prompt at any time."""
        target = size(prompt.target, self.rates) if prompt.target else 0
        return rough_tokens(prompt.messages, self.rates) + round(target)

    def of_text(self, text: str) -> int:
        """Of a reply whose tokens were not counted; 0 for none."""
        return -int(-size(text, self.rates) // 1)

    def longest_reply(self, max_tokens: int) -> int:
        """What to expect at most: `max_tokens`, unless the model has shown that it ignores them."""
        return max_tokens if self.longest <= max_tokens else _TWICE * self.longest

    def learn(self, rough: int, usage: Usage) -> None:
        """Upward at once, downward slowly: a guess that is too low breaks a budget.

        What is in doubt teaches nothing about prompts; the length of a reply was seen all the same.
        """
        self.longest = max(self.longest, usage.output_tokens)
        if usage.doubts or not usage.input_tokens:
            return
        seen = usage.input_tokens / rough
        self.ratio = seen if seen > self.ratio else self.ratio + (seen - self.ratio) * 0.02


def rough_tokens(messages: tuple[Message, ...], rates: Rates = _USUAL) -> int:
    """Rather too many than too few, so that a budget holds. Never 0."""
    return sum(_MESSAGE + round(size(message.content, rates)) for message in messages)


def size(text: str, rates: Rates) -> float:
    """Tokens of a text that stands in a message.

    Letters with marks break up the words around them: a text that has more than a few of them
    counts as one of another language as a whole.
    """
    plain, other = rates
    if text.isascii():
        return len(text) / plain
    total, ascii_bytes = len(text.encode(errors="replace")), len(text.encode("ascii", "ignore"))
    if ascii_bytes < _MOSTLY * total:
        return total / other
    return ascii_bytes / plain + (total - ascii_bytes) / other
