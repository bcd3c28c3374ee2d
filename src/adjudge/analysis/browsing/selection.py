"""Which items a query lets through, and in which order."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from adjudge.analysis.scores.arrays import RunArrays
from adjudge.analysis.scores.grader import Bytes, Grader
from adjudge.analysis.scores.item_values import DIVIDED
from adjudge.analysis.scores.reader import Column
from adjudge.core.label import Label
from adjudge.core.reason import Reason
from adjudge.core.scale import Category, value_range
from adjudge.core.score import ORDERS_DISAGREE
from adjudge.errors import UsageError
from adjudge.stats.arrays import Bools, Floats, Ints, mean_of_known, spread_of
from adjudge.stats.people import people_of

from .query import NEAR, ItemCondition, Query, QueryTarget, number


def matching(arrays: RunArrays, query: Query, target: QueryTarget) -> Bools:
    """For each item whether the filters hold; the search is left aside."""
    size = len(arrays.items)
    holds = _any((grader.here for grader in target.graders), size)
    if query.by_score:
        holds &= _any((_valued(query, *pair) for pair in target.pairs()), size)
    if target.outcome is not None:
        holds &= _any(_ended(target, target.outcome), size)
    if target.rule is not None:
        holds &= _any(_ruled(target, target.rule), size)
    if query.disagreement is not None:
        # NaN is no number that could be as large; a hair less lets 0.3 be what it looks like.
        holds &= disagreement(arrays, target) >= query.disagreement - 1e-9
    return holds


def in_order(arrays: RunArrays, query: Query, target: QueryTarget, holds: Bools) -> Ints:
    """The places of the items that are let through, as the query sorts them."""
    places = np.flatnonzero(holds)
    position = arrays.position[places]
    if query.sort == "position":
        return places[np.argsort(-position if query.down else position, kind="stable")]
    # Rounded: sums of the same numbers in another order must not differ.
    by = np.round(_sorted_by(arrays, query, target)[places], 10)
    by = np.where(np.isnan(by), np.inf, -by if query.down else by)
    return places[np.lexsort((position, by))]


def _sorted_by(arrays: RunArrays, query: Query, target: QueryTarget) -> Floats:
    size = len(arrays.items)
    if query.sort == "worst":
        return mean_units(target.pairs(), size)
    if query.sort == "disagreement":
        return disagreement(arrays, target)
    if query.sort == "score":
        return mean_of_known((grader.values(name) for grader, name in target.pairs()), size)
    if query.sort == "confidence":
        return mean_of_known(
            (grader.mean_of("confidence", of) for grader, of in target.pairs()), size
        )
    if query.sort == "latency":
        return latencies(target.graders, size)
    return costs(target.graders, size)


def mean_units(pairs: Iterable[tuple[Grader, str]], size: int) -> Floats:
    """By item, the mean of its scores as shares of their scales; NaN without any. Names and
    likelihoods, which lie on no scale from worst to best, do not count."""
    units = []
    for grader, criterion in pairs:
        ends = value_range(grader.criterion(criterion).scale) if grader.on_scale else None
        if ends is not None:
            units.append((grader.values(criterion) - ends[0]) / (ends[1] - ends[0]))
    return mean_of_known(units, size)


def latencies(graders: Iterable[Grader], size: int) -> Floats:
    """The mean over an item's verdicts, in milliseconds."""
    return mean_of_known(
        (
            np.where(sample.here, sample.latency, np.nan)
            for grader in graders
            for sample in grader.samples.values()
        ),
        size,
    )


def costs(graders: Iterable[Grader], size: int) -> Floats:
    """The sum over an item's verdicts, in USD; NaN where one's is not known, or there are none."""
    total, any_here = np.zeros(size), np.zeros(size, dtype=np.bool_)
    for grader in graders:
        for sample in grader.samples.values():
            total += np.where(sample.here, sample.cost, 0.0)
            any_here |= sample.here
    return np.where(any_here, total, np.nan)


def _valued(query: Query, grader: Grader, criterion: str) -> Bools:
    if query.value == DIVIDED:
        return grader.divided(criterion)
    values = grader.values(criterion)
    holds = np.isfinite(values)
    if query.value is not None:
        holds &= np.abs(values - number(grader, criterion, query.value)) < 1e-9
    if grader.options(criterion) is not None and (query.low, query.high) != (None, None):
        raise UsageError(Reason("query.names", criterion=criterion))
    if query.low is not None:
        holds &= values >= query.low - 1e-9
    if query.high is not None:
        holds &= values <= query.high + 1e-9
    return holds


def _ended(target: QueryTarget, outcome: int) -> Iterable[Bools]:
    for grader in target.graders:
        at = None if target.criterion is None else grader.criteria.index(target.criterion)
        for sample in grader.samples.values():
            ended = sample.outcome if at is None else sample.score_outcome[at]
            yield sample.here & _is(ended, outcome)


def _ruled(target: QueryTarget, rule: int) -> Iterable[Bools]:
    for grader, criterion in target.pairs():
        at = grader.criteria.index(criterion)
        for sample in grader.samples.values():
            yield sample.here & _is(sample.rule[at], rule)


def _is(codes: Bytes, wanted: int) -> Bools:
    """-1 stands for anything but 0."""
    return np.asarray(codes != 0 if wanted < 0 else codes == wanted)


