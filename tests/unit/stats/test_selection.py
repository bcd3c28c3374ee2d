from __future__ import annotations

import numpy as np
import pytest

from adjudge.stats.correlation import spearman
from adjudge.stats.selection import FEWEST, choose, jackknife


def test_the_best_of_equals_is_moved_to_their_mean() -> None:
    """Twelve coins: the best of them is as good as any other."""
    draw = np.random.default_rng(1)
    shown, corrected, covered = [], [], 0
    for _ in range(300):
        values = (draw.random((40, 12)) < 0.5).astype(np.float64)
        chosen = choose(values, values.mean(axis=0), 0.9)
        shown.append(chosen.shown)
        assert chosen.corrected.value is not None
        assert chosen.corrected.low is not None
        assert chosen.corrected.high is not None
        corrected.append(chosen.corrected.value)
        covered += chosen.corrected.low <= 0.5 <= chosen.corrected.high
    assert np.mean(shown) > 0.6
    assert np.mean(corrected) == pytest.approx(0.5, abs=0.03)
    assert covered / 300 >= 0.88


def test_a_clear_winner_keeps_what_it_shows() -> None:
    draw = np.random.default_rng(2)
    chances = np.array([0.9, 0.5, 0.5, 0.5])
    values = (draw.random((400, 4)) < chances).astype(np.float64)
    chosen = choose(values, values.mean(axis=0))
    assert chosen.best == 0
    assert chosen.corrected.value == pytest.approx(chosen.shown, abs=0.01)
    assert np.isnan(chosen.p[0])
    assert (chosen.p[1:] < 0.01).all()


def test_one_alone_few_items_and_twins() -> None:
    column = np.array([0.0, 1.0] * 10)
    alone = choose(column[:, None], np.array([0.5]))
    assert alone.corrected.value == 0.5
    twins = choose(np.column_stack([column, column]), np.array([0.5, 0.5]))
    assert twins.corrected.value == 0.5
    assert twins.p[1] == 1.0
    few = choose(column[: FEWEST - 1, None], np.array([0.5]))
    assert few.corrected.value is None
    assert few.corrected.why is not None


def test_jackknife_gives_back_the_statistic_and_its_variance() -> None:
    draw = np.random.default_rng(3)
    one = draw.normal(size=200)
    other = one + draw.normal(size=200)
    values = jackknife(spearman, one, other)
    assert values.mean() == pytest.approx(spearman(one, other), abs=0.01)
    assert values.std() / np.sqrt(200) == pytest.approx(0.045, abs=0.02)
    assert np.isnan(jackknife(spearman, np.ones(5), np.arange(5.0))).all()
