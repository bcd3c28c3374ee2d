"""The figures of a run that gates can be about."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from adjudge.analysis.scores.item_values import read_values
from adjudge.core.scale import Category
from adjudge.stats.stat import Stat, undefined
from adjudge.stores import RunRecord, Store

from .conditions import Gate, GateResult, gate_results
from .figures import lookup_in, plain_figure, share_of

if TYPE_CHECKING:
    from adjudge.analysis.scores.grader import CriterionScores, GraderScores


def judge_run(gates: Sequence[Gate], record: RunRecord, store: Store) -> tuple[GateResult, ...]:
    """Every gate against the run, for every judge and model that has its criterion."""
    if not gates:
        return ()
    if all(gate.is_plain for gate in gates):
        return gate_results(gates, lookup_in(read_values(record, store), plain_figure))
    from adjudge.analysis.scores.reader import read_scores  # noqa: PLC0415 - loads numpy

    graders = read_scores(record, store).graders
    return gate_results(gates, lookup_in(graders, partial(_run_figure, record, store)))


def _run_figure(record: RunRecord, store: Store, grader: GraderScores, gate: Gate) -> Stat:
    from adjudge.analysis.scores.intervals import CONFIDENCE, mean_of  # noqa: PLC0415 - loads scipy

    scored = grader.criteria[gate.criterion]
    if gate.what == "share" and gate.condition:
        return share_of(scored, gate.condition, CONFIDENCE)
    if gate.what == "corrected":
        return _corrected(grader, scored, record, store)
    return mean_of(scored)[0]


def _corrected(
    grader: GraderScores, scored: CriterionScores, record: RunRecord, store: Store
) -> Stat:
    from adjudge.analysis.calibration.score_map import (  # noqa: PLC0415 - loads numpy
        corrected_mean,
    )
    from adjudge.analysis.scores.intervals import NO_MEAN  # noqa: PLC0415 - loads scipy

    if isinstance(scored.scale, Category):
        return undefined(NO_MEAN)
    if grader.unsettled:
        return undefined(grader.unsettled)
    (fingerprint,) = grader.fingerprints
    named = (grader.judge, grader.model, fingerprint)
    return corrected_mean(store, named, scored, record)
