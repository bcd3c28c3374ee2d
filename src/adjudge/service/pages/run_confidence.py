"""How certain the scores of an item are, where the way of judging tells that."""

from __future__ import annotations

from statistics import fmean

import numpy as np

from adjudge.analysis.browsing.index import RunIndex
from adjudge.analysis.browsing.query import Query
from adjudge.analysis.browsing.rows import Row


def tells_confidence(index: RunIndex) -> bool:
    """Whether any score of the run has one."""
    return any(
        np.isfinite(each.confidence).any()
        for grader in index.graders
        for each in grader.samples.values()
    )


def confidence_of(row: Row, query: Query) -> float | None:
    """What items are sorted by: the mean over the scores that the query is about, on 0-1; None
    where none of them tells it."""
    known = [
        cell.confidence
        for given in row.given
        for name, cell in given.scores.items()
        if query.judge in {None, given.judge}
        and query.model in {None, given.model}
        and query.criterion in {None, name}
        and cell.confidence is not None
    ]
    return fmean(known) if known else None
