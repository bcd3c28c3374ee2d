from __future__ import annotations

import numpy as np
import pytest

from adjudge.errors import UsageError
from adjudge.stats.ppi import labels_needed, ppi_mean


@pytest.fixture
def rows() -> tuple[np.ndarray, np.ndarray]:
    chance = np.random.default_rng(0)
    human = chance.normal(3, 1, 4000)
    return human, human + chance.normal(0, 0.7, 4000)


@pytest.mark.parametrize("width", [0.2, 0.15, 0.1])
def test_with_so_many_more_it_is_as_narrow(
    rows: tuple[np.ndarray, np.ndarray], width: float
) -> None:
    human, judge = rows
    needed = labels_needed(human[:100], judge[:100], judge[100:], width)
    assert needed.further is not None
    count = 100 + needed.further
    stat = ppi_mean(human[:count], judge[:count], judge[count:]).stat
    assert stat.high - stat.low == pytest.approx(width, rel=0.12)  # type: ignore[operator]


def test_none_where_there_are_enough(rows: tuple[np.ndarray, np.ndarray]) -> None:
    human, judge = rows
    assert labels_needed(human[:100], judge[:100], judge[100:], 3.0).further == 0


def test_groups_take_more(rows: tuple[np.ndarray, np.ndarray]) -> None:
    human, judge = rows
    sides = [np.repeat(side, 4) for side in (human[:50], judge[:50], judge[50:])]
    grouped = labels_needed(*sides, 0.3, np.repeat(np.arange(50), 4))
    alone = labels_needed(*sides, 0.3)
    assert grouped.further > 2 * alone.further  # type: ignore[operator]


def test_what_cannot_be_had_is_said(rows: tuple[np.ndarray, np.ndarray]) -> None:
    human, judge = rows
    none = labels_needed(human[:100], judge[:100], judge[100:], 0.001)
    assert none.further is None
    assert "even with all 4000 rows labelled" in str(none.why)
    assert "too few" in str(labels_needed(human[:5], judge[:5], judge[5:], 0.1).why)
    with pytest.raises(UsageError, match="above 0"):
        labels_needed(human, judge, [], 0)
