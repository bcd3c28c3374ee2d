"""Plots of figures with their intervals, one row below the other: means, differences, rankings,
agreement, corrected means, probes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from adjudge.analysis.probing import Rating
from adjudge.stats.stat import Stat

from ..figures import percent, plain, signed
from .sheet import ACCENT, Frame, Key, Sheet, Span, draw_svg, fitted, room_for
from .svg import INK, PlotWords

_NO_GUIDES: Mapping[float, str] = MappingProxyType({})
_STEP = 28  # pixels from row to row
_OVER, _MARGIN = 20, 14  # more where texts stand over the rows; at both sides of those
MOST = 40  # rows that can be distinguished
_EDGE = {"markersize": 8, "markeredgecolor": INK, "markeredgewidth": 1.2}
_FULL: Mapping[str, Any] = {"marker": "s", "markerfacecolor": ACCENT, **_EDGE}
_HOLLOW: Mapping[str, Any] = {"marker": "o", "markerfacecolor": "none", **_EDGE}
_LONGEST = 36  # letters of a label
_TWO_MARKS = 44  # pixels from row to row
_APART = 0.19
_LIMIT: Mapping[str, Any] = {
    "marker": "|",
    "color": INK,
    "markersize": 20,
    "markeredgewidth": 3,
    "alpha": 0.6,
}
_ROOM = 0.06  # free at both ends, as a share of what is drawn


@dataclass(frozen=True, slots=True)
class StatRow:
    """A figure with its interval; `note` stands behind it, e.g. how much went unscored. `stat` is
    where it is drawn, `as_written` how it is written where that is on another scale, in percent if
    it is a `share`. `ask` filters its items."""

    label: str
    stat: Stat
    note: str = ""
    as_written: Stat | None = None
    ask: str = ""
    share: bool = False

    @property
    def written(self) -> Stat:
        return self.as_written or self.stat


@dataclass(frozen=True, slots=True)
class CorrectedRow:
    """The judge's mean and the one that people would give; `as_written` has both as text shows them
    where they are drawn on another scale."""

    label: str
    raw: Stat
    corrected: Stat
    as_written: tuple[Stat, Stat] | None = None

    @property
    def written(self) -> tuple[Stat, Stat]:
        return self.as_written or (self.raw, self.corrected)


@dataclass(frozen=True, slots=True)
class ProbeRow:
    """What a probe did to the scores, and the most that it may do; both are shares of 1."""

    label: str
    effect: Stat
    limit: float
    rating: Rating


def differences_plot(rows: Sequence[StatRow], words: PlotWords) -> str:
    """An interval that does not touch the line at 0 is a difference that chance hardly made. Of
    strengths in log-odds, 0 is the mean over the systems."""
    return interval_plot(rows, words, guides={0.0: ""}, differences=True)


def agreement_plot(rows: Sequence[StatRow], words: PlotWords, reached: Span) -> str:
    """Correlations or kappas from -1 to 1; chance is 0, and `reached` are where fair and good
    begin."""
    guides = {0.0: "", reached[0]: words.fair, reached[1]: words.good}
    return interval_plot(rows, words, span=(0.0, 1.0), guides=guides)


def corrected_plot(rows: Sequence[CorrectedRow], words: PlotWords, span: Span | None = None) -> str:
    """Two marks per row: hollow for the judge's mean, full for the corrected one."""
    labels = [fitted(row.label, 32) for row in rows]
    figures = [words.figure(plain(row.written[1])) for row in rows]
    beneath = [words.figure(plain(row.written[0])) for row in rows]
    top = 74 if words.narrow else 66
    frame = _frame(words, labels, [*figures, *beneath], len(rows), top, step=_TWO_MARKS)

    def draw(sheet: Sheet) -> None:
        low, high = _limits([stat for row in rows for stat in (row.raw, row.corrected)], span, ())
        _rows_on(sheet, labels, figures if words.narrow else ["" for _ in rows], _APART)
        sheet.axes.set_xlim(low, high)
        for at, row in enumerate(rows):
            for stat, text, place, hollow in (
                (row.raw, beneath[at], at - _APART, True),
                (row.corrected, figures[at], at + _APART, False),
            ):
                _mark(sheet, place, stat, hollow=hollow)
                if not words.narrow:
                    sheet.beside(place, text)
        sheet.legend([Key(_HOLLOW, words.raw), Key(_FULL, words.corrected)])

    return draw_svg(words, frame, draw)


