"""What comparing two runs comes to. Differences are always B minus A."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from adjudge.core.reason import Reason, check_above_0
from adjudge.core.scale import ValueRange
from adjudge.errors import UsageError
from adjudge.stats.bootstrap import Resampling
from adjudge.stats.paired import Paired
from adjudge.stats.stat import Stat


@dataclass(frozen=True, slots=True, kw_only=True)
class CompareOptions(Resampling):
    """What a user may say about it: the keywords of `adjudge.compare`, which explains them."""

    judge_a: str | None = None
    judge_b: str | None = None
    model_a: str | None = None
    model_b: str | None = None
    criteria: tuple[str, ...] = ()
    slices: tuple[str, ...] = ()
    group: str | None = None
    match: tuple[str, ...] = ()
    detect: float | None = None
    movers: int = 5

    def __post_init__(self) -> None:
        Resampling.__post_init__(self)
        check_above_0("detect", self.detect)
        if self.movers < 0:
            raise UsageError(Reason("options.how_many").at_option("movers", self.movers))


@dataclass(frozen=True, slots=True, kw_only=True)
class Missing:
    """Shared items without a pair of scores: unscored in A alone, in B alone, in both."""

    a: int
    b: int
    both: int

    @property
    def total(self) -> int:
        return self.a + self.b + self.both


@dataclass(frozen=True, slots=True, kw_only=True)
class Mover:
    """An item with a score of both runs, and what each judge said of it; `item_b` is B's id."""

    item: str
    item_b: str
    a: float | str
    b: float | str
    why_a: str | None
    why_b: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SliceDifference:
    """The items that share a value of a column; `p` holds alone, `adjusted` among all looks."""

    column: str
    value: str | Reason
    n: int
    difference: Stat
    p: float | None
    adjusted: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Detection:
    """`power` is the chance that the pairs there are would have shown `difference`; `pairs` is how
    many show it with a chance of 80%. None where `why` says so."""

    difference: float
    power: float | None
    pairs: int | None
    why: Reason | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """A criterion whose values have an order.

    `span` is the scale that the figures are on, 0 to 1 where the two runs use different ones
    (`rescaled`); `yes` says that they are shares of yes. `unit` is the difference as a share of the
    scale. `bounds` are the difference at worst and at best, were every unscored item scored at an
    end of the scale.
    """

    span: ValueRange
    rescaled: bool
    yes: bool
    missing: Missing
    mean_a: float | None
    mean_b: float | None
    paired: Paired
    unit: Stat
    bounds: tuple[float, float]
    adjusted: float | None = None
    detection: Detection | None = None
    slices: tuple[SliceDifference, ...] = ()
    movers: tuple[Mover, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Changes:
    """A criterion whose values are names: how many items got another one, and which.

    `options` has the share of each name in A and B, with the difference; `moves` counts from → to.
    Items that the samples are divided on count as a name of their own, DIVIDED.
    """

    n: int
    missing: Missing
    changed: int
    share: Stat
    options: Mapping[str, tuple[float, float, Paired]]
    moves: Mapping[tuple[str, str], int]
    adjusted: Mapping[str, float | None]
    slices: tuple[SliceDifference, ...] = ()
    movers: tuple[Mover, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class GraderComparison:
    """One judge and model of A with one of B.

    `shared` items are in both runs; `left_out` says which criteria cannot be compared and why.
    `differs` and `cautions` are for people.
    """

    judge_a: str
    judge_b: str
    model_a: str
    model_b: str
    shared: int
    only_a: int
    only_b: int
    differs: tuple[Reason, ...]
    cautions: tuple[Reason, ...]
    criteria: Mapping[str, Difference | Changes]
    left_out: Mapping[str, Reason]


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """Two runs, a section for each judge and model that both have; `titles` is what people call the
    runs."""

    run_a: str
    run_b: str
    options: CompareOptions
    sections: tuple[GraderComparison, ...]
    titles: tuple[str, str]

    @property
    def criteria(self) -> Mapping[str, Difference | Changes]:
        """Those of the only section; UsageError where there are several."""
        if len(self.sections) != 1:
            raise UsageError(Reason("compared.several", count=len(self.sections)))
        return self.sections[0].criteria
