"""The judge beside people: which value where they gave which, and item by item."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from adjudge.stats.arrays import Floats, Ints

from ..figures import share
from .sheet import (
    ACCENT,
    LINE,
    Frame,
    Key,
    Sheet,
    Span,
    draw_svg,
    fitted,
    in_two,
    legend_lines,
    room_for,
    sheet_width,
)
from .svg import INK, PlotWords

_LONGEST = 20
_CELL = 46  # pixels
_DEEPEST = 0.7  # opacity that text can still be read on
_SIDE = 320
_MOST_MARKS = 324
_CELLS = 18  # a side, where there are too many marks to distinguish
_DOT: Mapping[str, Any] = {
    "marker": "o",
    "markerfacecolor": ACCENT,
    "alpha": 0.75,
    "markeredgecolor": INK,
    "markeredgewidth": 0.8,
}
_SIZES = (4.0, 6.5, 9.0, 12.0, 16.0)  # pixels across


def confusion_plot(
    labels: Sequence[str],
    counts: Ints,
    words: PlotWords,
    ask: Callable[[int, int], str] = lambda *_: "",
) -> str:
    """Counts in cells, judge by people; the darker, the more. The diagonal, where both agree, has a
    strong frame. `ask` filters the items of a cell, by the places of the two values."""
    size = len(labels)
    named = [fitted(label, _LONGEST) for label in labels]
    left = room_for(named, 180) + 22
    cell = min((sheet_width(words) - left - 24) / max(size, 1), 90)
    below = [in_two(label, max(int(cell / 7), 2)) for label in labels]
    lines = max(map(len, below), default=1)
    high = min(_CELL, cell) * max(size, 1)
    frame = Frame(cell * max(size, 1), high, left, 24, bottom=48 + LINE * (lines - 1))

    def draw(sheet: Sheet) -> None:
        axes = sheet.axes
        axes.set_xlim(-0.5, max(size, 1) - 0.5)
        axes.set_ylim(max(size, 1) - 0.5, -0.5)
        sheet.names_below(below)
        axes.set_yticks(range(size), sheet.texts(named))
        axes.tick_params(length=0)
        axes.spines[:].set_visible(False)
        _fields(sheet, labels, counts, ask)
        _lines(sheet, size)
        for judge in range(size):
            for people in range(size):
                text = sheet.numbers(f"{int(counts[judge, people]):,}")
                axes.text(people, judge, text, ha="center", va="center_baseline")

    return draw_svg(words, frame, draw)


def _fields(
    sheet: Sheet, labels: Sequence[str], counts: Ints, ask: Callable[[int, int], str]
) -> None:
    """The deeper, the more: a cell of 1 is not that of 17."""
    most = max(int(counts.max(initial=1)), 1)
    for judge, people in np.argwhere(counts > 0).tolist():
        depth = round(_DEEPEST * int(counts[judge, people]) / most, 2)
        corner = (people - 0.5, judge - 0.5)
        look = {"facecolor": ACCENT, "alpha": depth, "linewidth": 0}
        field = sheet.field(corner, 1, 1, look)
        count = int(counts[judge, people])
        names = f"{sheet.words.y}: {labels[judge]}; {sheet.words.x}: {labels[people]}"
        shown = sheet.words.figure(f"{count:,} ({share(count, int(counts.sum()))})")
        sheet.tell(field, f"{names}: {shown}", ask(judge, people))


def _lines(sheet: Sheet, size: int) -> None:
    """Thin ones between all fields, strong ones around those where both agree."""
    edges, ends = np.arange(size + 1) - 0.5, (-0.5, size - 0.5)
    for edge in edges.tolist():
        sheet.axes.plot(ends, (edge, edge), color=INK, linewidth=0.5, alpha=0.4, clip_on=False)
        sheet.axes.plot((edge, edge), ends, color=INK, linewidth=0.5, alpha=0.4, clip_on=False)
    for at in range(size):
        look = {"fill": False, "edgecolor": INK, "linewidth": 2.0}
        sheet.field((at - 0.46, at - 0.45), 0.92, 0.9, look)


def scatter_plot(people: Floats, judge: Floats, span: Span, words: PlotWords) -> str:
    """A mark for each pair of values, the larger the more items have it.

    Where there are too many pairs to distinguish, they are put together into 18 by 18 fields. The
    line marks equal values.
    """
    x, y, counts = _together(people, judge, span)
    room = (span[1] - span[0]) * 0.06 or 0.5
    ends = (span[0] - room, span[1] + room)
    keys = [Key({"marker": (2, 0, -45), "color": INK, "markersize": 12}, words.same)]
    shown: list[tuple[Mapping[str, Any], Ints]] = []
    for size, least, most, here in _classes(counts):
        look = {**_DOT, "markersize": size}
        amount = f"{least:,}" if least == most else f"{least:,}–{most:,}"
        keys.append(Key(look, f"{words.items}: {words.figure(amount)}"))
        shown.append((look, here))

    def draw(sheet: Sheet) -> None:
        axes = sheet.axes
        axes.set_xlim(ends)
        axes.set_ylim(ends)
        for axis in (axes.xaxis, axes.yaxis):
            sheet.ticks(axis)
        sheet.grid("both")
        axes.plot(ends, ends, color=INK, linewidth=1, linestyle=(0, (4, 3)), alpha=0.7)
        for look, here in shown:
            axes.plot(x[here], y[here], linestyle="none", **look)
        (sheet.legend if words.narrow else sheet.legend_aside)(keys)

    if words.narrow:
        side = sheet_width(words) - 64 - 16
        return draw_svg(words, Frame(side, side, top=44 + 22 * legend_lines(keys, words)), draw)
    return draw_svg(words, Frame(_SIDE, _SIDE, right=190), draw)


def _together(people: Floats, judge: Floats, span: Span) -> tuple[Floats, Floats, Ints]:
    """The distinct pairs and how often each occurs."""
    pairs = np.column_stack([people, judge])
    distinct, counts = np.unique(pairs, axis=0, return_counts=True)
    if len(distinct) > _MOST_MARKS:
        step = (span[1] - span[0]) / _CELLS
        fields = np.clip(np.floor((pairs - span[0]) / step), 0, _CELLS - 1)
        cells, counts = np.unique(fields, axis=0, return_counts=True)
        distinct = span[0] + (cells + 0.5) * step
    return distinct[:, 0], distinct[:, 1], counts


def _classes(counts: Ints) -> list[tuple[float, int, int, Ints]]:
    """Sizes for counts that grow by about the same factor: size, least, most, and whose it is."""
    if not len(counts):
        return []
    edges = np.geomspace(1, counts.max() + 1, len(_SIZES) + 1)
    which = np.clip(np.searchsorted(edges, counts, "right") - 1, 0, len(_SIZES) - 1)
    classes = []
    for at, size in enumerate(_SIZES):
        here = np.flatnonzero(which == at)
        if len(here):
            classes.append((size, int(counts[here].min()), int(counts[here].max()), here))
    return classes
