"""How strong systems are, the strongest first."""

from __future__ import annotations

from collections.abc import Sequence

from .intervals import interval_plot
from .rows import StatRow
from .words import PlotWords


def ranking_plot(rows: Sequence[StatRow], words: PlotWords) -> str:
    """Strengths in log-odds; 0 is the mean over the systems."""
    return interval_plot(rows, words, guides={0.0: ""}, differences=True)
