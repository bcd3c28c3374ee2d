from __future__ import annotations

import pytest

from adjudge.core.prompt import Message, Prompt
from adjudge.core.reason import Reason
from adjudge.core.reply import Usage
from adjudge.running.asking.tokens import TokenGuess, rough_tokens


def prompt(text: str) -> Prompt:
    return Prompt(messages=(Message("user", text),), criteria=("c",))


@pytest.mark.parametrize(
    ("text", "low", "high"),  # what tokenisers in use make of it, and some room
    [
        ("The quick brown fox jumps over the lazy dog. " * 20, 200, 300),
        ("이 답변은 질문에 정확하고 친절하게 대답합니다. " * 20, 250, 650),
        ("Câu trả lời này chính xác và lịch sự với khách hàng. " * 20, 250, 650),
    ],
)
def test_rather_too_many_than_too_few(text: str, low: int, high: int) -> None:
    assert low <= rough_tokens(prompt(text).messages) <= high


def test_learns_upward_at_once_and_downward_slowly() -> None:
    guess, asked = TokenGuess(), prompt("word " * 100)
    rough = guess.of(asked)
    guess.learn(guess.rough(asked), Usage(input_tokens=rough * 2))
    assert guess.of(asked) == rough * 2
    guess.learn(guess.rough(asked), Usage(input_tokens=rough))
    assert rough * 1.9 < guess.of(asked) < rough * 2
    for _ in range(500):
        guess.learn(guess.rough(asked), Usage(input_tokens=rough))
    assert guess.of(asked) == rough


def test_what_is_in_doubt_teaches_nothing() -> None:
    guess, asked = TokenGuess(), prompt("word " * 100)
    rough = guess.of(asked)
    guess.learn(guess.rough(asked), Usage(input_tokens=rough * 9, doubts=(Reason.of("usage: …"),)))
    guess.learn(guess.rough(asked), Usage())
    assert guess.of(asked) == rough


def test_a_reply_longer_than_was_allowed() -> None:
    """Whoever ignores the limit once is expected to do so again, and worse."""
    guess, asked = TokenGuess(), prompt("word")
    guess.learn(guess.rough(asked), Usage(input_tokens=5, output_tokens=100))
    assert guess.longest_reply(100) == 100
    guess.learn(guess.rough(asked), Usage(input_tokens=5, output_tokens=460))
    guess.learn(guess.rough(asked), Usage(input_tokens=5, output_tokens=90))
    assert guess.longest_reply(100) == 920


def test_of_a_text() -> None:
    guess = TokenGuess()
    assert guess.of_text("") == 0
    assert guess.of_text("4") == 1
    assert 20 <= guess.of_text("word " * 20) <= 30


def test_half_a_surrogate_pair() -> None:
    assert rough_tokens(prompt("\ud800").messages) > 0
