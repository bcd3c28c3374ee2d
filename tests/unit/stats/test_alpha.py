from __future__ import annotations

import numpy as np
import pytest

from adjudge.stats.alpha import alpha
from adjudge.stats.bootstrap import Resampling, weights
from adjudge.stats.krippendorff import LEVELS, Level, krippendorff_alpha

ROUNDS = Resampling(confidence=0.9, rounds=400, seed=2)


def rated(values: int, seed: int = 0) -> np.ndarray:
    """60 items by four raters, some gaps."""
    chance = np.random.default_rng(seed)
    truth = chance.integers(0, values, 60)[:, None]
    table = np.clip(truth + chance.integers(-1, 2, (60, 4)), 0, values - 1).astype(float)
    table[chance.random((60, 4)) < 0.2] = np.nan
    return table


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("values", [3, 200])
def test_the_interval_is_that_of_resampled_items(level: Level, values: int) -> None:
    table = rated(values)
    found = alpha(table, level, ROUNDS)
    assert found.value == pytest.approx(krippendorff_alpha(table, level))
    kept = table[np.isfinite(table).sum(axis=1) >= 2]
    drawn = np.concatenate(list(weights(len(kept), ROUNDS))).astype(int)
    anew = [krippendorff_alpha(np.repeat(kept, row, axis=0), level) for row in drawn]
    low, high = np.quantile(np.array(anew, dtype=float), [0.05, 0.95])
    assert found.low == pytest.approx(low, abs=0.03)
    assert found.high == pytest.approx(high, abs=0.03)


def test_undefined_is_said() -> None:
    assert alpha([[1, np.nan]]).why == "no item has two values"
    assert alpha([[1, 1], [1, 1]]).why == "all values are the same"
    assert alpha([[1, 1], [2, 1]]).why == "no interval: 2 items are too few"
    assert alpha([[1, 2]]).why == "no interval: a single row"
