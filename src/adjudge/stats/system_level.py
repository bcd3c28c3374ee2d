"""Whether a judge orders systems as people do: correlations of system means, and per document.

Both the systems and the documents are a draw from more that there could be, so that intervals
resample both (Deutsch, Dror and Roth 2021, "A statistical analysis of summarization evaluation
metrics using resampling methods").
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

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
    tables = _Tables(*(cell_means(places, side, shape) for side in (one, other)))
    few = tables.systems < FEWEST_SYSTEMS
    why = Reason("few_systems", count=tables.systems)
    of_means = _undefined(why) if few else _of_means(tables, resampling)
    if alone:
        per_document, left_out = _undefined(Reason("no_group_column")), 0
    elif few:
        per_document, left_out = _undefined(why), tables.documents
    else:
        per_document, left_out = _per_document(tables, resampling)
    rows = np.bincount(systems, minlength=tables.systems)
    return SystemLevel(
        systems=tables.systems,
        documents=0 if alone else tables.documents,
        left_out=left_out,
        of_means=of_means,
        per_document=per_document,
        judge=np.nanmean(tables.judge, axis=0),
        people=np.nanmean(tables.people, axis=0),
        rows=rows,
    )


def _undefined(why: Reason) -> Correlations:
    return dict.fromkeys(CORRELATIONS, undefined(why))


class _Tables(NamedTuple):
    """Documents by systems, NaN where there is nothing."""

    judge: Floats
    people: Floats

    @property
    def documents(self) -> int:
        return int(self.judge.shape[0])

    @property
    def systems(self) -> int:
        return int(self.judge.shape[1])


def _means(table: Floats, weights: Floats) -> Floats:
    """By round and system, each document as often as its weight says; NaN without any."""
    known = np.isfinite(table)
    with np.errstate(invalid="ignore", divide="ignore"):
        return (weights @ np.where(known, table, 0.0)) / (weights @ known.astype(np.float64))


def _of_means(tables: _Tables, resampling: Resampling) -> Correlations:
    value = correlations_by_row(*(np.nanmean(table, axis=0)[None] for table in tables))[0]
    chance = np.random.default_rng(resampling.seed)
    drawn = []
    for start in range(0, resampling.rounds, _AT_ONCE):
        rounds = min(_AT_ONCE, resampling.rounds - start)
        picks = chance.integers(tables.documents, size=(rounds, tables.documents))
        weights = np.stack([np.bincount(pick, minlength=tables.documents) for pick in picks])
        systems = chance.integers(tables.systems, size=(rounds, tables.systems))
        sides = [
            np.take_along_axis(_means(table, weights.astype(np.float64)), systems, axis=1)
            for table in tables
        ]
        drawn.append(_correlations(*sides))
    count = min(tables.systems, tables.documents)
    return _stats(value, np.concatenate(drawn), count, resampling)


def _per_document(tables: _Tables, resampling: Resampling) -> tuple[Correlations, int]:
    one, other = tables
    complete = bool(np.isfinite(one).all())
    rows = _correlations(one, other) if complete else _with_gaps(one, other)
    kept = np.isfinite(rows).all(axis=1)
    if not kept.any():
        return _undefined(Reason("no_group")), len(rows)
    value = rows[kept].mean(axis=0)
    chance = np.random.default_rng(resampling.seed)
    drawn = np.empty((resampling.rounds, len(CORRELATIONS)))
    for number in range(resampling.rounds):
        documents = chance.integers(tables.documents, size=tables.documents)
        some = rows[documents]
        if complete:
            systems = chance.integers(tables.systems, size=tables.systems)
            places = np.ix_(documents, systems)
            some = _correlations(one[places], other[places])
        with np.errstate(invalid="ignore"):
            whole = some[np.isfinite(some).all(axis=1)]
            drawn[number] = whole.mean(axis=0) if len(whole) else np.nan
    count = min(tables.systems, tables.documents) if complete else tables.documents
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
