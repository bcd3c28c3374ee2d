"""What making a panel's verdicts one came to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from adjudge.core.reason import Reason
from adjudge.core.scale import Category, Scale, Value
from adjudge.stats.arrays import Bools, Floats
from adjudge.stats.combine import How
from adjudge.stats.stat import Stat


@dataclass(frozen=True, slots=True)
class Member:
    """One judge and model. `weight` is there where the panel is weighted, `kappa` is the agreement
    with people where there are labels."""

    judge: str
    model: str
    scored: int
    mean: Stat
    weight: float | None
    kappa: Stat | None


@dataclass(frozen=True, slots=True)
class PanelWay:
    """The panel combined in one way. `shown` is its agreement with people, `above` how much better
    it is than its best member, whose having been chosen is counted; above 0 the panel is better."""

    how: How
    shown: float | None
    above: Stat

    @property
    def verdict(self) -> str:
        """`better`, `worse`, or `undecided`."""
        if self.above.low is not None and self.above.low > 0:
            return "better"
        worse = self.above.high is not None and self.above.high < 0
        return "worse" if worse else "undecided"


@dataclass(frozen=True, slots=True)
class SmallerPanel:
    """Some of the `members`, by place. `above` is how much better they are than the whole panel,
    `share` the part of its cost, or of its calls where not all are `priced`."""

    members: tuple[int, ...]
    above: Stat
    share: float
    priced: bool


@dataclass(frozen=True, slots=True)
class PanelWorth:
    """A panel beside people's labels, over the `items` that all members scored.

    `measure` is `exact`, the share of items with the same answer, or `distance`, the mean distance
    to people in points, of which less is better. `votes` come from how members' errors go together;
    `best` is the place of the best member and `best_shown` what it shows. `ways` begin with the
    panel's own way, which `cheapest` is about: the cheapest part of the panel that is not shown to
    be worse than all of it, None where there is none.
    """

    measure: str
    items: int
    votes: Stat
    best: int
    best_shown: float
    ways: tuple[PanelWay, ...]
    cheapest: SmallerPanel | None


@dataclass(frozen=True, slots=True)
class PanelCriterion:
    """One criterion, its items in the order of `Panel.items`.

    `table` has what each member gave, NaN where it has no score, and `values` the panel's value,
    NaN where two values are `tied` or too `few` members, less than half, scored the item. Names are
    their places among the options. `disagreement` is on 0-1, NaN below two scores; `alpha` is
    Krippendorff's among the members, and `votes` how many independent members they are worth where
    only their agreement is known. `worth` is there where there are labels.
    """

    name: str
    scale: Scale
    how: How
    members: tuple[Member, ...]
    table: Floats
    values: Floats
    tied: Bools
    few: Bools
    disagreement: Floats
    alpha: Stat
    votes: Stat
    mean: Stat
    kappa: Stat | None
    worth: PanelWorth | None

    def shown(self, value: float) -> Value | None:
        """A value of the arrays as the scale has it."""
        if np.isnan(value):
            return None
        return self.scale.options[int(value)] if isinstance(self.scale, Category) else value

    def why(self, place: int) -> Reason | None:
        """Why an item has no value; None where it has one."""
        if not np.isnan(self.values[place]):
            return None
        scored = int(np.isfinite(self.table[place]).sum())
        if self.few[place]:
            return Reason("panel.few", count=scored, members=len(self.members))
        if self.tied[place]:
            return Reason("panel.tied")
        return Reason("panel.none")


@dataclass(frozen=True, slots=True)
class Panel:
    run: str
    items: tuple[str, ...]
    criteria: Mapping[str, PanelCriterion]

    def divided(self) -> list[int]:
        """The items by place, those that the members disagree on most first."""
        worst = np.max(
            [
                np.nan_to_num(criterion.disagreement, nan=-1.0)
                for criterion in self.criteria.values()
            ],
            axis=0,
        )
        return [int(place) for place in np.argsort(-worst, kind="stable")]
