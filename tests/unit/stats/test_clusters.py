from __future__ import annotations

import numpy as np
import pytest

from adjudge.errors import UsageError
from adjudge.stats.bootstrap import clusters


def test_rows_with_equal_labels_share_a_cluster() -> None:
    found = clusters(["b", "a", "b"], 3)
    assert (found.of.tolist(), found.count) == ([0, 1, 0], 2)
    assert clusters(np.array([7, 7, 8]), 3).of.tolist() == [0, 0, 1]


def test_without_labels_each_row_is_its_own() -> None:
    assert clusters(None, 3).of.tolist() == [0, 1, 2]


def test_labels_must_fit_the_rows() -> None:
    with pytest.raises(UsageError, match="2 group labels for 3 rows"):
        clusters(["a", "b"], 3)


def test_sums_within_clusters() -> None:
    found = clusters([1, 2, 1], 3)
    assert found.sums(np.array([1.0, 2.0, 3.0])).tolist() == [4, 2]
    assert found.sums(np.array([[1.0, 1], [2, 1], [3, 1]])).tolist() == [[4, 2], [2, 1]]


def test_many_clusters_are_dealt_into_blocks_whole() -> None:
    groups = np.repeat(np.arange(1000), 3)
    blocks = clusters(groups, 3000).at_most(10, seed=0)
    assert blocks.count == 10
    assert np.bincount(blocks.of).tolist() == [300] * 10
    assert all(len(set(blocks.of[groups == group])) == 1 for group in range(1000))
    assert clusters(groups, 3000).at_most(1000, seed=0).count == 1000
