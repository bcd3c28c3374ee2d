"""What the judge gave against what people gave, item by item."""

from __future__ import annotations

from typing import Any

import numpy as np

from adjudge.stats.arrays import Floats, Ints

from .rows import Span
from .sheet import ACCENT, Frame, Key, Sheet, drawn
from .svg import INK
from .words import PlotWords

_SIDE = 320
_MOST_MARKS = 324
_CELLS = 18  # a side, where there are more marks than can be told apart
_SIZES = (4.0, 6.5, 9.0, 12.0, 16.0)  # pixels across


def scatter_plot(people: Floats, judge: Floats, span: Span, words: PlotWords) -> str:
    """A mark for each pair of values, the larger the more items have it.

    Where there are too many pairs to tell apart they are put together into 18 by 18 fields. The
    line marks equal values.
    """
    x, y, counts = _together(people, judge, span)
    room = (span[1] - span[0]) * 0.06 or 0.5
    ends = (span[0] - room, span[1] + room)
    classes = _classes(counts)

    def draw(sheet: Sheet) -> None:
        axes = sheet.axes
        axes.set_xlim(ends)
        axes.set_ylim(ends)
        for axis in (axes.xaxis, axes.yaxis):
            sheet.ticks(axis, steps=[1, 2, 5, 10])
        sheet.grid("both")
        axes.plot(ends, ends, color=INK, linewidth=1, linestyle=(0, (4, 3)), alpha=0.7)
        keys = [Key({"marker": (2, 0, -45), "color": INK, "markersize": 12}, words.same)]
        for size, least, most, here in classes:
            look: dict[str, Any] = {
                "marker": "o",
                "markersize": size,
                "markerfacecolor": ACCENT,
                "alpha": 0.75,
            }
            look |= {"markeredgecolor": INK, "markeredgewidth": 0.8}
            axes.plot(x[here], y[here], linestyle="none", **look)
            told = f"{least:,}" if least == most else f"{least:,}–{most:,}"
            keys.append(Key(look, f"{words.items}: {told}"))
        sheet.legend_aside(keys)

    return drawn(words, Frame(_SIDE, _SIDE, right=190), draw)


def _together(people: Floats, judge: Floats, span: Span) -> tuple[Floats, Floats, Ints]:
    """The distinct pairs and how often each occurs."""
    pairs = np.column_stack([people, judge])
    distinct, counts = np.unique(pairs, axis=0, return_counts=True)
    if len(distinct) > _MOST_MARKS:
        step = (span[1] - span[0]) / _CELLS
        fields = np.clip(np.floor((pairs - span[0]) / step), 0, _CELLS - 1)
        found, counts = np.unique(fields, axis=0, return_counts=True)
        distinct = span[0] + (found + 0.5) * step
    return distinct[:, 0], distinct[:, 1], counts


def _classes(counts: Ints) -> list[tuple[float, int, int, Ints]]:
    """Sizes for counts that grow by about the same factor: size, least, most, and whose it is."""
    if not len(counts):
        return []
    edges = np.geomspace(1, counts.max() + 1, len(_SIZES) + 1)
    which = np.clip(np.searchsorted(edges, counts, "right") - 1, 0, len(_SIZES) - 1)
    found = []
    for at, size in enumerate(_SIZES):
        here = np.flatnonzero(which == at)
        if len(here):
            found.append((size, int(counts[here].min()), int(counts[here].max()), here))
    return found
