"""The paired difference of a criterion whose values have an order."""

from __future__ import annotations

import math

import numpy as np

from adjudge.core.scale import Scale
from adjudge.errors import UsageError
from adjudge.stats.arrays import Floats
from adjudge.stats.clusters import Groups, clusters
from adjudge.stats.mean import standard_error
from adjudge.stats.paired import paired_difference
from adjudge.stats.power import pairs_needed, power_of
from adjudge.stats.stat import Stat

from .comparison import CompareOptions, Detection, Difference
from .movers import movers
from .pairing import Names, Pairing, scored
from .slices import sliced
from .spans import Span, span

_UNIT = (0.0, 1.0)
_POWER = 0.8


def difference_in(pairing: Pairing, names: Names, options: CompareOptions) -> Difference:
    """Of a criterion, under its name in A and in B."""
    spans = _spans(pairing, names)
    on = spans[0] if spans[0] == spans[1] else _UNIT
    all_a, all_b = (
        _on(values, of, on) for values, of in zip(pairing.scores(names), spans, strict=True)
    )
    pairs, missing = scored(all_a, all_b)
    a, b = pairs.a, pairs.b
    groups = pairing.groups(pairs.at, options.group)
    paired = paired_difference(b, a, groups, options.resampling)
    return Difference(
        span=on,
        rescaled=spans[0] != spans[1],
        missing=missing,
        mean_a=float(a.mean()) if len(a) else None,
        mean_b=float(b.mean()) if len(b) else None,
        paired=paired,
        unit=_as_share(paired.difference, on),
        bounds=(_at(all_b, on[0]) - _at(all_a, on[1]), _at(all_b, on[1]) - _at(all_a, on[0])),
        detection=_detection(b - a, groups, options.detect),
        slices=sliced(pairing, pairs, options),
        movers=movers(pairing, names, pairs, options.movers),
    )


def _spans(pairing: Pairing, names: Names) -> tuple[Span, Span]:
    """The ends of both scales; likelihoods have none, and reach as far as those that are seen."""
    methods = {pairing.a.judge.method == "likelihood", pairing.b.judge.method == "likelihood"}
    if methods == {True, False}:
        raise UsageError(
            "One of the two runs was scored by likelihood and the other was not: their scores"
            " cannot be subtracted. `adjudge calibrate` compares each with people."
        )
    if methods == {False}:
        first, second = pairing.a.criteria[names[0]].scale, pairing.b.criteria[names[1]].scale
        return _span(first), _span(second)
    seen = np.concatenate(pairing.scores(names))
    seen = seen[np.isfinite(seen)]
    ends = (float(seen.min()), float(seen.max())) if len(seen) else _UNIT
    of = ends if ends[0] < ends[1] else (ends[0], ends[0] + 1.0)
    return of, of


def _span(scale: Scale) -> Span:
    found = span(scale)
    if found is None:
        raise TypeError("values without an order have no difference")
    return found


def _on(values: Floats, of: Span, on: Span) -> Floats:
    """The values of a scale on another one; NaN for what is not scored."""
    return values if of == on else (values - of[0]) / (of[1] - of[0])


def _at(values: Floats, missing: float) -> float:
    """The mean over all items, each unscored one at `missing`."""
    return float(np.where(np.isnan(values), missing, values).mean())


def _as_share(stat: Stat, of: Span) -> Stat:
    def share(value: float | None) -> float | None:
        return None if value is None else value / (of[1] - of[0])

    return Stat(share(stat.value), share(stat.low), share(stat.high), stat.why)


def _detection(apart: Floats, groups: Groups, wanted: float | None) -> Detection | None:
    """What the spread of the differences says about finding one of size `wanted`.

    With groups it is the spread that independent items would need to make the same standard error.
    """
    if wanted is None:
        return None
    within = clusters(groups, len(apart))
    spread = standard_error(apart, within) * math.sqrt(len(apart)) if within.count > 1 else 0.0
    if spread == 0:
        why = "the pairs show no spread, so nothing can be foreseen"
        return Detection(difference=wanted, power=None, pairs=None, why=why)
    needed = pairs_needed(wanted, spread, power=_POWER)
    power = power_of(len(apart), wanted, spread)
    return Detection(difference=wanted, power=power, pairs=needed)
