"""Differences between two runs, with their intervals, against none at all."""

from __future__ import annotations

from collections.abc import Sequence

from .intervals import interval_plot
from .rows import StatRow
from .words import PlotWords


def differences_plot(rows: Sequence[StatRow], words: PlotWords) -> str:
    """An interval that does not touch the line at 0 is a difference that chance hardly made."""
    return interval_plot(rows, words, guides={0.0: ""}, differences=True)
