"""Rows of figures with their intervals, one below the other: what several plots have in common."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from adjudge.stats.stat import Stat

from ..figures import plain, signed
from .lettering import fitted
from .rows import Span, StatRow
from .sheet import ACCENT, Frame, Sheet, drawn, room_for
from .svg import INK
from .words import PlotWords

NO_GUIDES: Mapping[float, str] = MappingProxyType({})
STEP = 28  # pixels from row to row
MOST = 40  # rows that can be told apart
_EDGE = {"markersize": 8, "markeredgecolor": INK, "markeredgewidth": 1.2}
FULL: Mapping[str, Any] = {"marker": "s", "markerfacecolor": ACCENT, **_EDGE}
HOLLOW: Mapping[str, Any] = {"marker": "o", "markerfacecolor": "none", **_EDGE}
_LONGEST = 36  # letters of a label
_ROOM = 0.06  # free at both ends, as a share of what is drawn


def interval_plot(
    rows: Sequence[StatRow],
    words: PlotWords,
    *,
    span: Span | None = None,
    guides: Mapping[float, str] = NO_GUIDES,
    differences: bool = False,
) -> str:
    """A mark with its interval a row, the figures written out at the right.

    The axis covers `span` and all that there is to see, `guides` included: lines with their names.
    Beyond 40 rows the rest is counted in a last one.
    """
    shown = _fewer(rows)
    labels = [fitted(row.label, _LONGEST) for row in shown]
    told = [
        " · ".join(filter(None, (_figure(row.written, differences), row.note))) for row in shown
    ]
    top = 62 if any(guides.values()) else 44
    frame = Frame.between(room_for(labels), room_for(told, 600), STEP * max(len(shown), 1), top)

    def draw(sheet: Sheet) -> None:
        low, high = limits([row.stat for row in shown], span, list(guides))
        rows_on(sheet, labels, told)
        sheet.axes.set_xlim(low, high)
        for guide, name in guides.items():
            sheet.guide(guide, name)
        for at, row in enumerate(shown):
            mark(sheet, at, row.stat)

    return drawn(words, frame, draw)


def rows_on(sheet: Sheet, labels: list[str], told: list[str]) -> None:
    """Names the rows at the left and tells their figures at the right, the first one on top."""
    axes = sheet.axes
    axes.set_ylim(max(len(labels), 1) - 0.5, -0.5)
    axes.set_yticks(range(len(labels)), sheet.texts(labels))
    axes.tick_params("y", length=0)
    axes.spines["left"].set_visible(False)
    sheet.grid("x")
    for at, text in enumerate(told):
        sheet.beside(at, text)


def mark(sheet: Sheet, at: float, stat: Stat, *, hollow: bool = False) -> None:
    """The value with its interval; nothing where there is none."""
    if stat.value is None:
        return
    if stat.low is not None and stat.high is not None:
        style = (0, (3, 2)) if hollow else "-"
        sheet.axes.plot([stat.low, stat.high], [at, at], color=INK, linewidth=1.6, linestyle=style)
        sheet.axes.plot([stat.low, stat.high], [at, at], "|", color=INK, markersize=10)
    sheet.axes.plot([stat.value], [at], linestyle="none", **(HOLLOW if hollow else FULL))


def limits(stats: Sequence[Stat], span: Span | None, guides: Sequence[float]) -> Span:
    """Where the axis begins and ends."""
    ends = [end for stat in stats for end in (stat.value, stat.low, stat.high) if end is not None]
    ends += [*guides, *(span or ())]
    low, high = (min(ends), max(ends)) if ends else (0.0, 1.0)
    room = (high - low) * _ROOM or abs(high) * _ROOM or 0.5
    return low - room, high + room


def _fewer(rows: Sequence[StatRow]) -> list[StatRow]:
    if len(rows) <= MOST:
        return list(rows)
    return [*rows[: MOST - 1], StatRow(f"… +{len(rows) - MOST + 1}", Stat(None))]


def _figure(stat: Stat, difference: bool) -> str:
    return signed(stat) if difference else plain(stat)
