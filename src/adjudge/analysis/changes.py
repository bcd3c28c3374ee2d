"""Another name than before: a criterion whose values have no order."""

from __future__ import annotations

from collections import Counter

import numpy as np

from adjudge.stats.paired import Paired, paired_difference
from adjudge.stats.proportion import share

from .comparison import Changes, CompareOptions
from .divided import DIVIDED
from .movers import movers
from .pairing import Names, Pairing, Pairs, scored
from .slices import sliced


def changes_in(pairing: Pairing, names: Names, options: CompareOptions) -> Changes:
    """Of a criterion, under its name in A and in B.

    A slice's difference is the share of its items that changed.
    """
    pairs, missing = scored(*pairing.scores(names))
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
        slices=sliced(pairing, Pairs(pairs.at, np.zeros_like(changed), changed), options),
        movers=movers(pairing, names, pairs, options.movers),
    )


def _shares(
    option: str, pairs: Pairs, groups: list[str] | None, options: CompareOptions
) -> tuple[float, float, Paired]:
    a, b = ((side == option).astype(np.float64) for side in (pairs.a, pairs.b))
    count = max(len(pairs.at), 1)
    paired = paired_difference(b, a, groups, options.resampling)
    return float(a.sum()) / count, float(b.sum()) / count, paired
