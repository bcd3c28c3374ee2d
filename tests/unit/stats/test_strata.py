from __future__ import annotations

import numpy as np
import pytest

from adjudge.stats.arrays import Floats, Ints
from adjudge.stats.strata import (
    allocate,
    fitted,
    further_labels,
    joined,
    spread_of,
    strata_of,
    stratified_mean,
    together,
)

WIDTH, CONFIDENCE = 0.1, 0.9


def world(seed: int, rows: int = 4000) -> tuple[Floats, Floats, Ints]:
    """Where the judge says 5, people agree; of its 2s, a tenth of all, they are of many minds."""
    chance = np.random.default_rng(seed)
    judge = np.where(chance.random(rows) < 0.1, 2.0, 5.0)
    human = np.where(judge == 5, 5.0, chance.integers(1, 6, rows))
    return human, judge, strata_of(judge, np.zeros(rows), np.zeros(rows, dtype=np.intp))


def test_strata_count_by_their_size() -> None:
    """Twenty labels of either half of a stratum each: the mean is not that of the labels."""
    human = np.array([1.0, 3.0] * 5 + [5.0] * 10)
    strata = np.repeat([0, 1], 10)
    found = stratified_mean(human, np.ones(20), strata, [900, 100], 1.0)
    assert found.stat.value == pytest.approx(0.9 * 2 + 0.1 * 5)
    assert found.method == "stratified"
    assert found.unlabelled == 980


def test_planned_until_it_is_enough_saves_labels_and_holds() -> None:
    """A plan from few labels knows the spread roughly: the next ones tell more of it."""
    held, took, chance = 0, [], np.random.default_rng(1)
    for seed in range(60):
        human, judge, strata = world(seed)
        sizes = np.bincount(strata).astype(np.float64)
        order = chance.permutation(len(human))
        of = [order[strata[order] == one] for one in range(len(sizes))]
        chosen = order[:60]
        for _ in range(8):
            spread, _ = fitted(human[chosen], judge[chosen], strata[chosen], sizes)
            further = further_labels([spread], [WIDTH], CONFIDENCE).further
            if not further:
                break
            counts = allocate(spread, len(chosen) + further)
            chosen = np.concatenate([rows[:n] for rows, n in zip(of, counts, strict=True)])
        codes, few = joined(strata[chosen], sizes)
        stat = stratified_mean(
            human[chosen], judge[chosen], codes, few, float(judge.mean()), confidence=CONFIDENCE
        ).stat
        assert stat.value is not None
        assert stat.low is not None
        assert stat.high is not None
        assert stat.high - stat.low <= WIDTH * 1.001
        held += stat.low <= 4.8 <= stat.high
        took.append(len(chosen))
    # Of the 2s, a tenth, what people say has a variance of 2; random drawing takes all alike.
    random = 0.1 * 2 * (2 * 1.645 / WIDTH) ** 2
    assert np.mean(took) < 0.8 * random
    assert held >= 50


def test_labels_go_by_size_times_spread_within_what_there_is() -> None:
    values = np.array([1.0, 5.0, 1.0, 5.0, 3.0, 3.0, 3.0, 3.0])
    spread = spread_of(values, np.repeat([0, 1], 4), np.array([50.0, 50.0]))
    counts = allocate(spread, 40)
    assert counts.sum() == 40
    assert counts[0] / counts[1] == pytest.approx(np.sqrt(spread.within[0] / spread.within[1]), 0.1)
    assert allocate(spread, 1000).tolist() == [50, 50]
    assert allocate(spread, 0).tolist() == [4, 4]  # those that are there


def test_a_few_equal_labels_do_not_claim_that_there_is_no_spread() -> None:
    spread = spread_of(np.array([3.0, 3.0, 1.0, 5.0]), np.array([0, 0, 1, 1]), np.array([9.0, 9.0]))
    assert spread.within[0] > 0


def test_strata_are_by_score_by_spread_and_by_slice() -> None:
    rows = 400
    score, apart = np.repeat([1.0, 5.0], rows // 2), np.tile([0.0, 1.0], rows // 2)
    none = np.zeros(rows, dtype=np.intp)
    assert len(np.unique(strata_of(score, np.zeros(rows), none))) == 2
    assert len(np.unique(strata_of(score, apart, none))) == 4
    assert len(np.unique(strata_of(score, apart, np.arange(rows) // 4 % 2))) == 8
    few = np.zeros(rows, dtype=np.intp)
    few[:3] = 1  # a slice of three rows is joined to its neighbour
    assert np.bincount(strata_of(np.ones(rows), np.zeros(rows), few)).min() > 3


def test_too_few_labels_are_joined_or_refused() -> None:
    codes, sizes = joined(np.array([0, 1, 1, 2, 2]), np.array([10.0, 20.0, 30.0]))
    assert (codes.tolist(), sizes.tolist()) == ([0, 0, 0, 1, 1], [30.0, 30.0])
    few = stratified_mean([1.0, 2.0], [1.0, 2.0], [0, 0], [50], 1.5).stat
    assert few.value is None
    assert few.why is not None


def test_the_widest_wish_decides_and_the_rows_there_are_limit_it() -> None:
    human, judge, strata = world(3, 1000)
    sizes = np.bincount(strata).astype(np.float64)
    spread, _ = fitted(human[:60], judge[:60], strata[:60], sizes)
    narrow = further_labels([spread], [0.2], CONFIDENCE).further
    wide = further_labels([spread], [0.4], CONFIDENCE).further
    assert narrow is not None
    assert wide is not None
    assert narrow > wide
    assert further_labels([spread, spread], [0.2, 0.4], CONFIDENCE).further == narrow
    assert together([spread, spread], [0.2, 0.4]).within == pytest.approx(spread.within * 31.25)
    never = further_labels([spread], [0.001], CONFIDENCE)
    assert never.further is None
    assert never.why is not None
