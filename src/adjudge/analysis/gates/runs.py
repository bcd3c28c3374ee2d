"""The figures of a run that gates can be about."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from adjudge.analysis.scores.item_values import read_values
from adjudge.core.reason import Reason
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
        kept_map,
        kept_mean,
        latest_with_map,
    )
    from adjudge.analysis.scores.intervals import CONFIDENCE, NO_MEAN  # noqa: PLC0415 - loads scipy

    if isinstance(scored.scale, Category):
        return undefined(NO_MEAN)
    if grader.unsettled:
        return undefined(grader.unsettled)
    name, (fingerprint,) = grader.judge.name, grader.fingerprints
    same = store.calibrations.of(name, grader.model, fingerprint)
    kept = latest_with_map(same, scored.criterion)
    if kept is None:  # One of another fingerprint is of no use, but is named.
        kept = store.calibrations.latest(name, grader.model)
    learned = kept_map(kept, scored.criterion, fingerprint)
    if isinstance(learned, Reason) or kept is None:
        return undefined(learned) if isinstance(learned, Reason) else undefined(Reason("map.none"))
    known = kept_mean(kept, scored.criterion, record.id, len(scored.known))
    return known or learned.mean(scored.known, None, CONFIDENCE)
