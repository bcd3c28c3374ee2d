"""What a plot says: titles, axes, and what there is to see for those who cannot."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from adjudge.stats.stat import Stat

from ..plots.rows import StatRow
from ..plots.words import PlotWords
from ..strings import Strings

_MOST = 20  # rows that are read out


def words_for(say: Strings, plot: str, *, x: str = "x", **fields: object) -> PlotWords:
    """The words of a plot by its name; `x` picks among the wordings of its axis."""
    y = f"plot.{plot}.y"
    return PlotWords(
        title=say(f"plot.{plot}.title", **fields),
        x=say(f"plot.{plot}.{x}"),
        y=say(y) if y in say.entries else "",
        seen=say(f"plot.{plot}.seen", **fields),
        unscored=say("plot.unscored"),
        raw=say("plot.mean_raw"),
        corrected=say("plot.mean_corrected"),
        limit=say("plot.limit"),
        same=say("plot.same"),
        good=say("plot.good"),
        fair=say("plot.fair"),
        items=say("plot.items"),
    )


def rows_words(say: Strings, rows: Sequence[StatRow]) -> str:
    """The figures of some rows in a sentence; beyond twenty the others are counted."""
    told = [
        say("plot.row", label=row.label, figure=figure_words(say, row.written))
        for row in rows[:_MOST]
    ]
    if len(rows) > _MOST:
        told.append(say("plot.more", n=len(rows) - _MOST))
    return "; ".join(told)


def figure_words(say: Strings, stat: Stat) -> str:
    """A figure and its interval in words."""
    return _words(say, stat, lambda value: f"{value:.2f}")


def share_words(say: Strings, stat: Stat) -> str:
    return _words(say, stat, lambda value: f"{value:.0%}")


def _words(say: Strings, stat: Stat, shown: Callable[[float], str]) -> str:
    if stat.value is None:
        return say("plot.no_figure")
    if stat.low is None or stat.high is None:
        return shown(stat.value)
    ends = {"low": shown(stat.low), "high": shown(stat.high)}
    return say("plot.interval", value=shown(stat.value), **ends)
