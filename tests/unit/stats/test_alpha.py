from __future__ import annotations

import krippendorff
import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from adjudge.errors import UsageError
from adjudge.stats.alpha import LEVELS, Level, alpha, alpha_of, pairable
from adjudge.stats.bootstrap import Resampling, weights

TABLES = arrays.arrays(
    np.float64,
    st.tuples(st.integers(1, 12), st.integers(2, 5)),
    elements=st.sampled_from([1.0, 2, 3, 4, 7, np.nan]),
)


@pytest.mark.parametrize("level", LEVELS)
@given(TABLES)
def test_as_the_package_has_it(level: Level, table: np.ndarray) -> None:
    kept = table[np.isfinite(table).sum(axis=1) >= 2]
    assume(len(np.unique(kept[np.isfinite(kept)])) > 1)
    theirs = krippendorff.alpha(kept.T, level_of_measurement=level)
    assert alpha_of(*pairable(table), level) == pytest.approx(theirs, abs=1e-9)


def test_undefined_without_pairs_or_without_variety() -> None:
    assert alpha_of(*pairable([[1, np.nan], [np.nan, 2]]), "ordinal") is None
    assert alpha_of(*pairable([[2, 2], [2, 2]]), "ordinal") is None


def test_many_distinct_numbers_need_no_table() -> None:
    one = np.random.default_rng(0).normal(size=20_000)
    assert alpha_of(*pairable(np.stack([one, one + 1e-9], axis=1)), "ordinal") == pytest.approx(
        1, abs=1e-6
    )


def test_wrong_input_is_named() -> None:
    with pytest.raises(UsageError, match="table items by raters"):
        pairable([1.0, 2.0])
    with pytest.raises(UsageError, match="nominal, ordinal, interval"):
        alpha_of(*pairable([[1.0, 2.0]]), "ratio")  # type: ignore[arg-type]


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
    assert found.value == pytest.approx(alpha_of(*pairable(table), level))
    kept = table[np.isfinite(table).sum(axis=1) >= 2]
    drawn = np.concatenate(list(weights(len(kept), ROUNDS))).astype(int)
    anew = [alpha_of(*pairable(np.repeat(kept, row, axis=0)), level) for row in drawn]
    low, high = np.quantile(np.array(anew, dtype=float), [0.05, 0.95])
    assert found.low == pytest.approx(low, abs=0.03)
    assert found.high == pytest.approx(high, abs=0.03)


def test_undefined_is_said() -> None:
    assert str(alpha([[1, np.nan]]).why) == "no item has two values"
    assert str(alpha([[1, 1], [1, 1]]).why) == "all values are the same"
    assert str(alpha([[1, 1], [2, 1]]).why) == "no interval: 2 items are too few"
    assert str(alpha([[1, 2]]).why) == "no interval: a single row"
