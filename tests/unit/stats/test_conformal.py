from __future__ import annotations

import numpy as np
import pytest

from adjudge.errors import UsageError
from adjudge.stats.conformal import calibrate_scores, folds_of, isotonic

LEVELS = (1, 2, 3, 4, 5)


def rows(count: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    chance = np.random.default_rng(seed)
    human = chance.integers(1, 6, count).astype(float)
    return np.clip(np.round(human + chance.normal(0.5, 0.8, count)), 1, 5), human


def covered(confidence: float, *, by_lot: bool = True, levels: tuple | None = LEVELS) -> float:
    hits = []
    for seed in range(40):
        calibration = calibrate_scores(*rows(100, seed), seed=seed)
        judge, human = rows(200, seed + 1000)
        low, high = calibration.interval(judge, confidence, levels, by_lot=by_lot)
        hits.append(np.mean((low - 1e-9 <= human) & (human <= high + 1e-9)))
    return float(np.mean(hits))


@pytest.mark.parametrize("confidence", [0.7, 0.9])
def test_levels_are_covered_as_stated(confidence: float) -> None:
    assert covered(confidence) == pytest.approx(confidence, abs=0.02)


def test_without_lots_it_covers_at_least_as_much() -> None:
    assert covered(0.8, by_lot=False) >= covered(0.8)
    assert covered(0.8, levels=None) >= 0.79


def test_numbers_by_the_definition_of_cv_plus() -> None:
    chance = np.random.default_rng(0)
    judge = chance.uniform(0, 10, 49)
    human = judge + chance.normal(0, 1, 49)
    fold = folds_of(None, 49, 7, seed=3)
    low, high = [], []
    for row in range(49):
        without = isotonic(judge[fold != fold[row]], human[fold != fold[row]])
        miss = abs(human[row] - without([judge[row]])[0])
        low.append(without([4.2])[0] - miss)
        high.append(without([4.2])[0] + miss)
    found = calibrate_scores(judge, human, folds=7, seed=3).interval([4.2, 1.0], 0.9)
    assert found[0][0] == pytest.approx(sorted(low)[4])  # the 5th of 49: 0.1 * 50
    assert found[1][0] == pytest.approx(sorted(high)[44])


def test_ends_are_levels_and_some_level_is_always_in_range() -> None:
    judge = np.repeat([1.0, 5.0], 20)
    low, high = calibrate_scores(judge, judge).interval(judge, 0.5, LEVELS)
    assert set(low) | set(high) <= set(LEVELS)
    assert np.array_equal(low, judge)
    assert np.array_equal(high, judge)


def test_the_score_is_what_people_give_on_average() -> None:
    judge = np.repeat([1.0, 2.0], 20)
    human = np.concatenate([np.full(20, 3.0), np.full(20, 4.0)])
    assert calibrate_scores(judge, human).score([1, 1.5, 2, 9]).tolist() == [3, 3.5, 4, 4]


def test_wrong_input_is_named() -> None:
    with pytest.raises(UsageError, match="3 independent labels are too few"):
        calibrate_scores([1, 2, 3], [1, 2, 3])
    calibration = calibrate_scores(*rows(40, 0))
    with pytest.raises(UsageError, match="a share between 0 and 1"):
        calibration.interval([1], 90)
    with pytest.raises(UsageError, match="label 99 rows or ask for less"):
        calibration.interval([1], 0.99)
