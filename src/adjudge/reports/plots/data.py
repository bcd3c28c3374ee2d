"""What plots draw, and what they say in the reader's language."""

from __future__ import annotations

from dataclasses import dataclass

from adjudge.analysis.probing import Rating
from adjudge.stats.stat import Stat

Span = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Bar:
    """So many items have this value."""

    label: str
    count: int


@dataclass(frozen=True, slots=True)
class StatRow:
    """A figure with its interval; `note` stands behind it, e.g. how much went unscored. `stat` is
    where it is drawn, `as_written` how it is written where that is on another scale."""

    label: str
    stat: Stat
    note: str = ""
    as_written: Stat | None = None

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
