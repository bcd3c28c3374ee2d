"""What holds for every statistic of agreement, whatever the ratings."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.stats.agreement import agreement
from adjudge.stats.alpha import alpha_of, pairable
from adjudge.stats.bootstrap import Resampling
from adjudge.stats.correlation import kendall, pearson, spearman
from adjudge.stats.kappa import cohen_kappa, quadratic_kappa
from adjudge.stats.measure import NAMES, Measure
from adjudge.stats.multiplicity import benjamini_yekutieli, holm

Statistic = Callable[[np.ndarray, np.ndarray], float | None]


def _alpha(level: str) -> Statistic:
    return lambda one, other: alpha_of(*pairable(np.stack([one, other], axis=1)), level)  # type: ignore[arg-type]


NOMINAL: dict[str, Statistic] = {
    "kappa": cohen_kappa,
    "alpha nominal": _alpha("nominal"),
}
ORDERED: dict[str, Statistic] = {
    "pearson": pearson,
    "spearman": spearman,
    "kendall": kendall,
    "quadratic kappa": quadratic_kappa,
    "alpha ordinal": _alpha("ordinal"),
    "alpha interval": _alpha("interval"),
}
ALL = NOMINAL | ORDERED
RANKS = ("spearman", "kendall", "alpha ordinal")
PAIRS = st.lists(st.tuples(st.integers(1, 5), st.integers(1, 5)), min_size=2, max_size=30)


def same(one: float | None, other: float | None) -> bool:
    return one is other is None or one == pytest.approx(other, abs=1e-9)


def sides(rows: list[tuple[int, int]]) -> tuple[np.ndarray, np.ndarray]:
    one, other = np.array(rows, dtype=float).T
    return one, other


@pytest.mark.parametrize("name", ALL)
@given(PAIRS)
def test_neither_side_is_first(name: str, rows: list[tuple[int, int]]) -> None:
    one, other = sides(rows)
    assert same(ALL[name](one, other), ALL[name](other, one))


@pytest.mark.parametrize("name", ALL)
@given(PAIRS, st.randoms(use_true_random=False))
def test_the_order_of_the_rows_is_nothing(
    name: str, rows: list[tuple[int, int]], chance: object
) -> None:
    shuffled = list(rows)
    chance.shuffle(shuffled)  # type: ignore[attr-defined]
    assert same(ALL[name](*sides(rows)), ALL[name](*sides(shuffled)))


@pytest.mark.parametrize("name", ALL)
@given(st.lists(st.integers(1, 5), min_size=2, max_size=30))
def test_perfect_agreement_is_1(name: str, values: list[int]) -> None:
    one = np.array(values, dtype=float)
    assert same(ALL[name](one, one), 1.0 if len(set(values)) > 1 else None)


@pytest.mark.parametrize("name", ALL)
@given(PAIRS)
def test_at_most_1(name: str, rows: list[tuple[int, int]]) -> None:
    found = ALL[name](*sides(rows))
    assert found is None or found <= 1 + 1e-9


@pytest.mark.parametrize("name", NOMINAL)
@given(PAIRS, st.permutations([1, 2, 3, 4, 5]))
def test_names_may_be_exchanged(name: str, rows: list[tuple[int, int]], names: list[int]) -> None:
    renamed = [(names[one - 1], names[other - 1]) for one, other in rows]
    assert same(ALL[name](*sides(rows)), ALL[name](*sides(renamed)))


@pytest.mark.parametrize("name", ORDERED)
@given(PAIRS, st.floats(0.1, 100), st.floats(-100, 100))
def test_units_and_zero_of_the_scale_are_nothing(
    name: str, rows: list[tuple[int, int]], factor: float, shift: float
) -> None:
    one, other = sides(rows)
    moved = ALL[name](one * factor + shift, other * factor + shift)
    assert same(ALL[name](one, other), moved)


@pytest.mark.parametrize("name", RANKS)
@given(PAIRS)
def test_ranks_do_not_care_how_far_apart(name: str, rows: list[tuple[int, int]]) -> None:
    one, other = sides(rows)
    assert same(ALL[name](one, other), ALL[name](np.exp(one), np.exp(other)))


@given(PAIRS, st.sampled_from(["nominal", "ordinal", "interval"]))
def test_an_interval_holds_its_value_or_says_why_not(
    rows: list[tuple[int, int]], level: str
) -> None:
    found = agreement(*sides(rows), measure=Measure(level), resampling=Resampling(rounds=100))  # type: ignore[arg-type]
    for name in NAMES:
        stat = getattr(found, name)
        assert stat.value is not None or stat.why
        assert (stat.low is None) == (stat.high is None)
        assert stat.why if stat.low is None else stat.low <= stat.high


@pytest.mark.parametrize("method", [holm, benjamini_yekutieli])
@given(st.lists(st.floats(0, 1), min_size=1, max_size=10))
def test_an_adjusted_p_is_no_smaller_and_keeps_the_order(
    method: Callable[[list[float]], np.ndarray], p: list[float]
) -> None:
    adjusted = method(p)
    assert np.all(adjusted >= np.array(p) - 1e-12)
    order = np.argsort(p, kind="stable")
    assert np.all(np.diff(adjusted[order]) >= -1e-12)
