"""The same items asked again: what is kept, what raises an alarm."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

import adjudge
from adjudge.analysis.drift import Drift, DriftCheck
from adjudge.core.reply import NO_USAGE
from adjudge.errors import DataError
from adjudge.models.chat_completions.answer import reply_of
from adjudge.reports.findings.drift import drift
from adjudge.reports.renderers.terminal import as_text
from adjudge.reports.words import command_line

JUDGE: dict[str, Any] = {
    "judge": "grade", "version": 1, "title": "Is it good?", "language": "en", "explain_in": "any",
    "inputs": {"answer": {"judged": True}},
    "criteria": {"quality": {"scale": {"type": "integer", "min": 1, "max": 5}, "explain": False}},
}  # fmt: skip
ROWS = [{"id": f"a{n}", "answer": f"number {n}"} for n in range(30)]


class Grader:
    """Grades by the number in the answer, `lift` points higher; counts what it is asked."""

    def __init__(self) -> None:
        self.lift, self.asked, self.silent = 0, 0, False

    def __call__(self, messages: Sequence[dict[str, str]]) -> str:
        self.asked += 1
        number = int(re.findall(r"number (\d+)", messages[-1]["content"])[0])
        return "no idea" if self.silent else json.dumps({"quality": number % 3 + 1 + self.lift})


def test_a_check_without_scores_is_nothing_to_compare_with(tmp_path: Path) -> None:
    grader, store = Grader(), str(tmp_path / "store.db")
    model = adjudge.function_model(grader, name="grader")

    def check() -> adjudge.Drift:
        return adjudge.drift(JUDGE, model=model, anchors=ROWS, store=store)

    grader.silent = True
    for _ in range(2):
        with pytest.raises(DataError, match="30 of 30 anchors have no score"):
            check()
    grader.silent = False
    first = check()
    assert (len(first.checks), len(first.left_out), first.alarm) == (1, 2, False)
    assert "2 earlier checks are left out" in as_text([drift(first, command_line())])
    assert not check().alarm  # that scores came back is no drift
    grader.lift = 1
    assert check().alarm


def test_a_change_is_found_and_named_and_nothing_comes_from_the_cache(tmp_path: Path) -> None:
    grader, store = Grader(), str(tmp_path / "store.db")
    model = adjudge.function_model(grader, name="grader")

    def check() -> adjudge.Drift:
        return adjudge.drift(JUDGE, model=model, anchors=ROWS, store=store)

    first = check()
    assert (len(first.checks), first.checks[0].measures, first.alarm) == (1, (), False)
    assert not check().alarm
    assert grader.asked == 60
    grader.lift = 1
    moved = check()
    assert moved.alarm
    (alarm,) = moved.checks[-1].alarms
    assert (alarm.name, alarm.n, alarm.changed, alarm.difference.value) == ("quality", 30, 30, 1)
    assert [check.number for check in moved.checks] == [0, 1, 2]
    grader.lift, grader.silent = 0, True
    silent = check()
    assert [measure.name for measure in silent.checks[-1].alarms] == [""]
    grader.silent = False
    other = adjudge.drift(JUDGE | {"version": 2}, model=model, anchors=ROWS, store=store)
    assert len(other.checks) == 1  # another judge begins anew


def test_a_rate_that_is_none_is_refused(tmp_path: Path) -> None:
    with pytest.raises(adjudge.AdjudgeError, match="alpha"):
        adjudge.drift(JUDGE, anchors=ROWS, alpha=2.0, store=str(tmp_path / "s.db"))


def test_the_model_version_that_answered_is_kept_and_a_change_is_named() -> None:
    body: dict[str, Any] = {"choices": [{"message": {"content": '{"quality": 3}'}}]}
    told = body | {"model": "m-1", "system_fingerprint": "fp"}
    assert reply_of(told, NO_USAGE, 0.0, None).version == "m-1 fp"
    assert reply_of(body, NO_USAGE, 0.0, None).version == ""
    checks = [
        DriftCheck(run=str(number), number=number, when="", unscored=0, versions=(version,))
        for number, version in enumerate(["m-1", "m-1", "m-2"])
    ]
    found = Drift("j", "m", "a", 30, 0.05, False, (), tuple(checks))
    assert found.changes == ((checks[2], ("m-1",), ("m-2",)),)
    words = drift(found, command_line())
    assert "m-2" in as_text([words])


def test_too_few_anchors_are_told_from_the_first_check_on(tmp_path: Path) -> None:
    model = adjudge.function_model(Grader(), name="grader")
    for _ in range(2):
        few = adjudge.drift(JUDGE, model=model, anchors=ROWS[:6], store=str(tmp_path / "few.db"))
        shown = as_text([drift(few, command_line())])
        assert "no change can raise an alarm at this check" in shown
        assert "nan" not in shown
    whole = adjudge.drift(JUDGE, model=model, anchors=ROWS, store=str(tmp_path / "store.db"))
    assert not whole.too_few
