"""None"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from adjudge.analysis.labelling.doubt import (
    SampleArrays,
    Uncertain,
    criterion_uncertainty,
    item_uncertainty,
    uncertain_order,
)
from adjudge.analysis.labelling.queue import random_order
from adjudge.analysis.scores.arrays import RunArrays, arrays_of
from adjudge.analysis.scores.grader import Grader
from adjudge.core.scale import Binary, Category, Integer, Scale
from adjudge.core.score import Outcome, Score
from adjudge.core.verdict import Verdict
from adjudge.judges.load import load_text
from adjudge.stores import Facts
from adjudge.stores.facts import packed

ITEMS = [f"i{n}" for n in range(200)]


def doubts(*rated: tuple[float, float] | None) -> Uncertain:
    """The largest and the mean of each item; None where the judge did not judge it."""
    here = np.array([each is not None for each in rated])
    figures = np.array([each or (0.0, 0.0) for each in rated])
    return Uncertain(here, figures[:, 0], figures[:, 1])


def test_a_random_order_depends_on_ids_and_seed_alone() -> None:
    order = random_order(ITEMS, 7)
    assert sorted(order) == sorted(ITEMS)
    assert order == random_order(reversed(ITEMS), 7)
    assert order != random_order(ITEMS, 8)
    assert order != ITEMS


def test_new_items_do_not_move_the_old_ones() -> None:
    before = random_order(ITEMS[:100], 0)
    after = [item for item in random_order(ITEMS, 0) if item in set(before)]
    assert before == after


def test_every_item_is_drawn_as_often() -> None:
    drawn = Counter(item for seed in range(2000) for item in random_order(ITEMS[:10], seed)[:3])
    assert len(drawn) == 10
    assert all(480 < times < 720 for times in drawn.values())  # 600 expected, sd 20.5


def test_half_a_character_in_an_id() -> None:
    assert len(random_order(["\ud800", "a"], 0)) == 2


def test_the_least_certain_first() -> None:
    items = ["sure", "middle", "apart", "half", "not ours"]
    found = doubts((0.0, 0.0), (0.5, 0.1), (1.0, 0.2), (0.5, 0.3), None)
    assert uncertain_order(items, found, 0) == ["apart", "half", "middle", "sure"]


def test_equal_ones_are_in_random_order() -> None:
    found = doubts(*[(0.5, 0.5)] * len(ITEMS))
    assert uncertain_order(ITEMS, found, 3) == random_order(ITEMS, 3)


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


def given(scores: list[Score], scale: Scale) -> SampleArrays:
    """One item, a row a score."""

    def row(values: list[float | None]) -> np.ndarray:
        return np.array([[np.nan if each is None else float(each)] for each in values])

    names = scale.options if isinstance(scale, Category) else ()
    values = [names.index(str(each.value)) if names else each.value for each in scores]
    return SampleArrays(
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


def facts(*verdicts: Verdict, first: int = 0) -> Facts:
    cells = b"".join(packed(at, each) for at, each in enumerate(verdicts, first))
    items = tuple(each.item for each in verdicts)
    return Facts(verdicts[0].judge, verdicts[0].model, 0, items, cells)


def of_judge(arrays: RunArrays) -> list[Grader]:
    return [each for each in arrays.graders if each.judge.name == "j"]


def test_the_most_doubtful_criterion_counts() -> None:
    arrays = arrays_of([facts(verdict("1", one=scored(3)), verdict("2"))], {"j": JUDGE})
    found = item_uncertainty(of_judge(arrays), ("one", "two"))
    assert found.largest.tolist() == [0.5, 0.0]
    assert found.mean.tolist() == [0.25, 0.0]


def test_what_other_judges_judged_is_not_here() -> None:
    both = [facts(verdict("1"), verdict("2")), facts(verdict("3", "other", one=MISSING), first=2)]
    arrays = arrays_of(both, {"j": JUDGE, "other": replace(JUDGE, name="other")})
    assert item_uncertainty(of_judge(arrays), ("one",)).here.tolist() == [True, True, False]
