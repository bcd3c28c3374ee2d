from __future__ import annotations

import numpy as np
import pytest

from adjudge.stats.length_rows import Against


def test_length_is_squeezed() -> None:
    given = Against(np.zeros(3), np.array([-1e6, 0, 1e6]), np.arange(3))
    assert given.length() == pytest.approx(np.tanh([-1, 0, 1]))
    assert Against(np.zeros(2), np.array([5.0, 5.0]), np.arange(2)).length().tolist() == [0, 0]
