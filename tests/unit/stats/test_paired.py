from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from adjudge.stats import paired
from adjudge.stats.arrays import Floats
from adjudge.stats.bootstrap import Resampling, clusters
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
    assert str(none.difference.why) == "no row is in both"


class TestOfManyClusters:
    """Beyond 10,000 nothing is drawn, unless a few clusters outweigh the others."""

    rounds = Resampling(rounds=4000)

    @pytest.mark.parametrize("size", [1, 3])
    def test_what_drawing_would_come_to(self, size: int) -> None:
        chance = np.random.default_rng(5)
        apart = chance.exponential(1.0, 36_000) - 0.99
        within = clusters(np.arange(36_000) // size, 36_000)
        foreseen = paired._foreseen(apart, within, self.rounds)
        assert foreseen is not None
        drawn = paired._drawn(apart, within, self.rounds)
        for one, other in zip(foreseen[:2], drawn[:2], strict=True):
            assert one.value == other.value
            assert one.low is not None
            assert one.high is not None
            reach = one.high - one.low
            assert (one.low, one.high) == pytest.approx((other.low, other.high), abs=0.05 * reach)
        assert foreseen[2] == pytest.approx(drawn[2], abs=0.01)

    def test_names_that_change(self) -> None:
        chance = np.random.default_rng(6)
        moves = chance.choice([-1.0, 0.0, 1.0], 50_000, p=[0.050, 0.897, 0.053])
        found = paired._foreseen(moves, clusters(None, 50_000), self.rounds)
        assert found is not None
        assert found[2] == pytest.approx(
            paired._drawn(moves, clusters(None, 50_000), self.rounds)[2], abs=0.01
        )

    def test_p_is_no_smaller_than_drawing_can_tell(self) -> None:
        chance = np.random.default_rng(7)
        found = paired_difference(chance.normal(1.0, 1.0, 20_000), np.zeros(20_000))
        assert found.p == 1 / 10_001

    def test_a_cluster_that_outweighs_the_others_is_drawn(self) -> None:
        apart = np.random.default_rng(8).normal(0.1, 1.0, 30_000)
        heavy = np.maximum(np.arange(30_000), 10_000)
        assert paired._foreseen(apart, clusters(heavy, 30_000), self.rounds) is None
        rare = np.where(np.arange(30_000) < 40, 1.0, 0.0)
        assert paired._foreseen(rare, clusters(None, 30_000), self.rounds) is None

    def test_the_same_difference_everywhere_has_no_spread(self) -> None:
        found = paired_difference(np.ones(12_000), np.zeros(12_000), resampling=Resampling())
        assert found.difference.value == 1
        assert str(found.standardised.why) == "every row differs by the same amount"
