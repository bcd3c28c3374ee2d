"""The figures of a run that gates can be about."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from adjudge.core.scale import Category, NotAValue
from adjudge.stats.mean import mean
from adjudge.stats.proportion import share
from adjudge.stats.stat import Stat, undefined
from adjudge.stores.base import Store
from adjudge.stores.records import RunRecord

from .corrected import UNORDERED, raw_mean
from .gates import NO_SHARE, Condition, Gate, Judged, Lookup, Measured, evaluate
from .run_scores import Grader, read_scores
from .score_map import kept_map, kept_mean, latest_with_map
from .scored import Scored

_CONFIDENCE = 0.95
# A criterion's figure other than `unscored`.
Figure = Callable[[Grader, Gate], Stat]


def judge_run(gates: Sequence[Gate], record: RunRecord, store: Store) -> tuple[Judged, ...]:
    """Every gate against the run, for every judge and model that has its criterion."""
    if not gates:
        return ()
    graders = read_scores(record, store).graders
    return evaluate(gates, lookup_in(graders, partial(_figure, record, store)))


def lookup_in(graders: Sequence[Grader], figure: Figure) -> Lookup:
    """Where gates find their figures; `figure` gives those that the scores alone do not."""

    def lookup(gate: Gate) -> Iterator[Measured]:
        for grader in graders:
            where = grader.name if len(graders) > 1 else ""
            if not gate.criterion:
                yield Measured(grader.unscored / grader.verdicts, where=where)
            elif gate.criterion in grader.criteria:
                yield replace(_measured(gate, grader, figure), where=where)

    return lookup


def _measured(gate: Gate, grader: Grader, figure: Figure) -> Measured:
    scored = grader.criteria[gate.criterion]
    if gate.what == "unscored":
        return Measured(scored.unscored / scored.scores)
    stat = figure(grader, gate)
    if gate.part == "value" or stat.value is None:
        return Measured(stat.value, stat.why)
    return Measured(stat.low if gate.part == "lower" else stat.high, stat.why)


def _figure(record: RunRecord, store: Store, grader: Grader, gate: Gate) -> Stat:
    scored = grader.criteria[gate.criterion]
    if gate.what == "share" and gate.condition:
        return share_of(scored, gate.condition)
    if gate.what == "corrected":
        return _corrected(grader, scored, record, store)
    if not scored.on_scale:
        return mean(scored.values[np.isfinite(scored.values)], None, _CONFIDENCE)
    return raw_mean(scored, None, _CONFIDENCE)[0]


def share_of(scored: Scored, condition: Condition) -> Stat:
    """The share of scored items that meet a condition, whose name the scale reads; those that the
    samples are divided on meet none.

    None of likelihoods: they lie on no scale.
    """
    if not scored.on_scale:
        return undefined(NO_SHARE)
    values = scored.values[np.isfinite(scored.values)]
    if isinstance(scored.scale, Category):
        try:
            option = scored.scale.read(condition.written)
        except NotAValue as error:
            return undefined(str(error))
        met = np.append(values == scored.scale.options.index(option), [False] * scored.divided)
        return share(met, None, _CONFIDENCE)
    if isinstance(condition.value, str):
        try:
            condition = replace(condition, value=float(scored.scale.read(condition.written)))
        except NotAValue as error:
            return undefined(str(error))
    return share([condition.holds(value) for value in values.tolist()], None, _CONFIDENCE)


def _corrected(grader: Grader, scored: Scored, record: RunRecord, store: Store) -> Stat:
    if isinstance(scored.scale, Category):
        return undefined(UNORDERED)
    if grader.unsettled:
        return undefined(grader.unsettled)
    name, (fingerprint,) = grader.judge.name, grader.fingerprints
    same = store.calibrations.of(name, grader.model, fingerprint)
    kept = latest_with_map(same, scored.criterion)
    if kept is None:  # One of another fingerprint is of no use, but is named.
        kept = store.calibrations.latest(name, grader.model)
    found = kept_map(kept, scored.criterion, fingerprint)
    if isinstance(found, str) or kept is None:
        return undefined(str(found))
    values = scored.values[np.isfinite(scored.values)]
    known = kept_mean(kept, scored.criterion, record.id, len(values))
    return known or found.mean(values, None, _CONFIDENCE)
