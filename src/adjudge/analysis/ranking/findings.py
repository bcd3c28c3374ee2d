"""What ranking the systems of a run comes to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from adjudge.core.reason import Reason
from adjudge.errors import UsageError
from adjudge.stats.bootstrap import Resampling
from adjudge.stats.length_control import LengthControlledRate
from adjudge.stats.position_bias import PositionBias
from adjudge.stats.stat import Stat


@dataclass(frozen=True, slots=True, kw_only=True)
class RankOptions(Resampling):
    """What a user may say about it: the keywords of `adjudge.rank`, which explains them."""

    a: str | None = None
    b: str | None = None
    system: str | None = None
    group: str | None = None
    by: tuple[str, ...] = ()
    baseline: str | None = None
    variants: tuple[str, ...] = ()
    judge: str | None = None
    model: str | None = None
    criteria: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        Resampling.__post_init__(self)
        if (self.a is None) != (self.b is None):
            raise UsageError(Reason("ranking.both_columns"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """One system. `n` comparisons count for it, `unscored` more have no result.

    `strength` is Bradley and Terry's, in log-odds with mean 0 over the systems; `best` and `worst`
    are the places that the data leave open to it. `win_rate` is on 0-1, a tie counting half, and
    `bounds` are what it could be at worst and at best, were the unscored comparisons lost or won.
    `mean` is its mean score, where a judge scored it alone, and `controlled` its win rate against
    the baseline at equal length, where it has one.
    """

    system: str
    n: int
    unscored: int
    strength: Stat
    best: int
    worst: int
    win_rate: Stat
    bounds: tuple[float, float]
    mean: Stat | None = None
    controlled: LengthControlledRate | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranked:
    """`standings` are in order of strength, or of win rate where there is no common scale.

    `wins` has, by winner and loser, how often the one beat the other. `open_between` are neighbours
    whose order the data leave open. Of the comparisons, `weighed` count by the probabilities of
    their results, so that none of these is among the `ties`. `questions` is how many independent
    ones there are; `cautions` are for people.
    """

    standings: tuple[Standing, ...]
    wins: Mapping[tuple[str, str], float]
    open_between: tuple[tuple[str, str], ...]
    comparisons: int
    ties: int
    unscored: int
    questions: int
    weighed: int = 0
    cautions: tuple[Reason, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RankingSlice:
    """The ranking over the rows that share a value of a column."""

    column: str
    value: str | Reason
    ranked: Ranked


@dataclass(frozen=True, slots=True, kw_only=True)
class RankingPart:
    """One criterion by one judge and model. `position` is there where pairs were judged in both
    orders, `baseline` where win rates at equal length could be had; `variants` hold these."""

    judge: str
    model: str
    criterion: str
    ranked: Ranked
    position: PositionBias | None = None
    baseline: str | None = None
    variants: tuple[str, ...] = ()
    slices: tuple[RankingSlice, ...] = ()
    cautions: tuple[Reason, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranking:
    """A run; `left_out` says what of it cannot be ranked and why, `title` what people call it."""

    run: str
    options: RankOptions
    parts: tuple[RankingPart, ...]
    left_out: Mapping[str, Reason]
    title: str = ""

    @property
    def standings(self) -> tuple[Standing, ...]:
        """Those of the only part; UsageError where there are several."""
        if len(self.parts) != 1:
            raise UsageError(Reason("ranking.several", count=len(self.parts)))
        return self.parts[0].ranked.standings
