from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.stats.agreement import agreement_by_group
from adjudge.stats.bootstrap import Resampling
from adjudge.stats.correlation import kendall, pearson, spearman

ROWS = st.lists(
    st.tuples(st.integers(0, 6), st.integers(1, 4), st.integers(1, 4)), min_size=1, max_size=60
)


@given(ROWS)
def test_each_group_by_itself_then_the_mean(rows: list[tuple[int, int, int]]) -> None:
    groups, judge, human = np.array(rows).T
    found = agreement_by_group(judge, human, groups, Resampling(rounds=100))
    sides = [(judge[groups == group], human[groups == group]) for group in np.unique(groups)]
    for name, statistic in (("pearson", pearson), ("spearman", spearman), ("kendall", kendall)):
        each = [value for side in sides if (value := statistic(*side)) is not None]
        stat = getattr(found, name)
        assert (found.groups, found.left_out) == (len(each), len(sides) - len(each))
        assert stat.value == (pytest.approx(np.mean(each), abs=1e-9) if each else None)
        assert each or "no group" in str(stat.why)


def test_large_groups_too() -> None:
    chance = np.random.default_rng(0)
    judge, human = chance.normal(size=(2, 300))
    groups = np.repeat([0, 1, 2], 100)
    each = [kendall(judge[groups == group], human[groups == group]) for group in range(3)]
    assert agreement_by_group(judge, human, groups).kendall.value == pytest.approx(np.mean(each))


def test_groups_are_resampled() -> None:
    chance = np.random.default_rng(0)
    human = chance.normal(size=(50, 6))
    judge = human + chance.normal(size=(50, 6))
    groups = np.repeat(np.arange(50), 6)
    found = agreement_by_group(judge.ravel(), human.ravel(), groups).pearson
    each = [pearson(*pair) for pair in zip(judge, human, strict=True)]
    error = np.std(np.array(each, dtype=float)) / np.sqrt(50)
    assert found.high - found.low == pytest.approx(2 * 2.01 * error, rel=0.15)  # type: ignore[operator]


def test_nothing_at_all() -> None:
    assert agreement_by_group([], [], []).groups == 0
