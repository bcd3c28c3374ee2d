"""Which value the judge gave where people gave which."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from adjudge.stats.arrays import Ints, codes, same_length


@dataclass(frozen=True, slots=True)
class Confusion:
    """`counts[i, j]` rows have `labels[i]` from the judge and `labels[j]` from people."""

    labels: tuple[Any, ...]
    counts: Ints


def confusion(judge: npt.ArrayLike, human: npt.ArrayLike) -> Confusion:
    """The table over every value that either side used, in order."""
    labels, (rows, columns) = codes(judge, human)
    same_length(rows, columns)
    size = len(labels)
    counts = np.bincount(rows * size + columns, minlength=size * size)
    return Confusion(labels, counts.reshape(size, size))
