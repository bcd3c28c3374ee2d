"""Krippendorff's alpha: any number of raters, gaps, and names, orders or numbers.

Alpha is 1 - observed / expected disagreement over pairs of values (Krippendorff 2011, "Computing
Krippendorff's alpha-reliability"). On an ordinal scale the distance of two values is the number of
values between them, half of each end counted: the distance of their middle ranks. So ordinal alpha
is interval alpha of the ranks, and both need sums of squares only, never a table of all values.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
import numpy.typing as npt

from adjudge.errors import UsageError
from adjudge.stats.arrays import Floats, Ints, middle_ranks

Level = Literal["nominal", "ordinal", "interval"]
LEVELS: tuple[Level, ...] = ("nominal", "ordinal", "interval")


def krippendorff_alpha(ratings: npt.ArrayLike, level: Level = "ordinal") -> float | None:
    """Alpha of a table items by raters, NaN where a rater gave nothing.

    1 is perfect, 0 is chance, below 0 is systematic disagreement. None where no item has two
    values, or all values are the same. Names are coded as numbers first.
    """
    values, units = pairable(ratings)
    return alpha_of(values, units, level)


def pairable(ratings: npt.ArrayLike) -> tuple[Floats, Ints]:
    """The values of items that have at least two, and the item of each, counted from 0."""
    table = np.asarray(ratings, dtype=np.float64)
    if table.ndim != 2:
        raise UsageError(f"ratings: expected a table items by raters, got shape {table.shape}")
    here = np.isfinite(table)
    here &= (here.sum(axis=1) >= 2)[:, None]
    _, units = np.unique(np.nonzero(here)[0], return_inverse=True)
    return table[here], units


def alpha_of(values: Floats, units: Ints, level: Level) -> float | None:
    """Alpha of values in long form; every unit has at least two of them."""
    if level not in LEVELS:
        raise UsageError(f"level {level!r} is none of {', '.join(LEVELS)}")
    if not len(values) or values.min() == values.max():
        return None
    if level == "nominal":
        return _nominal(values, units)
    places = middle_ranks(values) if level == "ordinal" else values
    # Centred and scaled: alpha does not change, and the squares lose no digits.
    places = (places - places.mean()) / np.ptp(places)
    sizes = np.bincount(units)
    sums, squares = np.bincount(units, places), np.bincount(units, places**2)
    observed = float(np.sum((sizes * squares - sums**2) / (sizes - 1)))
    expected = (len(places) * float(squares.sum()) - float(sums.sum()) ** 2) / (len(places) - 1)
    return 1 - observed / expected


def _nominal(values: Floats, units: Ints) -> float:
    labels, names = np.unique(values, return_inverse=True)
    sizes = np.bincount(units)
    cells, counts = np.unique(units * len(labels) + names, return_counts=True)
    same = np.bincount(cells // len(labels), counts.astype(np.float64) ** 2)
    observed = float(np.sum((sizes**2 - same) / (sizes - 1)))
    total = float(len(values))
    margins = np.bincount(names).astype(np.float64)
    expected = (total**2 - float(np.dot(margins, margins))) / (total - 1)
    return 1 - observed / expected