def _any(masks: Iterable[Bools], size: int) -> Bools:
    holds = np.zeros(size, dtype=np.bool_)
    for mask in masks:
        holds |= mask
    return holds


def can_disagree(graders: Sequence[Grader]) -> bool:
    """Whether any item of the run could be judged twice: by two models, repeats or orders."""
    judges = [grader.judge.name for grader in graders for _ in grader.samples]
    return len(set(judges)) < len(judges) or any(grader.judge.pair for grader in graders)


def disagreement(arrays: RunArrays, target: QueryTarget) -> Floats:
    """On 0-1, the most of all criteria; NaN where nothing was judged twice.

    It is the distance of the highest and the lowest score on 0-1, over models and repeats. Names
    are 1 apart where two of them differ. A pair that was judged otherwise in the other order is 1.
    """
    by_question: dict[tuple[str, str], list[Grader]] = defaultdict(list)
    for grader, criterion in target.pairs():
        by_question[grader.judge.name, criterion].append(grader)
    most = np.full(len(arrays.items), np.nan)
    for (_, criterion), graders in by_question.items():
        most = np.fmax(most, _range(graders, criterion))
        if graders[0].judge.pair:
            most = np.fmax(most, _between_orders(arrays, graders, criterion))
    return most


def _range(graders: Sequence[Grader], criterion: str) -> Floats:
    names = graders[0].options(criterion) is not None
    what = "value" if names else "unit"
    stack = np.concatenate([grader.stacked(what, criterion) for grader in graders])
    return spread_of(stack, names=names)


def _between_orders(arrays: RunArrays, graders: Sequence[Grader], criterion: str) -> Floats:
    size = len(arrays.items)
    scored, differ = np.zeros((2, size), dtype=np.bool_)
    mark = arrays.rules.index(ORDERS_DISAGREE) if ORDERS_DISAGREE in arrays.rules else None
    for grader in graders:
        at = grader.criteria.index(criterion)
        for sample in grader.samples.values():
            scored |= np.isfinite(sample.value[at])
            if mark is not None:
                differ |= sample.rule[at] == mark
    return np.where(scored, differ.astype(np.float64), np.nan)


def meets_in_column(condition: ItemCondition, column: Column) -> Bools:
    """The items that it holds for; one without a value is none of them, but `!=` any."""
    if condition.how in (">=", "<="):
        held = condition.holds(np.array([_number(text) for text in column.texts]))
    elif condition.how == "~":
        words = condition.value.casefold()
        held = np.array([words in text.casefold() for text in column.texts], dtype=np.bool_)
    else:
        same = np.array([text == condition.value for text in column.texts], dtype=np.bool_)
        held = same if condition.how == "=" else ~same
    absent = condition.how == "!=" or (condition.how == "=" and not condition.value)
    return np.concatenate([[absent], held]).astype(np.bool_)[column.codes]


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return np.nan


def meets_in_scores(condition: ItemCondition, graders: Sequence[Grader], size: int) -> Bools:
    """The items that any of the graders gave such a score; UsageError for a criterion that none
    has."""
    holds = np.zeros(size, dtype=np.bool_)
    criterion = condition.criterion or ""
    asked = [grader for grader in graders if criterion in grader.criteria]
    if not asked:
        known = tuple(dict.fromkeys(name for grader in graders for name in grader.criteria))
        reason = Reason("query.no_field", field="criterion", known=known)
        raise UsageError(reason.at_parameter("where", str(condition)))
    for grader in asked:
        names = grader.options(criterion)
        if names is None:
            holds |= condition.holds(grader.values(criterion))
        else:
            holds |= _meets_in_names(condition, names, grader.values(criterion))
    return holds


def _meets_in_names(condition: ItemCondition, names: Sequence[str], values: Floats) -> Bools:
    if condition.how not in ("=", "!="):
        raise UsageError(Reason("query.names", criterion=condition.criterion or ""))
    wanted = names.index(condition.value) if condition.value in names else -1
    same: Bools = values == wanted
    known: Bools = np.isfinite(values)
    return known & (~same if condition.how == "!=" else same)


def meets_in_labels(
    asked: str,
    pairs: Sequence[tuple[Grader, str]],
    labels: Iterable[Label],
    places: Mapping[str, int],
) -> Bools:
    """The items whose labels stand so to any score: one of LABELS, or `=3` for what people said
    together."""
    own = [label for label in labels if label.item in places]
    scales = {criterion: grader.criterion(criterion).scale for grader, criterion in pairs}
    labelled = people_of(own, places, scales).people
    holds, any_label = (np.zeros(len(places), dtype=np.bool_) for _ in range(2))
    for grader, criterion in pairs:
        if (people := labelled.get(criterion)) is None:
            continue
        scale = scales[criterion]
        names = scale.options if isinstance(scale, Category) else ()
        said = np.full(len(places), np.nan)
        said[people.places] = people.values
        any_label[people.places] = True
        apart = grader.values(criterion) - said
        if asked.startswith("="):
            value = asked[1:]
            number = {"yes": 1.0, "no": 0.0}.get(value, _number(value))
            wanted = names.index(value) if value in names else number
            holds |= np.abs(said - wanted) < NEAR
        elif asked == "same":
            holds |= np.abs(apart) < NEAR
        elif asked in ("above", "below"):
            holds |= (apart > NEAR) if asked == "above" else (apart < -NEAR)
    return any_label if asked == "any" else ~any_label if asked == "none" else holds
