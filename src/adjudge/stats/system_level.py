"""Whether a judge orders systems as people do: correlations of system means, and per document.

Both the systems and the documents are a draw from more that there could be, so that intervals
resample both (Deutsch, Dror and Roth 2021, "A statistical analysis of summarization evaluation
metrics using resampling methods").
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from adjudge.core.reason import Reason
from adjudge.stats.arrays import Floats, Ints, cell_means, number_pair, same_length
from adjudge.stats.bootstrap import DEFAULT, Resampling, with_interval
from adjudge.stats.correlation import correlations_by_row
from adjudge.stats.stat import Stat, undefined

CORRELATIONS = ("pearson", "spearman", "kendall")
_AT_ONCE = 50  # rounds of resampling whose tables are in memory
FEWEST_SYSTEMS = 3  # two are always in perfect order, one way or the other

Correlations = Mapping[str, Stat]


@dataclass(frozen=True, slots=True)
class SystemLevel:
    """`systems` and `documents` count those with a score and a label.

    `of_means` are the correlations of the systems' means over all their rows; `per_document` the
    means over documents of the correlations within each, `left_out` of which have a constant side
    or fewer than three systems. `judge` and `people` are the means by system, `rows` their rows.
    """

    systems: int
    documents: int
    left_out: int
    of_means: Correlations
    per_document: Correlations
    judge: Floats
    people: Floats
    rows: Ints


def system_level(
    judge: npt.ArrayLike,
    people: npt.ArrayLike,
    systems: Ints,
    documents: Ints | None,
    resampling: Resampling = DEFAULT,
) -> SystemLevel:
    """`systems` and `documents` have the number of each row's, from 0 on; None: each row is a
    document of its own, and there is nothing to correlate within one.

    Several rows of a system on a document are averaged first. The intervals of `per_document`
    resample documents alone where some document lacks a system.
    """
    one, other = number_pair(judge, people)
    same_length(one, systems)
    alone = documents is None
    of = np.arange(len(one)) if documents is None else documents
    shape = int(of.max(initial=-1)) + 1, int(systems.max(initial=-1)) + 1
    places = of * shape[1] + systems
    tables = cell_means(places, one, shape), cell_means(places, other, shape)
    few = shape[1] < FEWEST_SYSTEMS
    why = Reason("few_systems", count=shape[1])
    of_means = _undefined(why) if few else _of_means(*tables, resampling)
    if alone:
        per_document, left_out = _undefined(Reason("no_group_column")), 0
    elif few:
        per_document, left_out = _undefined(why), shape[0]
    else:
        per_document, left_out = _per_document(*tables, resampling)
    rows = np.bincount(systems, minlength=shape[1])
    return SystemLevel(
        systems=shape[1],
        documents=0 if alone else shape[0],
        left_out=left_out,
        of_means=of_means,
        per_document=per_document,
        judge=np.nanmean(tables[0], axis=0),
        people=np.nanmean(tables[1], axis=0),
        rows=rows,
    )


def _undefined(why: Reason) -> Correlations:
    return dict.fromkeys(CORRELATIONS, undefined(why))


def _means(table: Floats, weights: Floats) -> Floats:
    """By round and system, each document as often as its weight says; NaN without any."""
    known = np.isfinite(table)
    with np.errstate(invalid="ignore", divide="ignore"):
        return (weights @ np.where(known, table, 0.0)) / (weights @ known.astype(np.float64))


def _of_means(one: Floats, other: Floats, resampling: Resampling) -> Correlations:
    """Of tables documents by systems, NaN where there is nothing."""
    documents, systems = one.shape
    value = correlations_by_row(*(np.nanmean(table, axis=0)[None] for table in (one, other)))[0]
    chance = np.random.default_rng(resampling.seed)
    drawn = []
    for start in range(0, resampling.rounds, _AT_ONCE):
        rounds = min(_AT_ONCE, resampling.rounds - start)
        picks = chance.integers(documents, size=(rounds, documents))
        weights = np.stack([np.bincount(pick, minlength=documents) for pick in picks])
        chosen = chance.integers(systems, size=(rounds, systems))
        sides = [
            np.take_along_axis(_means(table, weights.astype(np.float64)), chosen, axis=1)
            for table in (one, other)
        ]
        drawn.append(_correlations(*sides))
    return _stats(value, np.concatenate(drawn), min(one.shape), resampling)


def _per_document(one: Floats, other: Floats, resampling: Resampling) -> tuple[Correlations, int]:
    documents, systems = one.shape
    complete = bool(np.isfinite(one).all())
    rows = _correlations(one, other) if complete else _with_gaps(one, other)
    kept = np.isfinite(rows).all(axis=1)
    if not kept.any():
        return _undefined(Reason("no_group")), len(rows)
    value = rows[kept].mean(axis=0)
    chance = np.random.default_rng(resampling.seed)
    drawn = np.empty((resampling.rounds, len(CORRELATIONS)))
    for number in range(resampling.rounds):
        drawn_documents = chance.integers(documents, size=documents)
        some = rows[drawn_documents]
        if complete:
            places = np.ix_(drawn_documents, chance.integers(systems, size=systems))
            some = _correlations(one[places], other[places])
        with np.errstate(invalid="ignore"):
            whole = some[np.isfinite(some).all(axis=1)]
            drawn[number] = whole.mean(axis=0) if len(whole) else np.nan
    count = min(one.shape) if complete else documents
    return _stats(value, drawn, count, resampling), int((~kept).sum())


def _correlations(one: Floats, other: Floats) -> Floats:
    """Those of each row; NaN where a row has a gap or a constant side."""
    gaps = ~(np.isfinite(one) & np.isfinite(other)).all(axis=1)
    rows = correlations_by_row(np.where(np.isfinite(one), one, 0.0), np.nan_to_num(other))
    rows[gaps] = np.nan
    return rows


def _with_gaps(one: Floats, other: Floats) -> Floats:
    """The same over the systems that each row has."""
    rows = np.full((len(one), len(CORRELATIONS)), np.nan)
    for number, (first, second) in enumerate(zip(one, other, strict=True)):
        here = np.isfinite(first)
        if here.sum() >= FEWEST_SYSTEMS:
            rows[number] = correlations_by_row(first[here][None], second[here][None])[0]
    return rows


def _stats(value: Floats, drawn: Floats, count: int, resampling: Resampling) -> Correlations:
    return {
        name: with_interval(float(value[place]), drawn[:, place], count, resampling)
        if np.isfinite(value[place])
        else undefined(Reason("too_close"))
        for place, name in enumerate(CORRELATIONS)
    }
