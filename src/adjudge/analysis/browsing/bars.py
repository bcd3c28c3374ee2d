"""How the scores of a criterion are distributed: counts by level, by name, or in bins."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from adjudge.analysis.spans import span
from adjudge.core.scale import Category, Scale
from adjudge.stats.arrays import Floats

_MOST_LEVELS = 21
_BINS = 10  # about


@dataclass(frozen=True, slots=True)
class Bar:
    """`count` items at one level or name, or in a bin from `low` to below `high` (the last one
    holds its `high` too). `label` is the level as it is written, `name` what the scale calls it."""

    label: str
    count: int
    name: str | None = None
    low: float | None = None
    high: float | None = None


def bars(scale: Scale | None, values: Floats) -> tuple[Bar, ...]:
    """In the order of the scale, empty ones too; None for numbers that lie on no scale.

    A mean of repeats counts at the nearest level, one in the middle at the higher one.
    """
    if isinstance(scale, Category):
        counts = np.bincount(values.astype(np.intp), minlength=len(scale.options))
        return tuple(map(Bar, scale.options, counts.tolist()))
    levels = scale.values() if scale else None
    if scale and levels and len(levels) <= _MOST_LEVELS:
        numbers = np.array(levels, dtype=np.float64)
        nearest = np.searchsorted((numbers[1:] + numbers[:-1]) / 2, values, side="right")
        counts = np.bincount(nearest, minlength=len(levels))
        return tuple(
            Bar(scale.write(level), count, scale.label(level), float(level), float(level))
            for level, count in zip(levels, counts.tolist(), strict=True)
        )
    ends = (span(scale) if scale else None) or _ends(values)
    return () if ends is None else _binned(values, *ends)


def _ends(values: Floats) -> tuple[float, float] | None:
    return (float(values.min()), float(values.max())) if len(values) else None


def _binned(values: Floats, low: float, high: float) -> tuple[Bar, ...]:
    step = _step((high - low) / _BINS)
    first = math.floor(low / step + 1e-9)
    last = max(first + 1, math.ceil(high / step - 1e-9))
    edges = [edge * step for edge in range(first, last + 1)]
    # 0.3 must not fall below an edge at 0.30000000000000004.
    at = np.searchsorted(np.array(edges) - step * 1e-9, values, side="right") - 1
    counts = np.bincount(np.clip(at, 0, len(edges) - 2), minlength=len(edges) - 1)
    return tuple(
        Bar(f"{from_:g}–{to:g}", count, None, from_, to)
        for from_, to, count in zip(edges[:-1], edges[1:], counts.tolist(), strict=True)
    )


def _step(wanted: float) -> float:
    """The next of 1, 2, 5 and their tenfolds; 1 where all values are the same."""
    if wanted <= 0:
        return 1.0
    power = 10.0 ** math.floor(math.log10(wanted))
    return next(power * nice for nice in (1, 2, 5, 10) if power * nice >= wanted * (1 - 1e-9))
