from __future__ import annotations

import numpy as np
import pytest

from adjudge.stats.correlation import spearman
from adjudge.stats.selection import FEWEST, agreement_of, choose, jackknife


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


def test_a_correlation_of_few_items_is_unbiased_and_covered() -> None:
    """Fifteen items: Spearman's correlation itself is too low, and a plain interval too short."""
    draw = np.random.default_rng(4)
    truth = 6 / np.pi * np.arcsin(0.6 / 2)  # Spearman's of a normal pair with 0.6
    plain, said, covered = [], [], 0
    for _ in range(400):
        one, other = draw.multivariate_normal([0, 0], [[1, 0.6], [0.6, 1]], 15).T
        plain.append(spearman(one, other))
        stat = agreement_of(jackknife(spearman, one, other), None, 0.9)
        assert stat.value is not None
        assert stat.low is not None
        assert stat.high is not None
        assert -1 <= stat.low <= stat.value <= stat.high <= 1
        said.append(stat.value)
        covered += stat.low <= truth <= stat.high
    assert np.mean(plain) < truth - 0.015
    assert np.mean(said) == pytest.approx(truth, abs=0.01)
    assert 0.88 <= covered / 400 <= 0.93


def test_the_same_of_all_items_has_an_interval_of_nothing() -> None:
    stat = agreement_of(np.ones(12), None, 0.9)
    assert (stat.value, stat.high) == (1.0, 1.0)
    assert agreement_of(np.ones(1), None, 0.9).low is None
