"""What plots draw a line or a bar for."""

from __future__ import annotations

from dataclasses import dataclass

from adjudge.analysis.probing.findings import Rating
from adjudge.stats.stat import Stat

Span = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Bar:
    """So many items have this value."""

    label: str
    count: int


@dataclass(frozen=True, slots=True)
class StatRow:
    """A figure with its interval; `note` stands behind it, e.g. how much went unscored."""

    label: str
    stat: Stat
    note: str = ""


@dataclass(frozen=True, slots=True)
class CorrectedRow:
    """The judge's mean and the one that people would give."""

    label: str
    raw: Stat
    corrected: Stat


@dataclass(frozen=True, slots=True)
class ProbeRow:
    """What a probe did to the scores, and the most that it may do; both are shares of 1."""

    label: str
    effect: Stat
    limit: float
    rating: Rating
