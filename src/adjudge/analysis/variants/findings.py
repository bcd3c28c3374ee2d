"""What was found about variants: judges with models, beside people's labels."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from adjudge.core.reason import Reason
from adjudge.core.scale import Scale
from adjudge.stats.stat import Stat


@dataclass(frozen=True, slots=True, kw_only=True)
class Variant:
    """One judge with one model on one criterion.

    `agreement` is the measure that was chosen, over the items that all variants scored, with an
    interval of its own. `bias` is the mean of judge minus people; `unscored` counts labelled items
    without a score. `cost` is USD and `seconds` the time of 1,000 verdicts one after the other,
    `flips` the share of pairs of samples that differ; None where it is not known, as where
    all replies came from the cache. `p` says whether
    it is as good as the best, None for the best itself.
    """

    judge: str
    model: str
    agreement: Stat
    bias: Stat
    unscored: int
    cost: float | None
    seconds: float | None
    flips: float | None
    p: float | None

    @property
    def name(self) -> str:
        return f"{self.judge} by {self.model}"


@dataclass(frozen=True, slots=True, kw_only=True)
class CriterionVariants:
    """One criterion: the variants, best first. `corrected` is the best one's agreement with its
    being chosen counted. `decided` are those that are shown to be worse than the best; `cheapest`
    is the cheapest that is not. `left_out` says of which variants nothing can be said, and why;
    people are divided on `split` further items."""

    name: str
    scale: Scale
    measure: str
    items: int
    split: int
    variants: tuple[Variant, ...]
    corrected: Stat
    decided: tuple[str, ...]
    cheapest: str | None
    left_out: Mapping[str, Reason]

    @property
    def best(self) -> Variant:
        return self.variants[0]


@dataclass(frozen=True, slots=True)
class Variants:
    """A run of several judges and models beside people's labels. `left_out` says why a criterion
    is not among the `criteria`."""

    run: str
    confidence: float
    criteria: Mapping[str, CriterionVariants]
    left_out: Mapping[str, Reason]
