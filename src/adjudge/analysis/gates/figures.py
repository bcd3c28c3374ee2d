"""Where gates find the figures that scores alone give."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

import numpy as np

from adjudge.analysis.scores.grader import CriterionScores, GraderScores
from adjudge.analysis.scores.intervals import CONFIDENCE
from adjudge.core.scale import Category, NotAValue
from adjudge.stats.mean import share
from adjudge.stats.stat import Stat, undefined

from .conditions import NO_SHARE, Condition, Gate, Lookup, Measured

# A criterion's figure other than `unscored`.
Figure = Callable[[GraderScores, Gate], Stat]


def lookup_in(graders: Sequence[GraderScores], figure: Figure) -> Lookup:
    """Where gates find their figures; `figure` gives those that the scores alone do not."""

    def lookup(gate: Gate) -> Iterator[Measured]:
        for grader in graders:
            where = grader.name if len(graders) > 1 else ""
            if not gate.criterion:
                yield Measured(grader.unscored / grader.verdicts, where=where)
            elif gate.criterion in grader.criteria:
                yield replace(_of_grader(gate, grader, figure), where=where)

    return lookup


def _of_grader(gate: Gate, grader: GraderScores, figure: Figure) -> Measured:
    scored = grader.criteria[gate.criterion]
    if gate.what == "unscored":
        return Measured(scored.unscored / scored.scores)
    return Measured.of(figure(grader, gate), gate.part)


def share_of(scored: CriterionScores, condition: Condition) -> Stat:
    """The share of scored items that meet a condition, whose name the scale reads; those that the
    samples are divided on meet none.

    None of likelihoods: they lie on no scale.
    """
    if not scored.on_scale:
        return undefined(NO_SHARE)
    values = scored.known
    if isinstance(scored.scale, Category):
        try:
            option = scored.scale.read(condition.written)
        except NotAValue as error:
            return undefined(error.reason)
        met = np.append(
            values == scored.scale.options.index(option), [False] * scored.divided_items
        )
        return share(met, None, CONFIDENCE)
    if isinstance(condition.value, str):
        try:
            condition = replace(condition, value=float(scored.scale.read(condition.written)))
        except NotAValue as error:
            return undefined(error.reason)
    return share([condition.holds(value) for value in values.tolist()], None, CONFIDENCE)
