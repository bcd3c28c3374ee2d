"""How far apart those that judged an item are."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

import numpy as np

from adjudge.reading.pairs import DISAGREE
from adjudge.stats.arrays import Bools, Floats

from .chosen import Chosen
from .columns import Columns
from .graders import Grader


def possible(graders: Sequence[Grader]) -> bool:
    """Whether any item of the run could be judged twice: by two models, repeats or orders."""
    judges = [each.judge.name for each in graders for _ in each.samples]
    return len(set(judges)) < len(judges) or any(each.judge.pair for each in graders)


def disagreement(columns: Columns, chosen: Chosen) -> Floats:
    """On 0-1, the most of all criteria; NaN where nothing was judged twice.

    It is the distance of the highest and the lowest score on 0-1, over models and repeats. Names
    are 1 apart where two of them differ. A pair that was judged otherwise in the other order is 1.
    """
    by_question: dict[tuple[str, str], list[Grader]] = defaultdict(list)
    for grader, criterion in chosen.pairs():
        by_question[grader.judge.name, criterion].append(grader)
    most = np.full(len(columns.items), np.nan)
    for (_, criterion), graders in by_question.items():
        most = np.fmax(most, _range(graders, criterion))
        if graders[0].judge.pair:
            most = np.fmax(most, _between_orders(columns, graders, criterion))
    return most


def _range(graders: Sequence[Grader], criterion: str) -> Floats:
    names = graders[0].named(criterion)
    what = "value" if names else "unit"
    stack = np.concatenate([each.stacked(what, criterion) for each in graders])
    known = np.isfinite(stack)
    highest = np.where(known, stack, -np.inf).max(axis=0)
    lowest = np.where(known, stack, np.inf).min(axis=0)
    twice = known.sum(axis=0) > 1
    apart = np.subtract(highest, lowest, out=np.zeros(len(twice)), where=twice)
    return np.where(twice, (apart > 0).astype(np.float64) if names else apart, np.nan)


def _between_orders(columns: Columns, graders: Sequence[Grader], criterion: str) -> Floats:
    size = len(columns.items)
    scored: Bools = np.zeros(size, dtype=np.bool_)
    differ: Bools = np.zeros(size, dtype=np.bool_)
    mark = columns.rules.index(DISAGREE) if DISAGREE in columns.rules else None
    for grader in graders:
        at = grader.criteria.index(criterion)
        for each in grader.samples.values():
            scored |= np.isfinite(each.value[at])
            if mark is not None:
                differ |= each.rule[at] == mark
    return np.where(scored, differ.astype(np.float64), np.nan)
