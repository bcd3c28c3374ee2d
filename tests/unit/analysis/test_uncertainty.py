from __future__ import annotations

import pytest

from adjudge.analysis.uncertainty import criterion_uncertainty, item_uncertainty
from adjudge.core.scale import Binary, Category, Integer, Scale
from adjudge.core.score import Outcome, Score
from adjudge.core.verdict import Verdict

FIVE = Integer(1, 5)
WINNER = Category(("a", "b", "tie"))
MISSING = Score(outcome=Outcome.UNREADABLE)


def scored(value: float | str, scale: Scale = FIVE, **more: object) -> Score:
    return Score(outcome=Outcome.SCORED, value=value, unit=scale.unit(value), **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("scores", "scale", "doubt"),
    [
        ([MISSING], FIVE, 1.0),
        ([MISSING, scored(5)], FIVE, 0.5),
        ([scored(5)], FIVE, 0.0),
        ([scored(1), scored(5)], FIVE, 1.0),
        ([scored(5), scored(5), scored(5)], FIVE, 0.0),
        ([scored(3)], FIVE, 0.5),
        ([scored(2)], FIVE, 0.25),
        ([scored(5, rule="insult")], FIVE, 0.5),
        ([scored(5, confidence=0.3)], FIVE, 0.7),
        ([scored(True, Binary())], Binary(), 0.0),
        ([scored("a", WINNER), scored("a", WINNER)], WINNER, 0.0),
        ([scored("a", WINNER), scored("b", WINNER), scored("tie", WINNER)], WINNER, 1.0),
        ([scored("a", WINNER), scored("b", WINNER)], WINNER, 0.75),
    ],
)
def test_reasons_for_doubt(scores: list[Score], scale: Scale, doubt: float) -> None:
    assert criterion_uncertainty(scores, scale) == pytest.approx(doubt)


def test_the_most_doubtful_criterion_counts() -> None:
    verdict = Verdict(
        item="1",
        judge="j",
        fingerprint="f",
        model="m",
        outcome=Outcome.SCORED,
        scores={"one": scored(3), "two": scored(5), "other": MISSING},
    )
    assert item_uncertainty([verdict], {"one": FIVE, "two": FIVE}) == (0.5, 0.25)
