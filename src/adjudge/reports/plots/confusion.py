"""Which value the judge gave where people gave which."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from adjudge.stats.arrays import Ints

from .lettering import fitted, in_two
from .sheet import ACCENT, LINE, WIDTH, Frame, Sheet, drawn, room_for
from .svg import INK
from .words import PlotWords

_LONGEST = 20
_CELL = 46  # pixels
_DEEPEST = 0.7  # opacity that text can still be read on


def confusion_plot(labels: Sequence[str], counts: Ints, words: PlotWords) -> str:
    """Counts in cells, judge by people; the darker, the larger the share of what people gave that
    value. The diagonal, where both agree, has a strong frame."""
    size = len(labels)
    named = [fitted(label, _LONGEST) for label in labels]
    left = room_for(named, 180) + 22
    cell = min((WIDTH - left - 24) / max(size, 1), 90)
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
        _fields(sheet, counts)
        _lines(sheet, size)
        for judge in range(size):
            for people in range(size):
                told = sheet.text(f"{int(counts[judge, people]):,}")
                axes.text(people, judge, told, ha="center", va="center_baseline")

    return drawn(words, frame, draw)


def _fields(sheet: Sheet, counts: Ints) -> None:
    """The deeper, the larger the share of what people gave that value."""
    sums = np.maximum(counts.sum(axis=0), 1)
    for judge, people in np.argwhere(counts > 0).tolist():
        depth = round(_DEEPEST * int(counts[judge, people]) / int(sums[people]), 2)
        corner = (people - 0.5, judge - 0.5)
        look = {"facecolor": ACCENT, "alpha": depth, "linewidth": 0}
        sheet.field(corner, 1, 1, look)


def _lines(sheet: Sheet, size: int) -> None:
    """Thin ones between all fields, strong ones around those where both agree."""
    edges, ends = np.arange(size + 1) - 0.5, (-0.5, size - 0.5)
    for edge in edges.tolist():
        sheet.axes.plot(ends, (edge, edge), color=INK, linewidth=0.5, alpha=0.4, clip_on=False)
        sheet.axes.plot((edge, edge), ends, color=INK, linewidth=0.5, alpha=0.4, clip_on=False)
    for at in range(size):
        look = {"fill": False, "edgecolor": INK, "linewidth": 2.0}
        sheet.field((at - 0.46, at - 0.45), 0.92, 0.9, look)
