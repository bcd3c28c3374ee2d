"""Criteria that Python computes: outcomes like all others."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import adjudge
from adjudge.core.item import Item
from adjudge.core.score import Outcome
from adjudge.errors import UsageError

JUDGE: dict[str, Any] = {
    "judge": "politeness",
    "version": 1,
    "title": "Is the reply polite?",
    "language": "en",
    "explain_in": "any",
    "inputs": {"answer": {"required": True, "judged": True}},
    "criteria": {
        "polite": {
            "title": "Politeness",
            "guide": "Polite",
            "scale": {"type": "integer", "min": 1, "max": 5},
        }
    },
    "reply": "text",
}
ITEM = Item("q1", {"answer": '{"a": 1}', "reference": '{"a": 1} '}, {"n": 3})
ROWS = [
    {"id": "q1", "answer": "Gladly.", "reference": "Gladly."},
    {"id": "q2", "answer": "Go away, now.", "reference": "Gladly."},
]


def five(messages: list[dict[str, str]]) -> str:
    return "Politeness: 5"


@adjudge.check
def short(answer: str) -> bool:
    return len(answer) < 10


def outcome(answer: object, **options: Any) -> tuple[Outcome, object]:
    made = adjudge.check(name="made", **options)(lambda answer_given=answer: answer_given)
    score = made.score(ITEM)
    return score.outcome, score.value


class TestScore:
    def test_a_value_with_an_explanation(self) -> None:
        score = adjudge.check(name="made")(lambda answer: (True, answer)).score(ITEM)
        assert (score.value, score.unit, score.explanation) == (True, 1.0, '{"a": 1}')

    @pytest.mark.parametrize(
        ("answer", "scale", "ends"),
        [
            (3, {"type": "integer", "min": 1, "max": 5}, (Outcome.SCORED, 3)),
            (9, {"type": "integer", "min": 1, "max": 5}, (Outcome.OUT_OF_RANGE, None)),
            (0.5, {"type": "number", "min": 0, "max": 1}, (Outcome.SCORED, 0.5)),
            ("b", {"type": "category", "options": ["a", "b"]}, (Outcome.SCORED, "b")),
            ("c", {"type": "category", "options": ["a", "b"]}, (Outcome.UNREADABLE, None)),
            (float("nan"), {"type": "number", "min": 0, "max": 1}, (Outcome.UNREADABLE, None)),
            (1, None, (Outcome.UNREADABLE, None)),
            ("yes", None, (Outcome.UNREADABLE, None)),
            (None, None, (Outcome.NOT_APPLICABLE, None)),
        ],
    )
    def test_what_is_returned_is_read_by_the_scale(
        self, answer: object, scale: dict[str, Any] | None, ends: tuple[Outcome, object]
    ) -> None:
        assert outcome(answer, scale=scale) == ends

    def test_an_exception_is_an_outcome_with_a_reason(self) -> None:
        score = adjudge.check(name="made")(lambda answer: 1 / 0).score(ITEM)
        assert score.value is None
        assert "made' raised ZeroDivisionError" in str(score.why)

    def test_a_column_that_is_not_there_is_named(self) -> None:
        score = adjudge.check(name="made")(lambda refrence: True).score(ITEM)
        assert "wants 'refrence'" in str(score.why)
        assert adjudge.check(name="made")(lambda n, x=1: n == 3).score(ITEM).value is True

    def test_the_function_stays_callable(self) -> None:
        assert short("yes") is True


def test_ready_made() -> None:
    checks = adjudge.checks
    values = [
        checks.exact_match().score(ITEM).value,
        checks.is_json().score(ITEM).value,
        checks.contains("A").score(ITEM).value,
        checks.matches(r"\d{2}").score(ITEM).value,
        checks.length(most=8).score(ITEM).value,
        checks.length(most=7).score(ITEM).value,
    ]
    assert values == [True, True, True, False, True, False]
    with pytest.raises(UsageError, match="not a regular expression"):
        checks.matches("(")
    assert checks.contains("a").fingerprint != checks.contains("b").fingerprint


def test_wrong_definitions_are_refused() -> None:
    with pytest.raises(UsageError, match="not a name for a check"):
        adjudge.check(lambda answer: True)
    with pytest.raises(UsageError, match="scale of a check is wrong"):
        adjudge.check(name="made", scale={"type": "integer"})(lambda answer: 1)


def test_fingerprints() -> None:
    one = adjudge.check(name="made", version=1)(len)
    assert one.fingerprint == adjudge.check(name="made", version=1)(len).fingerprint
    assert one.fingerprint != adjudge.check(name="made", version=2)(len).fingerprint


class TestRun:
    @pytest.fixture(autouse=True)
    def _here(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.chdir(tmp_path)

    def test_beside_what_the_model_gives(self) -> None:
        checks = [short, adjudge.checks.exact_match()]
        run = adjudge.run(ROWS, judge=JUDGE, model=five, checks=checks, gate="short.mean>=80%")
        assert (run.mean("polite"), run.mean("short"), run.mean("exact_match")) == (5.0, 0.5, 0.5)
        assert not run.gates[0].passed
        labels = [{"item": "q1", "short": 1}, {"item": "q2", "short": 0}]
        found = adjudge.calibrate(run, labels=labels).criteria["short"]
        assert found.n == 2
        frame = run.to_pandas()
        assert frame["scores.short.value"].tolist() == [True, False]
        assert run.reread().changed == 0
        assert set(run.judge().rubric.criteria) == {"polite", "short", "exact_match"}
        run.close()
        again = adjudge.open_run()
        assert again.mean("short") == 0.5
        again.close()

    def test_a_check_that_fails_leaves_the_row_unscored_and_said(self) -> None:
        broken = adjudge.check(name="broken")(lambda answer: answer.missing)
        run = adjudge.run(ROWS, judge=JUDGE, model=five, checks=[broken])
        assert run.mean("broken") is None
        assert run.summary.outcomes == {"unreadable": 2}
        run.close()

    def test_one_item(self) -> None:
        verdict = adjudge.judge(JUDGE, ROWS[0], model=five, checks=[short])
        assert verdict.scores["short"].value is True
        assert verdict.scores["polite"].value == 5

    def test_the_model_is_not_asked_about_them(self) -> None:
        asked = []

        def noted(messages: list[dict[str, str]]) -> str:
            asked.append(str(messages))
            return five(messages)

        adjudge.judge(JUDGE, ROWS[0], model=noted, checks=[short])
        assert "short" not in asked[0]

    def test_a_name_that_is_taken(self) -> None:
        taken = adjudge.check(name="polite")(lambda answer: True)
        with pytest.raises(UsageError, match="already has 'polite'"):
            adjudge.judge(JUDGE, ROWS[0], model=five, checks=[taken])


class TestShown:
    @pytest.fixture(autouse=True)
    def _here(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.chdir(tmp_path)

    def test_everything_shows_a_table_and_escapes(self) -> None:
        def hostile(messages: list[dict[str, str]]) -> str:
            return "<script>alert(1)</script> is rude.\n\nPoliteness: 3"

        rows = [row | {"id": f"{row['id']}"} for row in ROWS]
        first = adjudge.run(rows, judge=JUDGE, model=five)
        second = adjudge.run(rows, judge=JUDGE | {"judge": "<b>"[1:2]}, model=hostile)
        verdict = next(second.verdicts())
        labels = [{"item": "q1", "polite": 5}, {"item": "q2", "polite": 4}]
        shown = [
            first,
            verdict,
            adjudge.calibrate(first, labels=labels),
            adjudge.compare(first, second),
        ]
        for finding in shown:
            html = finding._repr_html_()
            assert "<table>" in html
            assert "<script>" not in html
            assert "polite" in repr(finding)
        first.close()
        second.close()
