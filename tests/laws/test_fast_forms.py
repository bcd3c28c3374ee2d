"""The fast form of a statistic, over many sets at once, is the plain form of each set."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.stats.alpha import alpha_of_pairs, interval_alphas, nominal_alphas, ordinal_alphas
from adjudge.stats.arrays import Floats
from adjudge.stats.correlation import (
    correlations_by_row,
    kendall,
    kendalls,
    pearson,
    pearsons,
    spearman,
    spearmans,
)
from adjudge.stats.kappa import cohen_kappa, cohen_kappas, quadratic_kappa, quadratic_kappas
from adjudge.stats.tables import PairSums, PairTables, addends

VALUES = 5
Set = list[tuple[int, int]]
values = st.integers(0, VALUES - 1)
sets = st.lists(
    st.lists(st.tuples(values, values), min_size=1, max_size=12), min_size=1, max_size=4
)


def sides(pairs: Set) -> tuple[Floats, Floats]:
    one, other = np.array(pairs, dtype=np.float64).T
    return one, other


def tables_of(some: list[Set]) -> PairTables:
    counts = np.zeros((len(some), VALUES, VALUES))
    for at, pairs in enumerate(some):
        for one, other in pairs:
            counts[at, one, other] += 1
    return PairTables.of(counts)


def sums_of(some: list[Set]) -> PairSums:
    """All sets are moved by one mean, as those of a resampling are."""
    rows = addends(
        *sides([pair for pairs in some for pair in pairs]), np.zeros(sum(map(len, some)))
    )
    ends = np.cumsum([len(pairs) for pairs in some])[:-1]
    return PairSums(*np.array([each.sum(axis=0) for each in np.split(rows, ends)]).T)


def same(fast: Floats, plain: list[float | None]) -> None:
    for one, other in zip(fast.tolist(), plain, strict=True):
        if other is None:
            assert not np.isfinite(one)
        else:
            assert one == pytest.approx(other, abs=1e-9)


@given(sets)
def test_of_tables(some: list[Set]) -> None:
    tables = tables_of(some)
    with np.errstate(divide="ignore", invalid="ignore"):
        same(spearmans(tables), [spearman(*sides(each)) for each in some])
        same(kendalls(tables), [kendall(*sides(each)) for each in some])
        same(cohen_kappas(tables), [cohen_kappa(*sides(each)) for each in some])
        same(nominal_alphas(tables), [alpha_of_pairs(*sides(each), "nominal") for each in some])
        same(ordinal_alphas(tables), [alpha_of_pairs(*sides(each), "ordinal") for each in some])


@given(sets)
def test_of_sums(some: list[Set]) -> None:
    sums = sums_of(some)
    with np.errstate(divide="ignore", invalid="ignore"):
        same(pearsons(sums), [pearson(*sides(each)) for each in some])
        same(quadratic_kappas(sums), [quadratic_kappa(*sides(each)) for each in some])
        same(interval_alphas(sums), [alpha_of_pairs(*sides(each), "interval") for each in some])


@given(
    st.integers(2, 70).flatmap(
        lambda n: st.lists(st.lists(values, min_size=n, max_size=n), min_size=2, max_size=2)
    )
)
def test_by_row(pair: list[list[int]]) -> None:
    """On both sides of the size from which Kendall's tau is not taken from all pairs at once."""
    one, other = np.array(pair, dtype=np.float64)
    found = correlations_by_row(one[None, :], other[None, :])[0]
    plain = [pearson(one, other), spearman(one, other), kendall(one, other)]
    same(found, plain)
