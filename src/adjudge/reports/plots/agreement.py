"""How far a judge agrees with people, criterion by criterion."""

from __future__ import annotations

from collections.abc import Sequence

from ..trust_words import FAIR, GOOD
from .intervals import interval_plot
from .rows import Span, StatRow
from .words import PlotWords


def agreement_plot(rows: Sequence[StatRow], words: PlotWords, limits: Span = (FAIR, GOOD)) -> str:
    """Correlations or kappas from -1 to 1; chance is 0, and `limits` are where fair and good
    begin."""
    guides = {0.0: "", limits[0]: words.fair, limits[1]: words.good}
    return interval_plot(rows, words, span=(0.0, 1.0), guides=guides)
