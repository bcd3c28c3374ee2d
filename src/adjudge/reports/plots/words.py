"""What a plot says, in the reader's language."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class PlotWords:
    """`x` and `y` name the axes with their units; `seen` tells in words what there is to see, for
    those who cannot. The others stand in legends."""

    title: str
    x: str
    y: str = ""
    seen: str = ""
    unscored: str = "unscored"
    raw: str = "judge's mean"
    corrected: str = "corrected mean"
    limit: str = "limit"
    same: str = "same value"
    good: str = "good"
    fair: str = "fair"
    items: str = "items"
