"""A round by weights is the same as drawing the rows of the clusters again and counting anew."""

from __future__ import annotations

import numpy as np
import pytest

from adjudge.stats.alpha import LEVELS, Level
from adjudge.stats.arrays import Floats
from adjudge.stats.bootstrap import Resampling, clusters, weights
from adjudge.stats.measure import BINS, Measure, replicates, values

ROUNDS = Resampling(rounds=100, seed=4)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("size", [1, 5])
def test_weights_stand_for_rows(graded: tuple[Floats, Floats], level: Level, size: int) -> None:
    judge, human = graded
    groups = np.arange(len(judge)) // size
    within = clusters(groups, len(judge))
    plain, many = replicates(judge, human, within, Measure(level), ROUNDS)
    drawn = np.concatenate(list(weights(within.count, ROUNDS)))
    for name, value in values(judge, human, Measure(level)).items():
        if value is not None:
            assert plain[name][0] == pytest.approx(value)
    for turn in (0, 57, 99):
        rows = np.repeat(np.arange(len(judge)), drawn[turn].astype(int)[groups])
        anew = values(judge[rows], human[rows], Measure(level))
        for name in plain:
            assert many[name][turn] == pytest.approx(anew[name], abs=1e-9), name


def test_binned_numbers_vary_as_the_numbers_do() -> None:
    chance = np.random.default_rng(0)
    human = chance.normal(size=600)
    judge = human + chance.normal(size=600)
    assert len({*judge, *human}) > BINS
    within = clusters(None, 600)
    plain, many = replicates(judge, human, within, Measure(), ROUNDS)
    exact = values(judge, human, Measure())
    drawn = np.concatenate(list(weights(600, ROUNDS)))
    for name in ("spearman", "kendall", "alpha"):
        anew = [
            values(judge[rows], human[rows], Measure())[name]
            for rows in (np.repeat(np.arange(600), row.astype(int)) for row in drawn[:40])
        ]
        moved = many[name][:40] + exact[name] - plain[name]
        assert moved == pytest.approx(np.array(anew), abs=0.01), name


def test_more_clusters_than_blocks_give_the_same_spread() -> None:
    chance = np.random.default_rng(0)
    human = chance.integers(1, 6, 40_000).astype(float)
    judge = human + chance.integers(-1, 2, 40_000)
    _, many = replicates(judge, human, clusters(None, 40_000), Measure(), Resampling(seed=2))
    expected = np.std(judge - human) / 200
    assert np.std(many["bias"]) == pytest.approx(expected, rel=0.1)
