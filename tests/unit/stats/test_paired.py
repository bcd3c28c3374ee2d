from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from adjudge.stats.arrays import Floats
from adjudge.stats.bootstrap import Resampling
from adjudge.stats.paired import paired_difference


def test_a_difference_with_its_counts(graded: tuple[Floats, Floats]) -> None:
    judge, human = graded
    found = paired_difference(judge, human)
    apart = judge - human
    assert found.difference.value == pytest.approx(apart.mean())
    assert (found.wins, found.ties, found.losses) == tuple(
        int(np.sum(np.sign(apart) == sign)) for sign in (1, 0, -1)
    )
    reach = stats.t.ppf(0.975, 119) * stats.sem(apart)
    assert found.difference.low == pytest.approx(apart.mean() - reach, abs=0.2 * reach)
    assert found.standardised.value == pytest.approx(apart.mean() / apart.std())


def test_every_pattern_of_signs_for_few_rows() -> None:
    first, second = np.array([3, 4, 2, 5, 4, 4.0]), np.array([2, 4, 3, 3, 1, 2.0])
    exact = stats.permutation_test(
        (first, second), lambda x, y: np.mean(x - y), permutation_type="samples"
    )
    assert paired_difference(first, second).p == pytest.approx(exact.pvalue)


def test_by_lot_for_many(graded: tuple[Floats, Floats]) -> None:
    judge, human = graded
    lot = stats.permutation_test(
        (judge, human),
        lambda x, y, axis: np.mean(x - y, axis=axis),
        vectorized=True,
        permutation_type="samples",
        rng=0,
    )
    assert paired_difference(judge, human).p == pytest.approx(lot.pvalue, abs=0.01)


def test_groups_flip_together() -> None:
    """Eight copies of six rows: the p-value of six rows."""
    first, second = np.array([3, 4, 2, 5, 4, 4.0]), np.array([2, 4, 3, 3, 1, 2.0])
    copied = paired_difference(
        np.repeat(first, 8), np.repeat(second, 8), np.repeat(np.arange(6), 8)
    )
    assert copied.p == paired_difference(first, second).p


def test_equal_runs_and_empty_ones(few_rounds: Resampling) -> None:
    same = paired_difference([1, 2, 3], [1, 2, 3], resampling=few_rounds)
    assert (same.p, same.ties) == (1.0, 3)
    assert same.standardised.value is None
    none = paired_difference([], [])
    assert none.p is None
    assert none.difference.why == "no row is in both"
