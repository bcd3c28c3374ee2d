from __future__ import annotations

import numpy as np
import pytest

from adjudge.analysis.browsing.columns import read_columns
from adjudge.analysis.uncertainty import Given, criterion_uncertainty, item_uncertainty
from adjudge.core.scale import Binary, Category, Integer, Scale
from adjudge.core.score import Outcome, Score
from adjudge.core.verdict import Verdict
from adjudge.judges.load import load_text
from adjudge.stores.facts import packed
from adjudge.stores.records import Facts

FIVE = Integer(1, 5)
WINNER = Category(("a", "b", "tie"))
MISSING = Score(outcome=Outcome.UNREADABLE)
JUDGE = load_text(
    """
judge: j
version: 1
title: Fit?
language: en
explain_in: en
inputs: {answer: {judged: true}}
criteria:
  one: {title: One, guide: First, scale: {type: integer, min: 1, max: 5}}
  two: {title: Two, guide: Second, scale: {type: integer, min: 1, max: 5}}
  other: {title: Other, guide: Third, scale: {type: integer, min: 1, max: 5}}
""",
    "j.yaml",
)


def scored(value: float | str, scale: Scale = FIVE, **more: object) -> Score:
    return Score(outcome=Outcome.SCORED, value=value, unit=scale.unit(value), **more)  # type: ignore[arg-type]


def given(scores: list[Score], scale: Scale) -> Given:
    """One item, a row a score."""

    def row(values: list[float | None]) -> np.ndarray:
        return np.array([[np.nan if each is None else float(each)] for each in values])

    names = scale.options if isinstance(scale, Category) else ()
    values = [names.index(str(each.value)) if names else each.value for each in scores]
    return Given(
        here=np.ones((len(scores), 1), dtype=np.bool_),
        value=row([None if s.value is None else v for s, v in zip(scores, values, strict=True)]),  # type: ignore[misc]
        unit=row([each.unit for each in scores]),
        confidence=row([each.confidence for each in scores]),
        rule=np.array([[each.rule is not None] for each in scores], dtype=np.uint8),
    )


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
    assert criterion_uncertainty(given(scores, scale), scale).tolist() == [pytest.approx(doubt)]


def verdict(item: str, judge: str = "j", **scores: Score) -> Verdict:
    return Verdict(
        item=item,
        judge=judge,
        fingerprint="f",
        model="m",
        outcome=Outcome.SCORED,
        scores={"one": scored(5), "two": scored(5), "other": MISSING, **scores},
    )


def facts(*verdicts: Verdict) -> Facts:
    cells = b"".join(packed(at, each) for at, each in enumerate(verdicts))
    items = tuple(each.item for each in verdicts)
    return Facts(verdicts[0].judge, verdicts[0].model, 0, items, cells)


def test_the_most_doubtful_criterion_counts() -> None:
    columns = read_columns([facts(verdict("1", one=scored(3)), verdict("2"))], {"j": JUDGE})
    found = item_uncertainty(columns, JUDGE, ("one", "two"))
    assert found.largest.tolist() == [0.5, 0.0]
    assert found.mean.tolist() == [0.25, 0.0]


def test_what_other_judges_judged_is_not_here() -> None:
    both = [facts(verdict("1"), verdict("2")), facts(verdict("3", "other", one=MISSING))]
    columns = read_columns(both, {"j": JUDGE, "other": JUDGE})
    assert item_uncertainty(columns, JUDGE, ("one",)).here.tolist() == [True, True, False]
