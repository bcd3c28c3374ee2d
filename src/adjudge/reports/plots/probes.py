"""What probes did to a judge's scores, and what they may do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..figures import percent
from .intervals import STEP, limits, mark, rows_on
from .lettering import fitted
from .rows import ProbeRow
from .sheet import Frame, Key, Sheet, drawn, room_for
from .svg import INK
from .words import PlotWords

_LIMIT: Mapping[str, Any] = {
    "marker": "|",
    "color": INK,
    "markersize": 20,
    "markeredgewidth": 3,
    "alpha": 0.6,
}


def probes_plot(rows: Sequence[ProbeRow], words: PlotWords) -> str:
    """A mark with its interval a probe, hollow where nothing is wrong, and a bar at its limit."""
    labels = [fitted(row.label, 32) for row in rows]
    told = [percent(row.effect) for row in rows]
    height = STEP * max(len(rows), 1)
    frame = Frame.between(room_for(labels), room_for(told, 600), height, 66)

    def draw(sheet: Sheet) -> None:
        axes, effects = sheet.axes, [row.effect for row in rows]
        rows_on(sheet, labels, told)
        axes.set_xlim(limits(effects, None, [0.0, *(row.limit for row in rows)]))
        axes.xaxis.set_major_formatter(lambda value, _: f"{value:.0%}".replace("-", "−"))
        sheet.guide(0.0)
        for at, row in enumerate(rows):
            axes.plot([row.limit], [at], linestyle="none", **_LIMIT)
            mark(sheet, at, row.effect, hollow=row.rating in ("fine", "unclear"))
        sheet.legend([Key(_LIMIT, words.limit)])

    return drawn(words, frame, draw)
