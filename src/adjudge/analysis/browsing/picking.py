"""Filters and sorting: which items a query lets through, and in which order."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from adjudge.analysis.divided import DIVIDED
from adjudge.errors import UsageError
from adjudge.stats.arrays import Bools, Floats, Ints

from .chosen import Chosen, number
from .columns import Bytes, Columns
from .disagreement import disagreement
from .graders import Grader
from .query import Query


def let_through(columns: Columns, query: Query, chosen: Chosen) -> Bools:
    """For each item whether the filters hold; the search is left aside."""
    size = len(columns.items)
    holds = _any((each.here for each in chosen.graders), size)
    if query.by_score:
        holds &= _any((_valued(query, *pair) for pair in chosen.pairs()), size)
    if chosen.outcome is not None:
        holds &= _any(_ended(chosen, chosen.outcome), size)
    if chosen.rule is not None:
        holds &= _any(_ruled(chosen, chosen.rule), size)
    if query.disagreement is not None:
        # NaN is no number that could be as large; a hair less lets 0.3 be what it looks like.
        holds &= disagreement(columns, chosen) >= query.disagreement - 1e-9
    return holds


def in_order(columns: Columns, query: Query, chosen: Chosen, holds: Bools) -> Ints:
    """The places of the items that are let through, as the query sorts them."""
    places = np.flatnonzero(holds)
    position = columns.position[places]
    if query.sort == "position":
        return places[np.argsort(-position if query.down else position, kind="stable")]
    # Rounded: sums of the same numbers in another order must not differ.
    by = np.round(_sorted_by(columns, query, chosen)[places], 10)
    by = np.where(np.isnan(by), np.inf, -by if query.down else by)
    return places[np.lexsort((position, by))]


def _sorted_by(columns: Columns, query: Query, chosen: Chosen) -> Floats:
    size = len(columns.items)
    if query.sort == "disagreement":
        return disagreement(columns, chosen)
    if query.sort == "score":
        return mean_over((each.values(name) for each, name in chosen.pairs()), size)
    if query.sort == "confidence":
        return mean_over((g.mean_of("confidence", name) for g, name in chosen.pairs()), size)
    if query.sort == "latency":
        return latencies(chosen.graders, size)
    return costs(chosen.graders, size)


def latencies(graders: Iterable[Grader], size: int) -> Floats:
    """The mean over an item's verdicts, in milliseconds."""
    return mean_over(
        (
            np.where(each.here, each.latency, np.nan)
            for grader in graders
            for each in grader.samples.values()
        ),
        size,
    )


def costs(graders: Iterable[Grader], size: int) -> Floats:
    """The sum over an item's verdicts, in USD; NaN where one's is not known, or there are none."""
    total, any_here = np.zeros(size), np.zeros(size, dtype=np.bool_)
    for grader in graders:
        for each in grader.samples.values():
            total += np.where(each.here, each.cost, 0.0)
            any_here |= each.here
    return np.where(any_here, total, np.nan)


def mean_over(rows: Iterable[Floats], size: int) -> Floats:
    """Of what is known; NaN where nothing is."""
    total, counts = np.zeros(size), np.zeros(size)
    for row in rows:
        known = np.isfinite(row)
        total += np.where(known, row, 0.0)
        counts += known
    return np.where(counts > 0, total / np.maximum(counts, 1), np.nan)


def _valued(query: Query, grader: Grader, criterion: str) -> Bools:
    if query.value == DIVIDED:
        return grader.divided(criterion)
    values = grader.values(criterion)
    holds = np.isfinite(values)
    if query.value is not None:
        holds &= np.abs(values - number(grader, criterion, query.value)) < 1e-9
    if grader.named(criterion) and (query.low, query.high) != (None, None):
        raise UsageError(f"low=, high=: {criterion} has names and no numbers; use value=.")
    if query.low is not None:
        holds &= values >= query.low - 1e-9
    if query.high is not None:
        holds &= values <= query.high + 1e-9
    return holds


def _ended(chosen: Chosen, outcome: int) -> Iterable[Bools]:
    for grader in chosen.graders:
        at = None if chosen.criterion is None else grader.criteria.index(chosen.criterion)
        for each in grader.samples.values():
            ended = each.outcome if at is None else each.score_outcome[at]
            yield each.here & _is(ended, outcome)


def _ruled(chosen: Chosen, rule: int) -> Iterable[Bools]:
    for grader, criterion in chosen.pairs():
        at = grader.criteria.index(criterion)
        for each in grader.samples.values():
            yield each.here & _is(each.rule[at], rule)


def _is(found: Bytes, wanted: int) -> Bools:
    """-1 stands for anything but 0."""
    same: Bools = found != 0 if wanted < 0 else found == wanted
    return same


def _any(masks: Iterable[Bools], size: int) -> Bools:
    found = np.zeros(size, dtype=np.bool_)
    for mask in masks:
        found |= mask
    return found
