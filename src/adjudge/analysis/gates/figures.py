"""The figures of a run that gates can be about, and where they find them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, TypeAlias, TypeVar

from adjudge.analysis.scores.item_values import read_values
from adjudge.core.reason import Reason
from adjudge.core.rubric import Overall
from adjudge.core.scale import Category, NotAValue
from adjudge.stats.stat import Stat, undefined
from adjudge.stores import RunRecord, Store

from .conditions import NO_SHARE, Condition, Gate, GateResult, Lookup, Measured, gate_results

if TYPE_CHECKING:
    from adjudge.analysis.scores.grader import GraderScores
    from adjudge.analysis.scores.item_values import CriterionFigures, GraderValues

    # As arrays, or in plain Python.
    GraderFigures: TypeAlias = GraderScores | GraderValues

G = TypeVar("G", bound="GraderFigures")


def lookup_in(graders: Sequence[G], figure: Callable[[G, Gate], Stat]) -> Lookup:
    """Where gates find their figures; `figure` gives those of a criterion but `unscored`."""

    def lookup(gate: Gate) -> Iterator[Measured]:
        for grader in graders:
            where = grader.as_reason if len(graders) > 1 else None
            if not gate.criterion:
                yield Measured(grader.unscored / grader.verdicts, where=where)
            elif gate.criterion in grader.criteria:
                yield replace(_of_grader(gate, grader, figure), where=where)

    return lookup


def _of_grader(gate: Gate, grader: G, figure: Callable[[G, Gate], Stat]) -> Measured:
    scored = grader.criteria[gate.criterion]
    if gate.what == "pass":
        gate = _as_share(gate, grader.judge.rubric.overall)
    if gate.what == "unscored":
        return Measured(scored.unscored / scored.scores)
    return replace(Measured.of(figure(grader, gate), gate.part), unscored=scored.unscored)


def _as_share(gate: Gate, overall: Overall | None) -> Gate:
    """A gate on what passes, as one on the share of items that meet the threshold."""
    threshold = overall.threshold if overall else None
    sign, limit = (threshold.sign, threshold.limit) if threshold else ("=", 1.0)
    yes_no = overall is not None and overall.kind in {"all", "any"}
    condition = Condition("=", 1.0, "yes") if yes_no else Condition(sign, limit, f"{limit:g}")
    return replace(gate, what="share", condition=condition)


def plain_figure(grader: GraderFigures, gate: Gate) -> Stat:
    """The mean or the share without its interval: the extra `trust` is not needed for it."""
    scored = grader.criteria[gate.criterion]
    met = items_that_meet(scored, gate.condition) if gate.condition else None
    if met is None:
        value = scored.mean
        return undefined(Reason("no_rows")) if value is None else Stat(value)
    if isinstance(met, Reason):
        return undefined(met)
    return Stat(sum(met) / len(met)) if met else undefined(Reason("no_rows"))


def share_of(scored: CriterionFigures, condition: Condition, confidence: float) -> Stat:
    """The share of scored items that meet a condition, with its interval."""
    from adjudge.stats.mean import share  # noqa: PLC0415 - loads scipy

    met = items_that_meet(scored, condition)
    return undefined(met) if isinstance(met, Reason) else share(met, None, confidence)


def items_that_meet(scored: CriterionFigures, condition: Condition) -> list[bool] | Reason:
    """Of every scored item, whether it meets a condition, whose name the scale reads; those that
    the samples are divided on meet none, nor do those whose overall score is void.

    Likelihoods lie on no scale, and meet none.
    """
    if not scored.on_scale:
        return NO_SHARE
    try:
        if isinstance(scored.scale, Category):
            place = scored.scale.options.index(scored.scale.read(condition.written))
            return [value == place for value in scored.known] + [False] * scored.divided_items
        if isinstance(condition.value, str):
            condition = replace(condition, value=float(scored.scale.read(condition.written)))
    except NotAValue as error:
        return error.reason
    return [condition.holds(value) for value in scored.known] + [False] * scored.void


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
    from adjudge.analysis.scores.intervals import (  # noqa: PLC0415 - loads scipy
        CONFIDENCE,
        NO_MEAN,
        mean_of,
    )

    scored = grader.criteria[gate.criterion]
    if gate.what == "share" and gate.condition:
        return share_of(scored, gate.condition, CONFIDENCE)
    if gate.what != "corrected":
        return mean_of(scored)[0]
    why = NO_MEAN if isinstance(scored.scale, Category) else grader.unsettled
    if why:
        return undefined(why)
    from adjudge.analysis.calibration.score_map import (  # noqa: PLC0415 - loads numpy
        corrected_mean,
    )

    (fingerprint,) = grader.fingerprints
    return corrected_mean(store, (grader.judge, grader.model, fingerprint), scored, record)
