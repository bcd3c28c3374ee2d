"""A figure with its interval over time, from left to right; a line per model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil
from typing import Any

from adjudge.stats.stat import Stat

from .sheet import ACCENT, LINE, Frame, Key, Sheet, Span, draw_svg, fitted, legend_lines, width
from .svg import INK, PlotWords

_HEIGHT, _ROOM = 220, 0.06
_SHAPES = "so^Dv"
_LOOSE = 1.3  # wide letters take more room than most
_APART = 0.14  # of a step, between the marks of one run


@dataclass(frozen=True, slots=True)
class TrendMark:
    """`at` counts the runs, and `label` stands below; `line` is the model; `change` stands above a
    dashed line, where something changed; `seen` is its description."""

    at: int
    label: str
    line: str
    stat: Stat
    change: str = ""
    seen: str = ""


def trend_plot(marks: Sequence[TrendMark], words: PlotWords, span: Span | None = None) -> str:
    """Equal steps from run to run; the axis covers `span` and all intervals."""
    lines = list(dict.fromkeys(mark.line for mark in marks))
    keys = [Key(_look(n), fitted(line, 48)) for n, line in enumerate(lines)]
    keys = keys if len(lines) > 1 else []
    top = 44 + LINE * any(mark.change for mark in marks) + 22 * legend_lines(keys, words)
    runs = max((mark.at for mark in marks), default=0) + 1

    def draw(sheet: Sheet) -> None:
        ends = [end for mark in marks for end in _ends(mark.stat)] + [*(span or ())]
        ends = ends or [0.0, 1.0]
        room = (max(ends) - min(ends)) * _ROOM or 0.5
        sheet.axes.set_ylim(min(ends) - room, max(ends) + room)
        _runs_below(sheet, marks, runs)
        sheet.ticks(sheet.axes.yaxis)
        sheet.grid("y")
        _changes(sheet, {mark.at: mark.change for mark in marks if mark.change}, runs)
        for n, line in enumerate(lines):
            shift = (n - (len(lines) - 1) / 2) * min(_APART, 0.6 / len(lines))
            _line(sheet, [mark for mark in marks if mark.line == line], shift, _look(n))
        sheet.legend(keys)

    return draw_svg(words, Frame.between(words, 64, 16, _HEIGHT, top), draw)


def _runs_below(sheet: Sheet, marks: Sequence[TrendMark], runs: int) -> None:
    """As many labels as have room."""
    labels = {mark.at: fitted(mark.label, 16) for mark in marks}
    room = max(map(width, labels.values()), default=0.0) * _LOOSE
    step = max(1, ceil(room * (runs + 0.2) / sheet.frame.width))
    shown = [labels.get(at, "") if not at % step else "" for at in range(runs)]
    sheet.axes.set_xlim(-0.6, runs - 0.4)
    sheet.axes.set_xticks(range(runs), sheet.texts(shown))
    sheet.axes.tick_params("x", length=0)


def _changes(sheet: Sheet, changes: Mapping[int, str], runs: int) -> None:
    """A line for each; its name where there is room: marks tell the others."""
    taken = 0.0
    for at, change in sorted(changes.items()):
        name = fitted(change, 48)
        half, place = width(name) * _LOOSE / 2, (at + 0.1) / (runs + 0.2) * sheet.frame.width
        fits = taken <= place - half and place + half <= sheet.frame.width + 16
        taken = place + half if fits else taken
        sheet.guide(at - 0.5, name if fits else "", dashed=True)


def _line(sheet: Sheet, marks: Sequence[TrendMark], shift: float, look: Mapping[str, Any]) -> None:
    axes = sheet.axes
    places = [mark.at + shift for mark in marks]
    axes.plot(places, [mark.stat.value or 0.0 for mark in marks], color=INK, lw=1.2, alpha=0.5)
    for at, mark in zip(places, marks, strict=True):
        bounds = _ends(mark.stat)
        axes.plot([at, at], [min(bounds), max(bounds)], color=INK, linewidth=1.6)
        (drawn,) = axes.plot([at], [mark.stat.value or 0.0], linestyle="none", **look)
        sheet.tell(drawn, mark.seen)


def _look(line: int) -> dict[str, Any]:
    """A shape of its own; after five, the same ones hollow."""
    fill = "none" if line // len(_SHAPES) % 2 else ACCENT
    shape = _SHAPES[line % len(_SHAPES)]
    return {"marker": shape, "markerfacecolor": fill, "markeredgecolor": INK, "markersize": 8}


def _ends(stat: Stat) -> list[float]:
    return [end for end in (stat.low, stat.value, stat.high) if end is not None]
