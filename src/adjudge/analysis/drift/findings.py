"""What asking the same items again found out."""

from __future__ import annotations

from dataclasses import dataclass

from adjudge.stats.stat import Stat


@dataclass(frozen=True, slots=True)
class DriftMeasure:
    """One figure of a check beside the first check, over the `n` items that both have.

    `name` is a criterion, with `option` for the share of one name, or "" for the share of items
    without any score. `difference` is this check minus the first, on the criterion's scale (of
    shares on 0-1); `changed` counts the items with another value. It is an alarm where `p` is not
    above `level`. A shift of `detectable` would be found at once in nine of ten cases; None where
    that is not known.
    """

    name: str
    option: str
    n: int
    changed: int
    difference: Stat
    p: float
    level: float
    detectable: float | None

    @property
    def alarm(self) -> bool:
        return self.p <= self.level


@dataclass(frozen=True, slots=True)
class DriftCheck:
    """`number` counts from 0, the first check, which has no measures. `versions` are what the
    provider calls the model that answered."""

    run: str
    number: int
    when: str
    unscored: int
    versions: tuple[str, ...]
    measures: tuple[DriftMeasure, ...] = ()

    @property
    def alarms(self) -> tuple[DriftMeasure, ...]:
        return tuple(measure for measure in self.measures if measure.alarm)


@dataclass(frozen=True, slots=True)
class Drift:
    """One judge and model on the same anchors, all checks in the order of their time. `left_out`
    are runs before the first check in which most items had no score: nothing is held to them.
    `too_few` says that no change of so few items can raise an alarm at the latest check."""

    judge: str
    model: str
    anchors: str
    items: int
    alpha: float
    too_few: bool
    left_out: tuple[str, ...]
    checks: tuple[DriftCheck, ...]

    @property
    def alarm(self) -> bool:
        """Whether the latest check raises one."""
        return bool(self.checks and self.checks[-1].alarms)

    @property
    def changes(self) -> tuple[tuple[DriftCheck, tuple[str, ...], tuple[str, ...]], ...]:
        """The checks at which other versions answered than before, with both."""
        pairs = zip(self.checks, self.checks[1:], strict=False)
        return tuple(
            (later, former.versions, later.versions)
            for former, later in pairs
            if former.versions != later.versions
        )
