"""A figure with its interval over time, from left to right."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from adjudge.stats.stat import Stat

from .sheet import ACCENT, LINE, WIDTH, Frame, Sheet, Span, draw_svg, fitted
from .svg import INK, PlotWords

_HEIGHT, _ROOM = 220, 0.06
_LOOK: Mapping[str, Any] = {
    "markerfacecolor": ACCENT,
    "markeredgecolor": INK,
    "markersize": 8,
}
_NARROW = 46  # pixels that a label below needs


@dataclass(frozen=True, slots=True)
class TrendMark:
    """`label` stands below; `change` above a dashed line, where something changed; `seen` is what
    is told of it."""

    label: str
    stat: Stat
    change: str = ""
    seen: str = ""


def trend_plot(marks: Sequence[TrendMark], words: PlotWords, span: Span | None = None) -> str:
    """Equal steps from run to run; the axis covers `span` and all intervals."""
    frame = Frame.between(64, 16, _HEIGHT, 44 + LINE * any(mark.change for mark in marks))
    step = max(1, round(len(marks) * _NARROW / (WIDTH - 80) + 0.5))

    def draw(sheet: Sheet) -> None:
        axes = sheet.axes
        ends = [end for mark in marks for end in _ends(mark.stat)] + [*(span or ())]
        room = (max(ends) - min(ends)) * _ROOM or 0.5
        axes.set_ylim(min(ends) - room, max(ends) + room)
        axes.set_xlim(-0.6, len(marks) - 0.4)
        shown = [fitted(mark.label, 12) if not n % step else "" for n, mark in enumerate(marks)]
        axes.set_xticks(range(len(marks)), sheet.texts(shown))
        axes.tick_params("x", length=0)
        sheet.ticks(axes.yaxis)
        sheet.grid("y")
        values = [mark.stat.value or 0.0 for mark in marks]
        axes.plot(range(len(marks)), values, color=ACCENT, linewidth=1.5, alpha=0.6)
        for at, mark in enumerate(marks):
            if mark.change:
                sheet.guide(at - 0.5, fitted(mark.change, 24))
            bounds = _ends(mark.stat)
            axes.plot([at, at], [min(bounds), max(bounds)], color=INK, linewidth=1.6)
            look: dict[str, Any] = {
                "markerfacecolor": ACCENT,
                "markeredgecolor": INK,
                "markersize": 8,
            }
            (drawn,) = axes.plot([at], [mark.stat.value or 0.0], "s", linestyle="none", **look)
            sheet.tell(drawn, mark.seen)

    return draw_svg(words, frame, draw)


def _ends(stat: Stat) -> list[float]:
    return [end for end in (stat.low, stat.value, stat.high) if end is not None]
