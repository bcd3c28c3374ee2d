"""Labels of one set of rows, weighed so that they speak for another set: how far, and whether.

What is compared are traits that both sets have, such as the judge's scores or the language. Where
a trait is distributed otherwise, the labelled rows are weighed until it is alike (raking), and
count as fewer. Rows unlike any labelled one are in no weight: nothing is known about them.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from adjudge.stats.arrays import Floats, Ints
from adjudge.stats.bootstrap import Groups, clusters
from adjudge.stats.mean import t_quantile
from adjudge.stats.random_draw import LIMIT, drawn_at_random
from adjudge.stats.stat import Stat

_CUTS = (0.2, 0.4, 0.6, 0.8)  # of the labelled rows' numbers
_ROUNDS = 50
_SHOWN = 3  # names
_UNKNOWN = -1


@dataclass(frozen=True, slots=True)
class Trait:
    """One thing that is known of labelled rows and of others: numbers (NaN where not known) or
    names (None where not)."""

    name: str
    labelled: Sequence[float] | Sequence[str | None]
    others: Sequence[float] | Sequence[str | None]
    named: bool = False


@dataclass(frozen=True, slots=True)
class Shift:
    """A trait that differs. `then` and `now` are the means of numbers, or the commonest names, of
    labelled rows and of others; `uncovered` is the share of others that no labelled row is like.
    `of` has the part that each labelled row is in, and `target` the share of others in each."""

    name: str
    then: float | tuple[str, ...]
    now: float | tuple[str, ...]
    uncovered: float
    of: Ints
    target: Floats


@dataclass(frozen=True, slots=True)
class Transport:
    """What differs, the weight of each labelled row (1 on average), how many independent rows they
    are worth (`effective`), and the share of others that is like no labelled row."""

    shifts: tuple[Shift, ...]
    weights: Floats
    effective: float
    uncovered: float


def transport(traits: Sequence[Trait], rows: int, groups: Groups = None) -> Transport:
    """From `rows` labelled rows in `groups` to the others.

    A trait differs where a random draw would hardly look like this, as in `drawn_at_random`, or
    would hardly miss so many of the others; the limit is divided among the traits.
    """
    limit = LIMIT / max(len(traits), 1)
    compared = (_names(trait, limit) if trait.named else _numbers(trait, limit) for trait in traits)
    shifts = tuple(shift for shift in compared if shift is not None)
    weights = _raked(shifts, rows)
    sums = clusters(groups, rows).sums(weights)
    squares = float(np.square(sums).sum())
    effective = float(sums.sum()) ** 2 / squares if squares else 0.0
    uncovered = max((shift.uncovered for shift in shifts), default=0.0)
    return Transport(shifts, weights, effective, uncovered)


def weighted_mean(values: Floats, weights: Floats, groups: Groups, confidence: float) -> Stat:
    """The mean of weighted rows, with a cluster-robust interval; with equal weights it is that of
    `mean`. Needs two clusters and a weight above 0."""
    within, total = clusters(groups, len(values)), float(weights.sum())
    value = float((weights * values).sum()) / total
    squares = float(np.square(within.sums(weights * (values - value))).sum())
    error = math.sqrt(within.count / (within.count - 1) * squares) / total
    sums = within.sums(weights)
    effective = total**2 / float(np.square(sums).sum())
    return Stat.around(value, t_quantile(confidence, max(1, round(effective) - 1)) * error)


def _numbers(trait: Trait, limit: float) -> Shift | None:
    labelled, others = (np.asarray(side, np.float64) for side in (trait.labelled, trait.others))
    here, there = labelled[np.isfinite(labelled)], others[np.isfinite(others)]
    if not len(here) or not len(there):
        return None
    outside = (there < here.min()) | (there > here.max())
    if not _differs(here, there, int(outside.sum()), limit):
        return None
    cuts = np.unique(np.quantile(here, _CUTS, method="inverted_cdf"))
    of = np.where(np.isfinite(labelled), np.searchsorted(cuts, labelled), _UNKNOWN)
    inside = np.searchsorted(cuts, there[~outside])
    means = float(here.mean()), float(there.mean())
    return _shift(trait.name, means, of.astype(np.intp), inside.astype(np.intp), len(there))


def _names(trait: Trait, limit: float) -> Shift | None:
    places = {name: at for at, name in enumerate(sorted({*map(str, _known(trait.labelled))}))}
    covered = len(places)
    here = np.array([places.get(str(name), _UNKNOWN) for name in trait.labelled], np.intp)
    for name in _known(trait.others):
        places.setdefault(str(name), len(places))
    there = np.array([places[str(name)] for name in _known(trait.others)], np.intp)
    known = here[here != _UNKNOWN]
    if not len(known) or not len(there):
        return None
    inside = there[there < covered]
    missed = len(there) - len(inside)
    if not _differs(known.astype(np.float64), there.astype(np.float64), missed, limit):
        return None
    common = _commonest(trait.labelled), _commonest(trait.others)
    return _shift(trait.name, common, here, inside, len(there))


def _known(names: Sequence[object]) -> list[object]:
    return [name for name in names if name is not None]


def _commonest(names: Sequence[object]) -> tuple[str, ...]:
    return tuple(str(name) for name, _ in Counter(_known(names)).most_common(_SHOWN))


def _differs(here: Floats, there: Floats, missed: int, limit: float) -> bool:
    draw = drawn_at_random(here, there)
    return (draw.p is not None and draw.p < limit) or _by_chance(here, there, missed) < limit


def _by_chance(here: Floats, there: Floats, missed: int) -> float:
    """How likely a random draw of so many labelled rows has none of the `missed` ones."""
    total, others = len(here) + len(there), len(there)
    ways = math.lgamma(others + 1) - math.lgamma(others - missed + 1)
    return math.exp(ways + math.lgamma(total - missed + 1) - math.lgamma(total + 1))


def _shift(
    name: str,
    means: tuple[float, float] | tuple[tuple[str, ...], tuple[str, ...]],
    of: Ints,
    inside: Ints,
    others: int,
) -> Shift:
    parts = int(max(of.max(initial=0), inside.max(initial=0))) + 1
    target = np.bincount(inside, minlength=parts) / max(len(inside), 1)
    then, now = means
    return Shift(name, then, now, 1 - len(inside) / others, of, target)


def _raked(shifts: Sequence[Shift], rows: int) -> Floats:
    """Weights under which each trait that differs has the distribution that it has in the others;
    what is not known of a row does not move it."""
    weights = np.ones(rows)
    for _ in range(_ROUNDS if len(shifts) > 1 else len(shifts)):
        for shift in shifts:
            known = shift.of != _UNKNOWN
            sums = np.bincount(shift.of[known], weights[known], len(shift.target))
            factors = np.divide(
                shift.target * sums.sum(), sums, out=np.zeros_like(sums), where=sums > 0
            )
            weights[known] *= factors[shift.of[known]]
    average = float(weights.mean())
    return weights / average if average else weights
