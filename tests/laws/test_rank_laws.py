"""Laws of strengths: names and sides do not matter, and a tie is half a win each way."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from adjudge.stats.arrays import Floats
from adjudge.stats.bradley_terry import has_finite_strengths, strengths, with_half_wins

SIZE = 5


@st.composite
def tables(draw: st.DrawFn) -> Floats:
    wins = draw(arrays(np.float64, (SIZE, SIZE), elements=st.integers(0, 20).map(float)))
    np.fill_diagonal(wins, 0)
    return with_half_wins(wins, np.ones((SIZE, SIZE)) - np.eye(SIZE))


@given(tables(), st.permutations(range(SIZE)))
def test_names_do_not_matter(wins: Floats, order: list[int]) -> None:
    assert strengths(wins[np.ix_(order, order)]) == pytest.approx(strengths(wins)[order], abs=1e-6)


@given(tables())
def test_wins_for_losses_turns_the_ranking_round(wins: Floats) -> None:
    assert strengths(wins.T) == pytest.approx(-strengths(wins), abs=1e-6)


@given(tables(), st.integers(0, SIZE - 1), st.integers(1, SIZE - 1))
def test_one_more_win_never_weakens(wins: Floats, one: int, step: int) -> None:
    more = wins.copy()
    more[one, (one + step) % SIZE] += 1
    assert strengths(more)[one] > strengths(wins)[one]


@given(tables())
def test_what_is_steadied_is_bounded(wins: Floats) -> None:
    assert has_finite_strengths(wins)
    assert np.isfinite(strengths(wins)).all()
