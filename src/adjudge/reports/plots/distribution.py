"""How many items have which score, and how many have none."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..figures import share
from .sheet import ACCENT, LETTER, WIDTH, Frame, Sheet, cells, draw_svg, fitted, room_for
from .svg import INK, PlotWords

_LEFT, _RIGHT = 64, 16
_HEIGHT, _STEP = 200, 26
_GAP = 0.6  # what stands apart is no score
_LONGEST = 32
MOST = 40


@dataclass(frozen=True, slots=True)
class Bar:
    """So many items have this value; `ask` filters them."""

    label: str
    count: int
    ask: str = ""


def distribution_plot(
    bars: Sequence[Bar], unscored: int, words: PlotWords, ask_unscored: str = ""
) -> str:
    """Upright bars where their names have room side by side, else lying ones.

    What went unscored is a hatched bar that stands apart.
    """
    shown = _fewer(bars)
    labels = [fitted(bar.label, _LONGEST) for bar in shown] + [words.unscored] * bool(unscored)
    counts = [bar.count for bar in shown] + [unscored] * bool(unscored)
    places = [float(at) for at in range(len(shown))] + [len(shown) + _GAP] * bool(unscored)
    upright = _room_for(labels, bool(unscored))
    look: list[dict[str, Any]] = [{"facecolor": ACCENT, "edgecolor": INK}] * len(shown)
    look += [{"facecolor": "none", "edgecolor": INK, "hatch": "////"}] * bool(unscored)

    def draw(sheet: Sheet) -> None:
        axes = sheet.axes
        asked = [bar.ask for bar in shown] + [ask_unscored] * bool(unscored)
        total = max(sum(counts), 1)
        drawn = zip(places, counts, look, labels, asked, strict=True)
        for at, count, how, label, ask in drawn:
            (bar,) = (axes.bar if upright else axes.barh)(at, count, 0.8, linewidth=1, **how)
            told = words.figure(f"{count:,} ({share(count, total)})")
            sheet.tell(bar, f"{label}: {told}", ask)
        ends = (-0.6, (places[-1] if places else 0) + 0.6)
        most = max([*counts, 1]) * 1.12
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
        sheet.ticks(axes.yaxis if upright else axes.xaxis, integer=True)
        sheet.grid("y" if upright else "x")
        _write(sheet, places, counts, upright=upright)

    if upright:
        return draw_svg(words, Frame.between(_LEFT, _RIGHT, _HEIGHT), draw)
    height = _STEP * (len(labels) + 0.4)
    return draw_svg(words, Frame.between(room_for(labels) + 22, 24, height), draw)


def _room_for(labels: list[str], apart: bool) -> bool:
    """Whether names fit below upright bars; the last one has more room where it stands apart."""
    step = (WIDTH - _LEFT - _RIGHT) / (len(labels) + apart * _GAP + 0.2)
    rooms = [step] * len(labels)
    if apart:
        rooms[-1] += step * _GAP
    return all(cells(text) * LETTER <= room for text, room in zip(labels, rooms, strict=True))


def _write(sheet: Sheet, places: list[float], counts: list[int], *, upright: bool) -> None:
    """The counts at the ends of their bars."""
    for at, count in zip(places, counts, strict=True):
        where, shift = ((at, count), (0, 3)) if upright else ((count, at), (4, 0))
        sheet.axes.annotate(
            sheet.numbers(f"{count:,}"),
            where,
            shift,
            textcoords="offset points",
            ha="center" if upright else "left",
            va="bottom" if upright else "center_baseline",
        )


def _fewer(bars: Sequence[Bar]) -> list[Bar]:
    """At most 40 bars; those beyond are one."""
    if len(bars) <= MOST:
        return list(bars)
    rest = bars[MOST - 1 :]
    return [*bars[: MOST - 1], Bar(f"… +{len(rest)}", sum(bar.count for bar in rest))]
