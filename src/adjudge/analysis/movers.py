"""The items whose score differs most between two runs, with what each judge said."""

from __future__ import annotations

from collections.abc import Sequence

from adjudge.core.score import Score

from .comparison import Mover
from .pairing import Names, Pair, Pairing
from .sides import Side


def movers(pairing: Pairing, names: Names, pairs: Sequence[Pair], most: int) -> tuple[Mover, ...]:
    """At most so many items, the farthest moved first; of equals the first in the data."""
    moved = [pair for pair in pairs if pair.a != pair.b]
    farthest = sorted(moved, key=_distance, reverse=True)[:most]  # stable: keeps the data's order
    return tuple(
        Mover(
            item=pair.item,
            a=pair.a,
            b=pair.b,
            why_a=_said(pairing.a, pair.item, names[0]),
            why_b=_said(pairing.b, pair.item, names[1]),
        )
        for pair in farthest
    )


def _distance(pair: Pair) -> float:
    """Names are all equally far from each other."""
    if isinstance(pair.a, str) or isinstance(pair.b, str):
        return 1.0
    return abs(pair.b - pair.a)


def _said(side: Side, item: str, criterion: str) -> str | None:
    """The explanation of the first scored repeat."""
    for entry in side.source.store.entries(side.source.record.id, item):
        verdict = entry.verdict
        if (verdict.judge, verdict.model) == (side.judge.name, side.model):
            score: Score | None = verdict.scores.get(criterion)
            if score is not None and score.value is not None:
                return score.explanation
    return None
