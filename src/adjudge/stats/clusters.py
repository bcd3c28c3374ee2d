"""Rows that belong together: what varies from sample to sample is the group, not the row."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass

import numpy as np

from adjudge.core.reason import Reason
from adjudge.errors import UsageError
from adjudge.stats.arrays import Floats, Ints

Groups = Iterable[Hashable] | None


@dataclass(frozen=True, slots=True)
class Clusters:
    """The cluster of each row, counted from 0, and how many there are."""

    of: Ints
    count: int

    def sums(self, values: Floats) -> Floats:
        """The sum of `values` (a column, or rows by columns) within each cluster."""
        if values.ndim == 1:
            return np.bincount(self.of, values, self.count).astype(np.float64, copy=False)
        return np.stack([self.sums(column) for column in values.T], axis=1)

    def at_most(self, most: int, seed: int) -> Clusters:
        """The clusters themselves, or, where there are more, dealt by lot into `most` blocks.

        A block of independent clusters is as good a unit of resampling as a cluster; with thousands
        of them the variance is known to a percent, and a round costs no more.
        """
        if self.count <= most:
            return self
        lot = np.random.default_rng(seed).permutation(self.count) % most
        return Clusters(lot[self.of], most)


def clusters(groups: Groups, rows: int) -> Clusters:
    """Rows with equal labels share a cluster; without labels each row is its own."""
    if groups is None:
        return Clusters(np.arange(rows), rows)
    known: dict[Hashable, int] = {}
    listed = groups.tolist() if isinstance(groups, np.ndarray) else groups
    of = np.array([known.setdefault(label, len(known)) for label in listed], dtype=np.intp)
    if len(of) != rows:
        raise UsageError(Reason("stats.groups", groups=len(of), rows=rows))
    return Clusters(of, len(known))
