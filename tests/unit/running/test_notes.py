"""What a verdict says about texts that are missing or too few."""

from __future__ import annotations

from dataclasses import replace

import pytest

from adjudge.core.score import Outcome, Score
from adjudge.judges import registry
from adjudge.running.one import notes_on

RATED = {"rating": Score(outcome=Outcome.SCORED, value=3, explanation="It answers.")}
WHOLE: dict[str, str | tuple[str, ...]] = {
    "evaluation": "It answers.",
    "strengths": ("It is clear.", "It is short."),
    "weaknesses": ("It is vague.", "It names no fee."),
    "analysis": "It is short.",
    "recommendations": ("Name the fee.",),
}


def test_a_whole_verdict_has_none() -> None:
    assert list(notes_on(registry.get("helpfulness"), RATED, WHOLE, {})) == []


def test_a_list_that_is_too_short_is_named_and_nothing_is_invented() -> None:
    judge = registry.get("helpfulness")
    short = {**WHOLE, "strengths": ("It is clear.",)}
    del short["weaknesses"]
    assert tuple(map(str, notes_on(judge, RATED, short, {}))) == (
        "1 strengths instead of 2 to 3",
        "no weaknesses in the reply",
    )


@pytest.mark.parametrize(
    ("least", "most", "said"), [(2, None, "at least 2"), (None, 0, "at most 0"), (2, 3, "2 to 3")]
)
def test_how_many_were_wanted(least: int | None, most: int | None, said: str) -> None:
    judge = registry.get("helpfulness")
    wanted = replace(judge.feedback["strengths"], least=least, most=most)
    judge = replace(judge, feedback={**judge.feedback, "strengths": wanted})
    short = {**WHOLE, "strengths": ("It is clear.",)}
    (note,) = notes_on(judge, RATED, short, {})
    assert str(note) == f"1 strengths instead of {said}"
