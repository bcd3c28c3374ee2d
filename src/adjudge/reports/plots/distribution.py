"""How many items have which score, and how many have none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..figures import share
from .sheet import (
    ACCENT,
    LETTER,
    Frame,
    Key,
    Sheet,
    cells,
    draw_svg,
    fitted,
    legend_lines,
    room_for,
    sheet_width,
)
from .svg import INK, PlotWords

_LEFT, _RIGHT = 64, 16
_HEIGHT, _STEP = 200, 26
# Different without colour, too.
_LOOKS: tuple[Mapping[str, Any], ...] = (
    {"facecolor": ACCENT},
    {"facecolor": "none"},
    {"facecolor": "none", "hatch": "////"},
    {"facecolor": ACCENT, "alpha": 0.35},
)
_UNSCORED: Mapping[str, Any] = {"facecolor": "none", "hatch": "////"}
MOST_SERIES = len(_LOOKS)
_GAP = 0.6  # what stands apart is no score
_LONGEST = 32
MOST = 40


@dataclass(frozen=True, slots=True)
class Bar:
    """So many items have this value; `ask` filters them."""

    label: str
    count: int
    ask: str = ""


@dataclass(frozen=True, slots=True)
class Series:
    """The bars of one model or run, with what it is called; `ask_unscored` filters those without a
    score."""

    name: str
    bars: Sequence[Bar]
    unscored: int = 0
    ask_unscored: str = ""


def distribution_plot(series: Sequence[Series], words: PlotWords) -> str:
    """Upright bars where their names have room side by side, else lying ones; what went unscored
    stands apart.

    One series is counted, and its unscored bar is hatched. Several have the same labels; their bars
    stand beside each other, as shares of the items of each.
    """
    shown = [_fewer(one.bars) for one in series]
    apart = any(one.unscored for one in series)
    labels = [fitted(bar.label, _LONGEST) for bar in (shown or [[]])[0]]
    labels += [words.unscored] * apart
    places = [float(at) for at in range(len(labels) - apart)] + [len(labels) - 1 + _GAP] * apart
    upright = _room_for(labels, apart, sheet_width(words))
    keys = [Key(look, one.name) for look, one in zip(_LOOKS, series, strict=False)]
    keys = keys if len(series) > 1 else []
    thick = 0.8 / max(len(series), 1)

    def draw(sheet: Sheet) -> None:
        most = 0.0
        for n, (one, bars) in enumerate(zip(series, shown, strict=True)):
            drawn = [*bars, Bar(words.unscored, one.unscored, one.ask_unscored)][: len(places)]
            shift = (n - (len(series) - 1) / 2) * thick
            looks = [_LOOKS[n]] * len(bars) + [_LOOKS[n] if keys else _UNSCORED] * apart
            row = _Row(drawn, [place + shift for place in places], looks, thick, upright=upright)
            most = max(most, row.draw(sheet, one.name if keys else ""))
        _frame(sheet, labels, places, (most or 1) * 1.12, upright=upright)
        _measure(sheet, upright=upright, shares=bool(keys))
        sheet.legend(keys)

    top = 44 + 22 * legend_lines(keys, words)
    if upright:
        return draw_svg(words, Frame.between(words, _LEFT, _RIGHT, _HEIGHT, top), draw)
    height = _STEP * (len(labels) + 0.4) * max(1, 0.6 * len(series))
    return draw_svg(words, Frame.between(words, room_for(labels) + 22, 24, height, top), draw)


@dataclass(frozen=True, slots=True)
class _Row:
    """The bars of one series, each at its place."""

    bars: Sequence[Bar]
    places: Sequence[float]
    looks: Sequence[Mapping[str, Any]]
    thick: float
    upright: bool

    def draw(self, sheet: Sheet, name: str) -> float:
        """The highest: a share of all where the series has a name; else a count, which is written
        at the end of its bar."""
        total = max(sum(bar.count for bar in self.bars), 1)
        heights = [bar.count / total if name else bar.count for bar in self.bars]
        add = sheet.axes.bar if self.upright else sheet.axes.barh
        drawn = zip(self.bars, self.places, heights, self.looks, strict=True)
        for bar, at, height, look in drawn:
            (field,) = add(at, height, self.thick, linewidth=1, edgecolor=INK, **look)
            shown = sheet.words.figure(f"{bar.count:,} ({share(bar.count, total)})")
            sheet.tell(field, f"{name}, {bar.label}: {shown}".removeprefix(", "), bar.ask)
            if not name:
                self._write(sheet, at, bar.count)
        return max(heights, default=0.0)

    def _write(self, sheet: Sheet, at: float, count: int) -> None:
        where, shift = ((at, count), (0, 3)) if self.upright else ((count, at), (4, 0))
        sheet.axes.annotate(
            sheet.numbers(f"{count:,}"),
            where,
            shift,
            textcoords="offset points",
            ha="center" if self.upright else "left",
            va="bottom" if self.upright else "center_baseline",
        )


def _frame(
    sheet: Sheet, labels: list[str], places: list[float], most: float, *, upright: bool
) -> None:
    axes, words = sheet.axes, sheet.words
    ends = (-0.6, (places[-1] if places else 0) + 0.6)
    if upright:
        axes.set_xticks(places, sheet.texts(labels))
        axes.set_xlim(ends)
        axes.set_ylim(0, most)
        axes.tick_params("x", length=0)
    else:
        axes.set_yticks(places, sheet.texts(labels))
        axes.set_ylim(*reversed(ends))
        axes.set_xlim(0, most)
        axes.tick_params("y", length=0)
        axes.set_xlabel(sheet.text(words.y))
        axes.set_ylabel(sheet.text(words.x))


def _measure(sheet: Sheet, *, upright: bool, shares: bool) -> None:
    """Numbers along the axis of how many."""
    axis = sheet.axes.yaxis if upright else sheet.axes.xaxis
    sheet.ticks(axis, integer=not shares)
    if shares:
        axis.set_major_formatter(lambda value, _: f"{value:.0%}")
    sheet.grid("y" if upright else "x")


def _room_for(labels: list[str], apart: bool, whole: int) -> bool:
    """Whether names fit below upright bars; the last one has more room where it stands apart."""
    step = (whole - _LEFT - _RIGHT) / (len(labels) + apart * _GAP + 0.2)
    rooms = [step] * len(labels)
    if apart:
        rooms[-1] += step * _GAP
    return all(cells(text) * LETTER <= room for text, room in zip(labels, rooms, strict=True))


def _fewer(bars: Sequence[Bar]) -> list[Bar]:
    """At most 40 bars; those beyond are one."""
    if len(bars) <= MOST:
        return list(bars)
    rest = bars[MOST - 1 :]
    return [*bars[: MOST - 1], Bar(f"… +{len(rest)}", sum(bar.count for bar in rest))]
