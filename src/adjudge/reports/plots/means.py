"""Means with their intervals, over criteria, graders or parts of the data."""

from __future__ import annotations

from collections.abc import Sequence

from .intervals import interval_plot
from .rows import Span, StatRow
from .words import PlotWords


def means_plot(rows: Sequence[StatRow], words: PlotWords, span: Span | None = None) -> str:
    """`span` is the scale that the means are on; without it the axis covers what is there."""
    return interval_plot(rows, words, span=span)
