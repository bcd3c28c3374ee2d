"""Another name than before: a criterion whose values have no order."""

from __future__ import annotations

from collections import Counter

from adjudge.stats.paired import Paired, paired_difference
from adjudge.stats.proportion import share

from .comparison import Changes, CompareOptions
from .divided import DIVIDED
from .movers import movers
from .pairing import Names, Pair, Pairing
from .slices import sliced


def changes_in(pairing: Pairing, names: Names, options: CompareOptions) -> Changes:
    """Of a criterion, under its name in A and in B.

    A slice's difference is the share of its items that changed.
    """
    pairs, missing = pairing.scored(names)
    groups = pairing.groups(pairs, options.group)
    changed = [pair.a != pair.b for pair in pairs]
    moves = Counter((str(pair.a), str(pair.b)) for pair in pairs if pair.a != pair.b)
    scales = (pairing.a.criteria[names[0]].scale, pairing.b.criteria[names[1]].scale)
    options_of = dict.fromkeys(str(value) for scale in scales for value in scale.values() or ())
    if any(DIVIDED in (pair.a, pair.b) for pair in pairs):
        options_of[DIVIDED] = None
    marked = [
        Pair(pair.item, 0.0, float(moved)) for pair, moved in zip(pairs, changed, strict=True)
    ]
    return Changes(
        n=len(pairs),
        missing=missing,
        changed=sum(changed),
        share=share(changed, groups, options.confidence),
        options={option: _shares(option, pairs, groups, options) for option in options_of},
        moves=dict(moves.most_common()),
        adjusted={},
        slices=sliced(pairing, marked, options),
        movers=movers(pairing, names, pairs, options.movers),
    )


def _shares(
    option: str, pairs: list[Pair], groups: list[str] | None, options: CompareOptions
) -> tuple[float, float, Paired]:
    a = [float(pair.a == option) for pair in pairs]
    b = [float(pair.b == option) for pair in pairs]
    count = max(len(pairs), 1)
    paired = paired_difference(b, a, groups, options.resampling)
    return sum(a) / count, sum(b) / count, paired
