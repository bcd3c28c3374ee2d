"""What a plot says in words: its title, axes and legends, and its figures for those who hear it."""

from __future__ import annotations

from collections.abc import Sequence

from adjudge.stats.stat import Stat

from ..words import Words
from .intervals import StatRow
from .svg import PlotWords

MOST_READ_OUT = 20  # rows
_LEGENDS = ("unscored", "limit", "same", "good", "fair", "items")


def words_for(words: Words, plot: str, *, x: str = "x", **fields: object) -> PlotWords:
    """The words of a plot by its name; `x` picks among the wordings of its axis."""
    y = f"plot.{plot}.y"
    return PlotWords(
        title=words(f"plot.{plot}.title", **fields),
        x=words(f"plot.{plot}.{x}"),
        y=words(y) if y in words.say else "",
        seen=words(f"plot.{plot}.seen", **fields),
        raw=words("plot.mean_raw"),
        corrected=words("plot.mean_corrected"),
        figure=words.figure,
        narrow=words.narrow,
        **{name: words(f"plot.{name}") for name in _LEGENDS},
    )


def rows_words(words: Words, rows: Sequence[StatRow]) -> str:
    """The figures of some rows in a sentence; beyond twenty the others are counted."""
    listed = [
        words(
            "plot.row",
            label=row.label,
            figure=figure_words(words, row.written, "{:.0%}" if row.share else "{:.2f}"),
        )
        for row in rows[:MOST_READ_OUT]
    ]
    if len(rows) > MOST_READ_OUT:
        listed.append(words("plot.more", n=len(rows) - MOST_READ_OUT))
    return "; ".join(listed)


def figure_words(words: Words, stat: Stat, form: str = "{:.2f}") -> str:
    """A figure and its interval in words."""
    if stat.value is None:
        return words("plot.no_figure")
    value = words.figure(form.format(stat.value))
    if stat.low is None or stat.high is None:
        return value
    ends = {
        "low": words.figure(form.format(stat.low)),
        "high": words.figure(form.format(stat.high)),
    }
    return words("plot.interval", value=value, **ends)
