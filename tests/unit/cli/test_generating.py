"""What is shown while a slow model writes."""

from __future__ import annotations

import io
import sys

import pytest

from adjudge.cli import generating
from adjudge.cli.generating import OneItem, Pace
from adjudge.judges import registry
from adjudge.models.base import Generating


class Clock:
    now = 100.0

    def monotonic(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(generating, "time", clock)
    return clock


def test_nothing_is_said_before_the_first_token(clock: Clock) -> None:
    assert Pace(2, 50.0).line() == ""


def test_reading_and_writing_are_told_apart(clock: Clock) -> None:
    pace = Pace(2, 50.0)
    pace.hear(Generating(1, 400, 0, 0))
    assert pace.line() == "reply 1 of 2: reading, 0 of 400 tokens"
    clock.now += 5
    pace.hear(Generating(1, 400, 400, 0))
    # 50 of 100 parts of the first call took 5 s, so two calls take 20.
    assert pace.line() == "reply 1 of 2: reading, 400 of 400 tokens, about 0m15s left"
    clock.now += 4
    pace.hear(Generating(1, 400, 400, 40))
    assert pace.line() == "reply 1 of 2: 40 tokens in 0m09s, about 0m11s left"


def test_replies_that_came_tell_how_long_the_next_will_be(clock: Clock) -> None:
    pace = Pace(3, 500.0)
    pace.hear(Generating(1, 0, 0, 20))
    clock.now += 10
    pace.hear(Generating(2, 0, 0, 10))
    assert pace.line() == "reply 2 of 3: 10 tokens in 0m00s, about 0m10s left"


def test_more_calls_than_foreseen_are_no_negative_time(clock: Clock) -> None:
    pace = Pace(1, 10.0)
    for call in (1, 2, 3):
        clock.now += 10
        pace.hear(Generating(call, 10, 10, 50))
    assert pace.line().startswith("reply 3 of 3: 50 tokens")


@pytest.mark.parametrize(("judge", "calls"), [("gptscore", 9), ("preference", 2), ("chatbot", 1)])
def test_calls_of_an_item(judge: str, calls: int) -> None:
    assert generating.calls_of(registry.get(judge)) == calls


def test_plain_lines_come_every_ten_seconds(clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", said := io.StringIO())
    watching = OneItem(registry.get("gptscore"))
    for second in range(25):
        watching.hear(Generating(1, 100, 100, second))
        clock.now += 1
    watching.done()
    lines = said.getvalue().splitlines()
    assert [line.partition(",")[0] for line in lines] == [
        "reply 1 of 9: 10 tokens in 0m10s",
        "reply 1 of 9: 20 tokens in 0m20s",
    ]
    assert "\x1b" not in said.getvalue()


def test_a_terminal_has_one_line_that_goes_away(
    clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    monkeypatch.delenv("CI", raising=False)
    monkeypatch.setattr(sys, "stderr", said := Terminal())
    watching = OneItem(registry.get("chatbot"))
    clock.now += 1
    watching.hear(Generating(1, 100, 100, 7))
    watching.done()
    assert "\r\x1b[Kreply 1 of 1: 7 tokens" in said.getvalue()
    assert said.getvalue().endswith("\r\x1b[K")
