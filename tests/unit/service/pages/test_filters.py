"""Numbers and times as pages show them."""

from __future__ import annotations

import pytest

from adjudge.reports.words import Words
from adjudge.service.pages import filters as figures
from adjudge.strings import strings_for

EN = Words(strings_for("en"))


@pytest.mark.parametrize(
    ("part", "whole", "shown"),
    [
        (0, 0, "–"),
        (0, 10, "0%"),
        (1, 3000, "<0.1%"),
        (1, 40, "2.5%"),
        (1, 20, "5%"),
        (1, 3, "33%"),
        (2999, 3000, ">99.9%"),
        (3, 3, "100%"),
    ],
)
def test_a_share_is_never_rounded_to_none_or_all(part: int, whole: int, shown: str) -> None:
    assert EN.share(part, whole) == shown


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [(None, "–"), (0.84, "0.8 s"), (42, "42 s"), (187, "3:07"), (8109, "2:15:09")],
)
def test_durations(seconds: float | None, shown: str) -> None:
    assert figures.duration(seconds, strings_for("en")) == shown


def test_seconds_in_other_languages() -> None:
    assert figures.duration(0.2, strings_for("ko")) == "0.2초"
    assert figures.duration(0.2, strings_for("vi")) == "0,2 giây"
    assert figures.milliseconds(2100, strings_for("vi")) == "2,1 giây"


@pytest.mark.parametrize(
    ("amount", "shown"),
    [(None, "–"), (0, "$0"), (0.00012, "$0.0001"), (1234.5, "$1,234.50")],
)
def test_dollars(amount: float | None, shown: str) -> None:
    assert figures.usd(EN, amount) == shown


def test_short_times() -> None:
    told = [figures.milliseconds(ms, strings_for("en")) for ms in (None, 840, 2100)]
    assert told == ["–", "840 ms", "2.1 s"]


def test_a_moment_carries_its_time_for_the_script() -> None:
    shown = figures.moment("2026-03-01T08:15:00.123+00:00")
    assert shown == '<time datetime="2026-03-01T08:15:00.123000+00:00">2026-03-01 08:15 UTC</time>'
    assert figures.moment(None) == "–"


def test_time_between() -> None:
    assert figures.seconds_between("2026-03-01T08:15:00+00:00", "2026-03-01T08:16:30+00:00") == 90
    assert figures.seconds_between("2026-03-01T08:15:00+00:00", None) is None