def probes_plot(rows: Sequence[ProbeRow], words: PlotWords) -> str:
    """A mark with its interval per probe, hollow where nothing is wrong, and a bar at its limit."""
    labels = [fitted(row.label, 32) for row in rows]
    figures = [words.figure(percent(row.effect)) for row in rows]
    frame = _frame(words, labels, figures, len(rows), 66)

    def draw(sheet: Sheet) -> None:
        axes, effects = sheet.axes, [row.effect for row in rows]
        _rows_on(sheet, labels, figures)
        axes.set_xlim(_limits(effects, None, [0.0, *(row.limit for row in rows)]))
        axes.xaxis.set_major_formatter(lambda value, _: f"{value:.0%}".replace("-", "−"))
        sheet.guide(0.0)
        for at, row in enumerate(rows):
            axes.plot([row.limit], [at], linestyle="none", **_LIMIT)
            _mark(sheet, at, row.effect, hollow=row.rating in ("fine", "unclear"))
        sheet.legend([Key(_LIMIT, words.limit)])

    return draw_svg(words, frame, draw)


def interval_plot(
    rows: Sequence[StatRow],
    words: PlotWords,
    *,
    span: Span | None = None,
    guides: Mapping[float, str] = _NO_GUIDES,
    differences: bool = False,
) -> str:
    """A mark with its interval per row, the figures written out at the right.

    The axis covers `span` and all that there is to see, `guides` included: lines with their names.
    Beyond 40 rows the rest is counted in a last one.
    """
    shown, form = _fewer(rows), signed if differences else plain
    labels = [fitted(row.label, _LONGEST) for row in shown]
    written = [words.figure((percent if row.share else form)(row.written)) for row in shown]
    figured = [
        " · ".join(filter(None, (figure, row.note)))
        for figure, row in zip(written, shown, strict=True)
    ]
    figures = written if words.narrow else figured
    top = 62 if any(guides.values()) else 44
    frame = _frame(words, labels, figures, len(shown), top)

    def draw(sheet: Sheet) -> None:
        low, high = _limits([row.stat for row in shown], span, list(guides))
        _rows_on(sheet, labels, figures)
        sheet.axes.set_xlim(low, high)
        for guide, name in guides.items():
            sheet.guide(guide, name)
        for at, row in enumerate(shown):
            _mark(sheet, at, row.stat, mark=(f"{row.label}: {figured[at]}", row.ask))

    return draw_svg(words, frame, draw)


def _frame(
    words: PlotWords,
    labels: list[str],
    figures: list[str],
    rows: int,
    top: float,
    *,
    step: int = _STEP,
) -> Frame:
    """On a telephone names and figures stand over the rows, which have the whole width."""
    if words.narrow:
        return Frame.between(words, _MARGIN, _MARGIN, (step + _OVER) * max(rows, 1), top)
    return Frame.between(words, room_for(labels), room_for(figures, 600), step * max(rows, 1), top)


def _rows_on(sheet: Sheet, labels: list[str], figures: list[str], apart: float = 0.0) -> None:
    """Names the rows and tells their figures, the first one on top; `apart` is how far above the
    middle of its row a mark stands."""
    axes = sheet.axes
    axes.spines["left"].set_visible(False)
    sheet.grid("x")
    if sheet.words.narrow:
        axes.set_ylim(max(len(labels), 1) - 0.7, -0.7)
        axes.set_yticks([])
        for at, (label, figure) in enumerate(zip(labels, figures, strict=True)):
            sheet.above(at - apart, label, figure)
        return
    axes.set_ylim(max(len(labels), 1) - 0.5, -0.5)
    axes.set_yticks(range(len(labels)), sheet.texts(labels))
    axes.tick_params("y", length=0)
    for at, text in enumerate(figures):
        sheet.beside(at, text)


def _mark(
    sheet: Sheet,
    at: float,
    stat: Stat,
    *,
    hollow: bool = False,
    mark: tuple[str, str] = ("", ""),
) -> None:
    """The value with its interval; nothing where there is none."""
    if stat.value is None:
        return
    if stat.low is not None and stat.high is not None:
        style = (0, (3, 2)) if hollow else "-"
        sheet.axes.plot([stat.low, stat.high], [at, at], color=INK, linewidth=1.6, linestyle=style)
        sheet.axes.plot([stat.low, stat.high], [at, at], "|", color=INK, markersize=10)
    look = _HOLLOW if hollow else _FULL
    (drawn,) = sheet.axes.plot([stat.value], [at], linestyle="none", **look)
    sheet.tell(drawn, *mark)


def _limits(stats: Sequence[Stat], span: Span | None, guides: Sequence[float]) -> Span:
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
