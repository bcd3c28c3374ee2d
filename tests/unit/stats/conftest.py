from __future__ import annotations

import numpy as np
import pytest

from adjudge.stats.arrays import Floats
from adjudge.stats.bootstrap import Resampling


@pytest.fixture
def few_rounds() -> Resampling:
    return Resampling(confidence=0.9, rounds=200, seed=1)


@pytest.fixture
def graded() -> tuple[Floats, Floats]:
    """A judge's and people's scores of 120 rows, 1 to 5, related but not equal."""
    chance = np.random.default_rng(3)
    human = chance.integers(1, 6, 120).astype(float)
    judge = np.clip(np.round(human + chance.normal(0.3, 1, 120)), 1, 5)
    return judge, human
