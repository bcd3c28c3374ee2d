"""The items whose score differs most between two runs, with what each judge said."""

from __future__ import annotations

import numpy as np

from adjudge.core.score import Score

from .comparison import Mover
from .pairing import Names, Pairing, Pairs
from .sides import Side


def movers(pairing: Pairing, names: Names, pairs: Pairs, most: int) -> tuple[Mover, ...]:
    """At most so many items, the farthest moved first; of equals the first in the data."""
    # Names are all equally far from each other.
    apart = pairs.a != pairs.b if pairs.a.dtype == object else np.abs(pairs.b - pairs.a)
    farthest = np.argsort(-apart.astype(np.float64), kind="stable")[:most]
    found = ((pairing.items[pairs.at[n]], pairs.a[n], pairs.b[n]) for n in farthest if apart[n])
    return tuple(
        Mover(
            item=item,
            a=a if isinstance(a, str) else float(a),
            b=b if isinstance(b, str) else float(b),
            why_a=_said(pairing.a, item, names[0]),
            why_b=_said(pairing.b, item, names[1]),
        )
        for item, a, b in found
    )


def _said(side: Side, item: str, criterion: str) -> str | None:
    """The explanation of the first scored repeat."""
    for entry in side.source.store.entries(side.source.record.id, item):
        verdict = entry.verdict
        if (verdict.judge, verdict.model) == (side.judge.name, side.model):
            score: Score | None = verdict.scores.get(criterion)
            if score is not None and score.value is not None:
                return score.explanation
    return None
