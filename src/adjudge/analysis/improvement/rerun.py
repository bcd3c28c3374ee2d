"""A judge before and after somebody edited it, on the same labelled items."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from adjudge.analysis.scores.grader import Grader
from adjudge.analysis.scores.reader import judges_of, read_arrays
from adjudge.analysis.variants import measure_for
from adjudge.core.item import Item
from adjudge.core.judge import Judge
from adjudge.core.label import Label
from adjudge.core.reason import Reason
from adjudge.errors import DataError, UsageError
from adjudge.stats.arrays import Floats
from adjudge.stats.bootstrap import DEFAULT
from adjudge.stores import RunRecord, Store

from .sample import BeforeAfter, group_keys, sample_of

BETTER = 0.05  # two-sided p below which one of the two is shown to be better


@dataclass(frozen=True, slots=True)
class CriterionRerun:
    measure: str
    compared: BeforeAfter


@dataclass(frozen=True, slots=True, kw_only=True)
class Rerun:
    """`before` and `after` are the ids of the runs, `judges` the names of the judge in either.

    `aside` says that only labels count that nobody was shown while editing; `items` counts the
    labelled items that do. `left_out` says why a criterion cannot be compared.
    """

    before: str
    after: str
    judges: tuple[str, str]
    model: str
    items: int
    aside: bool
    criteria: Mapping[str, CriterionRerun]
    left_out: Mapping[str, Reason] = field(default_factory=dict)


def labelled_items(record: RunRecord, store: Store, judge: str) -> list[Item]:
    """The items of the run that people labelled for this judge, in the order of the data."""
    labelled = {label.item for label in store.labels.of(record.manifest.data_hash, judge)}
    ids = [item for item in store.items.ids(record.id) if item in labelled]
    by_id = store.items.get(record.id, ids)
    return [by_id[item] for item in ids]


def set_aside(items: Sequence[Item], judge: Judge) -> frozenset[str]:
    """About half of the items, those that belong together on one side. An item's side hangs on its
    own texts alone: labels that come later move nothing to the other side."""
    keys = zip(items, group_keys(items, judge, None), strict=True)
    return frozenset(item.id for item, key in keys if hashlib.sha256(key.encode()).digest()[0] % 2)


def rerun_of(
    runs: tuple[RunRecord, RunRecord], store: Store, judge: str, model: str, *, aside: bool
) -> Rerun:
    """The judge of the first run beside the only one of the second, criterion by criterion.
    DataError where no criterion can be compared."""
    first, second = runs
    old, new = judges_of(first)[judge], next(iter(judges_of(second).values()))
    labels = store.labels.of(first.manifest.data_hash, judge)
    items = labelled_items(first, store, judge)
    if aside:
        hidden = set_aside(items, old)
        items = [item for item in items if item.id in hidden]
    scored = [
        _grader(record, store, name, model) for record, name in ((first, judge), (second, new.name))
    ]
    counted = {item.id for item in items}
    criteria, left_out = {}, {}
    for name in dict.fromkeys(label.criterion for label in labels if label.item in counted):
        why = _not_comparable(name, old, new)
        if why:
            left_out[name] = why
            continue
        criteria[name] = _compared(items, labels, old, scored, name)
    if not criteria:
        raise DataError(next(iter(left_out.values()), Reason("calibration.no_labels", judge=judge)))
    return Rerun(
        before=first.id,
        after=second.id,
        judges=(judge, new.name),
        model=model,
        items=len(items),
        aside=aside,
        criteria=criteria,
        left_out=left_out,
    )


_Scored = tuple[Mapping[str, int], Grader]


def _grader(record: RunRecord, store: Store, judge: str, model: str) -> _Scored:
    arrays = read_arrays(record, store)
    for grader in arrays.graders:
        if (grader.judge.name, grader.model) == (judge, model):
            return arrays.places, grader
    raise UsageError(Reason("run.no_verdicts", run=record.id))


def _not_comparable(name: str, old: Judge, new: Judge) -> Reason | None:
    if name not in old.rubric.criteria or name not in new.rubric.criteria:
        return Reason("rerun.gone", criterion=name)
    if old.rubric.criteria[name].scale != new.rubric.criteria[name].scale:
        return Reason("rerun.scale", criterion=name)
    return None


def _compared(
    items: Sequence[Item],
    labels: Sequence[Label],
    judge: Judge,
    scored: Sequence[_Scored],
    name: str,
) -> CriterionRerun:
    measure = measure_for(judge.rubric.criteria[name].scale, None, "kappa")
    sample = sample_of(items, labels, judge, {name: measure}, None, least=2)
    before, after = ({name: _values(sample.items, *one, name)} for one in scored)
    return CriterionRerun(measure, sample.compare(before, after, DEFAULT))


def _values(items: Sequence[Item], places: Mapping[str, int], grader: Grader, name: str) -> Floats:
    """A number per item, NaN where there is no score."""
    at = [places.get(item.id, -1) for item in items]
    return grader.scored(name).at(np.array(at, dtype=np.intp))
