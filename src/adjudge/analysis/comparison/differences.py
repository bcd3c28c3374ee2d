"""The paired difference of a criterion whose values have an order."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np

from adjudge.analysis.scores.item_values import DIVIDED
from adjudge.core.reason import Reason
from adjudge.core.scale import Binary, ValueRange, value_range
from adjudge.core.score import Score
from adjudge.errors import UsageError
from adjudge.stats.arrays import Floats, Ints
from adjudge.stats.bootstrap import Groups, clusters
from adjudge.stats.mean import share, standard_error
from adjudge.stats.paired import Paired, paired_difference, pairs_needed, power_of

from .findings import Changes, CompareOptions, Detection, Difference, Mover, SliceDifference
from .pairing import Names, Pairing, ScoredPairs, Side, scored_pairs

_UNIT = (0.0, 1.0)


def difference_in(pairing: Pairing, names: Names, options: CompareOptions) -> Difference:
    """Of a criterion, under its name in A and in B."""
    spans = _spans(pairing, names)
    on = spans[0] if spans[0] == spans[1] else _UNIT
    all_a, all_b = (
        values if of == on else (values - of[0]) / (of[1] - of[0])
        for values, of in zip(pairing.scores(names), spans, strict=True)
    )
    applies = pairing.applies(names)
    pairs, missing = scored_pairs(all_a, all_b, applies)
    all_a, all_b = all_a[applies], all_b[applies]
    a, b = pairs.a, pairs.b
    groups = pairing.groups(pairs.at, options.group)
    paired = paired_difference(b, a, groups, options)
    return Difference(
        span=on,
        rescaled=spans[0] != spans[1],
        yes=_asks_yes_or_no(pairing.a, names[0]) and _asks_yes_or_no(pairing.b, names[1]),
        missing=missing,
        mean_a=float(a.mean()) if len(a) else None,
        mean_b=float(b.mean()) if len(b) else None,
        paired=paired,
        unit=paired.difference.scaled(0.0, on[1] - on[0]),
        bounds=(_at(all_b, on[0]) - _at(all_a, on[1]), _at(all_b, on[1]) - _at(all_a, on[0])),
        detection=_detection(b - a, groups, options.detect),
        slices=sliced(pairing, pairs, options),
        movers=movers(pairing, names, pairs, options.movers),
    )


def _asks_yes_or_no(side: Side, name: str) -> bool:
    return side.judge.method != "likelihood" and isinstance(side.criteria[name].scale, Binary)


def _spans(pairing: Pairing, names: Names) -> tuple[ValueRange, ValueRange]:
    """The ends of both scales; likelihoods have none, and reach as far as those that are seen."""
    methods = {pairing.a.judge.method == "likelihood", pairing.b.judge.method == "likelihood"}
    if methods == {True, False}:
        raise UsageError(Reason("compared.likelihood"))
    if methods == {False}:
        first, second = pairing.a.criteria[names[0]].scale, pairing.b.criteria[names[1]].scale
        return value_range(first) or _UNIT, value_range(second) or _UNIT
    seen = np.concatenate(pairing.scores(names))
    seen = seen[np.isfinite(seen)]
    low, high = (float(seen.min()), float(seen.max())) if len(seen) else _UNIT
    of = low, high if low < high else low + 1.0
    return of, of


def _at(values: Floats, missing: float) -> float:
    """The mean over all items, each unscored one at `missing`."""
    return float(np.where(np.isnan(values), missing, values).mean()) if len(values) else missing


def _detection(apart: Floats, groups: Groups, wanted: float | None) -> Detection | None:
    """What the spread of the differences says about finding one of size `wanted`.

    With groups it is the spread that independent items would need to make the same standard error.
    """
    if wanted is None:
        return None
    within = clusters(groups, len(apart))
    spread = standard_error(apart, within) * math.sqrt(len(apart)) if within.count > 1 else 0.0
    if spread == 0:
        why = Reason("compared.no_spread")
        return Detection(difference=wanted, power=None, pairs=None, why=why)
    power = power_of(len(apart), wanted, spread)
    return Detection(difference=wanted, power=power, pairs=pairs_needed(wanted, spread))


def changes_in(pairing: Pairing, names: Names, options: CompareOptions) -> Changes:
    """Of a criterion, under its name in A and in B.

    A slice's difference is the share of its items that changed.
    """
    pairs, missing = scored_pairs(*pairing.scores(names), pairing.applies(names))
    groups = pairing.groups(pairs.at, options.group)
    changed = (pairs.a != pairs.b).astype(np.float64)
    moved = changed > 0
    moves = Counter(zip(pairs.a[moved].tolist(), pairs.b[moved].tolist(), strict=True))
    scales = (pairing.a.criteria[names[0]].scale, pairing.b.criteria[names[1]].scale)
    options_of = dict.fromkeys(str(value) for scale in scales for value in scale.values() or ())
    if (pairs.a == DIVIDED).any() or (pairs.b == DIVIDED).any():
        options_of[DIVIDED] = None
    return Changes(
        n=len(pairs.at),
        missing=missing,
        changed=int(moved.sum()),
        share=share(changed, groups, options.confidence),
        options={option: _shares(option, pairs, groups, options) for option in options_of},
        moves=dict(moves.most_common()),
        adjusted={},
        slices=sliced(pairing, ScoredPairs(pairs.at, np.zeros_like(changed), changed), options),
        movers=movers(pairing, names, pairs, options.movers),
    )


def _shares(
    option: str, pairs: ScoredPairs, groups: list[str] | None, options: CompareOptions
) -> tuple[float, float, Paired]:
    a, b = ((side == option).astype(np.float64) for side in (pairs.a, pairs.b))
    count = max(len(pairs.at), 1)
    paired = paired_difference(b, a, groups, options)
    return float(a.sum()) / count, float(b.sum()) / count, paired


def movers(pairing: Pairing, names: Names, pairs: ScoredPairs, most: int) -> tuple[Mover, ...]:
    """At most so many items, the farthest moved first; of equals the first in the data."""
    # Names are all equally far from each other.
    apart = pairs.a != pairs.b if pairs.a.dtype == object else np.abs(pairs.b - pairs.a)
    farthest = np.argsort(-apart.astype(np.float64), kind="stable")[:most]
    moved = ((pairs.at[n], pairs.a[n], pairs.b[n]) for n in farthest if apart[n])
    return tuple(
        Mover(
            item=pairing.items[at],
            item_b=pairing.items_b[at],
            a=a if isinstance(a, str) else float(a),
            b=b if isinstance(b, str) else float(b),
            why_a=_said(pairing.a, pairing.items[at], names[0]),
            why_b=_said(pairing.b, pairing.items_b[at], names[1]),
        )
        for at, a, b in moved
    )


def _said(side: Side, item: str, criterion: str) -> str | None:
    """The explanation of the first scored repeat."""
    for entry in side.source.store.verdicts.entries(side.source.record.id, item):
        verdict = entry.verdict
        if (verdict.judge, verdict.model) == (side.judge.name, side.model):
            score: Score | None = verdict.scores.get(criterion)
            if score is not None and score.value is not None:
                return score.explanation
    return None


FEWEST = 5  # pairs that a test is worth making of
_MOST = 50  # values of a column beyond which it is no division of the data


def sliced(
    pairing: Pairing, pairs: ScoredPairs, options: CompareOptions
) -> tuple[SliceDifference, ...]:
    """A slice for each value of each column asked for, the largest first.

    `pairs` have numbers. Slices of fewer than five pairs have a difference and no p. A column with
    more than 50 values has its 50 largest, and the others in one.
    """
    return tuple(
        _slice(pairing, column, value, pairs.among(some), options)
        for column in options.slices
        for value, some in _by_value(pairing, pairs, column)
    )


def _by_value(pairing: Pairing, pairs: ScoredPairs, column: str) -> list[tuple[str | Reason, Ints]]:
    """By value, which of the pairs have it."""
    cells = pairing.column(column)
    by_value: dict[str | None, list[int]] = {}
    for n, at in enumerate(pairs.at.tolist()):
        by_value.setdefault(cells[at], []).append(n)
    ordered = sorted(by_value.items(), key=lambda entry: (-len(entry[1]), entry[0] or ""))
    values: list[tuple[str | Reason, Ints]] = [
        (Reason("slice.none") if value is None else value, np.array(some))
        for value, some in ordered
    ]
    if rest := values[_MOST:]:
        others = Reason("slice.others", count=len(rest))
        values[_MOST:] = [(others, np.concatenate([some for _, some in rest]))]
    return values


def _slice(
    pairing: Pairing,
    column: str,
    value: str | Reason,
    members: ScoredPairs,
    options: CompareOptions,
) -> SliceDifference:
    groups = pairing.groups(members.at, options.group)
    paired = paired_difference(members.b, members.a, groups, options)
    return SliceDifference(
        column=column,
        value=value,
        n=paired.n,
        difference=paired.difference,
        p=paired.p if paired.n >= FEWEST else None,
    )
