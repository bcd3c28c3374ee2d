from __future__ import annotations

import numpy as np
import pytest

from adjudge.stats.arrays import Floats
from adjudge.stats.raters import effective_votes


def raters(shared: float, items: int, seed: int = 0, count: int = 6) -> Floats:
    """Errors of unit variance that correlate by `shared`."""
    draw = np.random.default_rng(seed)
    common, own = draw.normal(size=(items, 1)), draw.normal(size=(items, count))
    return np.asarray(np.sqrt(shared) * common + np.sqrt(1 - shared) * own)


@pytest.mark.parametrize(("shared", "votes"), [(0.0, 6), (0.5, 6 / 3.5), (1.0, 1)])
def test_votes_of_known_correlation(shared: float, votes: float) -> None:
    assert effective_votes([raters(shared, 20_000)]).value == pytest.approx(votes, rel=0.03)


def test_the_interval_holds_the_truth() -> None:
    found = [effective_votes([raters(0.5, 60, seed)]) for seed in range(400)]
    held = [(one.low or 0) <= 6 / 3.5 <= (one.high or 0) for one in found]
    assert 0.91 <= np.mean(held) <= 0.98


def test_names_are_a_table_each() -> None:
    names = np.random.default_rng(1).integers(0, 3, (9_000, 4))
    tables = [(names == name).astype(float) for name in range(3)]
    assert effective_votes(tables).value == pytest.approx(4, rel=0.05)
    same = np.repeat(names[:, :1], 4, axis=1)
    assert effective_votes([(same == 0).astype(float)]).value == pytest.approx(1)


def test_what_is_undefined_says_why() -> None:
    assert str(effective_votes([raters(0.5, 9)]).why) == "9 items are too few"
    assert str(effective_votes([np.ones((20, 3))]).why) == "all values are the same"
    assert effective_votes([]).value is None
