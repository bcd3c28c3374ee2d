from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from adjudge.errors import UsageError
from adjudge.stats.bootstrap import Resampling
from adjudge.stats.correlation import spearman
from adjudge.stats.kappa import cohen_kappa
from adjudge.stats.measure import NAMES, Measure
from adjudge.stats.raters import MOST_PAIRS, ceiling


@pytest.fixture
def table() -> np.ndarray:
    """80 items by three raters of 1 to 5; the third is careless and leaves gaps."""
    chance = np.random.default_rng(0)
    truth = chance.integers(1, 6, 80)[:, None]
    ratings = np.clip(truth + chance.integers(-1, 2, (80, 3)), 1, 5).astype(float)
    ratings[:, 2] = chance.integers(1, 6, 80)
    ratings[:20, 2] = np.nan
    return ratings


def test_pairs_of_raters_averaged(table: np.ndarray, few_rounds: Resampling) -> None:
    found = ceiling(table, resampling=few_rounds)
    each = []
    for one, other in combinations(table.T, 2):
        here = np.isfinite(one) & np.isfinite(other)
        each.append(spearman(one[here], other[here]))
    assert found.pairwise["spearman"].value == pytest.approx(np.mean(each))
    assert found.pairwise.keys() == found.leave_one_out.keys() == set(NAMES)
    for stat in (*found.pairwise.values(), *found.leave_one_out.values()):
        assert stat.low < stat.value < stat.high  # type: ignore[operator]


def test_each_rater_against_the_mean_of_the_others(
    table: np.ndarray, few_rounds: Resampling
) -> None:
    found = ceiling(table, resampling=few_rounds)
    first = spearman(table[:, 0], np.nanmean(table[:, 1:], axis=1))
    assert found.raters[0].spearman.value == pytest.approx(first)
    assert [each.n for each in found.raters] == [80, 80, 60]
    mean = np.mean([each.kappa.value for each in found.raters])
    assert found.leave_one_out["kappa"].value == pytest.approx(mean)
    assert found.raters[2].kappa.value < found.raters[0].kappa.value  # type: ignore[operator]


def test_names_are_held_against_what_most_others_say(few_rounds: Resampling) -> None:
    ratings = np.array([[0, 0, 0], [1, 1, 2], [0, 1, 1], [2, 2, 2], [0, 0, 1], [1, 0, 2.0]])
    found = ceiling(ratings, Measure("nominal"), few_rounds)
    # The others of the first rater differ on the second, fifth and sixth item.
    assert found.raters[0].n == 3
    assert found.raters[0].exact.value == pytest.approx(2 / 3)
    pairs = [cohen_kappa(*pair) for pair in combinations(ratings.T, 2)]
    assert found.pairwise["kappa"].value == pytest.approx(np.mean(pairs))
    assert str(found.pairwise["spearman"].why) == "the values are names without an order"


def test_many_raters_are_paired_by_lot(few_rounds: Resampling) -> None:
    chance = np.random.default_rng(0)
    ratings = (chance.integers(1, 4, 30)[:, None] + chance.integers(0, 2, (30, 14))).astype(float)
    assert MOST_PAIRS < 14 * 13 / 2
    all_pairs = [spearman(*pair) for pair in combinations(ratings.T, 2)]
    found = ceiling(ratings, resampling=few_rounds).pairwise["spearman"].value
    assert found == pytest.approx(np.mean(all_pairs), abs=0.03)


def test_raters_who_share_nothing(few_rounds: Resampling) -> None:
    found = ceiling([[1, np.nan], [np.nan, 2]], resampling=few_rounds)
    assert str(found.pairwise["kappa"].why) == "no item has values of two raters"
    assert found.raters[0].n == 0
    with pytest.raises(UsageError, match="items by raters"):
        ceiling([1.0, 2.0])
