from __future__ import annotations

from concurrent.futures import Future
from threading import Event, Timer
from time import monotonic

import pytest

from adjudge.errors import StoreError, UsageError
from adjudge.service.caches import LARGE, BackgroundResults, result_in_time


def answered(found: Future[str]) -> str | None:
    """However busy the machine is."""
    return result_in_time(found, monotonic() + 60, 1)


def test_work_is_done_once() -> None:
    done: list[str] = []
    answers: BackgroundResults[str] = BackgroundResults(2)

    def work() -> str:
        done.append("a")
        return "found"

    assert [answered(answers.of("key", work)) for _ in range(3)] == ["found"] * 3
    assert done == ["a"]


def test_who_asks_too_early_is_told_so() -> None:
    answers: BackgroundResults[str] = BackgroundResults(2)
    there = Event()

    def work() -> str:
        there.wait(60)
        return "found"

    found = answers.of("key", work)
    assert result_in_time(found, monotonic() - 60, 1) is None
    there.set()
    assert answered(found) == "found"


def test_a_large_run_is_not_waited_for() -> None:
    answers: BackgroundResults[str] = BackgroundResults(2)
    there = Event()
    found = answers.of("key", lambda: "found" if there.wait(60) else "late")
    Timer(0.5, there.set).start()
    assert result_in_time(found, monotonic() - 0.2, LARGE + 1) is None
    assert answered(found) == "found"


def test_the_oldest_is_forgotten() -> None:
    answers: BackgroundResults[str] = BackgroundResults(2)
    for key in ("a", "b", "a", "c"):
        answered(answers.of(key, lambda: "first"))
    assert answered(answers.of("a", lambda: "again")) == "first"
    assert answered(answers.of("b", lambda: "again")) == "again"


def test_a_refusal_stays_and_a_fault_does_not() -> None:
    def refuse() -> str:
        raise UsageError("no such thing")

    def fail() -> str:
        raise StoreError("locked")

    answers: BackgroundResults[str] = BackgroundResults(2)
    for work, error in ((refuse, UsageError), (fail, StoreError)):
        with pytest.raises(error):
            answered(answers.of(error, work))
    with pytest.raises(UsageError):
        answered(answers.of(UsageError, lambda: "found"))
    with pytest.raises(StoreError):  # for whoever asked too early to have seen it
        answered(answers.of(StoreError, lambda: "found"))
    assert answered(answers.of(StoreError, lambda: "found")) == "found"
