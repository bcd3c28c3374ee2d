"""What a run's judges and models made of its items: a million verdicts in seconds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import product

import numpy as np
import orjson

from adjudge.core.judge import Judge
from adjudge.errors import UsageError
from adjudge.running.reread import judge_as_kept
from adjudge.stats.arrays import Ints
from adjudge.stores.base import Store
from adjudge.stores.records import RunRecord

from .browsing import graders
from .browsing.columns import Repeat, read_columns
from .scored import Scored


@dataclass(frozen=True, slots=True)
class Grader:
    """One judge and model of a run. `fingerprints` are those that its scored verdicts bear: more
    than one where a part was read again by another reader. `unscored` of its `verdicts` lack a
    value for some criterion."""

    judge: Judge
    model: str
    fingerprints: tuple[str, ...]
    verdicts: int
    unscored: int
    criteria: Mapping[str, Scored]

    @property
    def name(self) -> str:
        return f"{self.judge.name} by {self.model}"

    @property
    def unsettled(self) -> str | None:
        """Why no single fingerprint stands for all scores; None when one does."""
        if len(self.fingerprints) == 1:
            return None
        if self.fingerprints:
            return "a part of the run was read by another reader; adjudge reread makes it one"
        return "nothing was scored"


@dataclass(frozen=True, slots=True)
class RunScores:
    """All scores of a run; `items` maps the ids of its items to their places."""

    items: Mapping[str, int]
    graders: tuple[Grader, ...]


def read_scores(record: RunRecord, store: Store) -> RunScores:
    """The scores of a run, in the order of its judges and models."""
    judges = {name: judge_as_kept(record, name) for name in record.sources}
    columns = read_columns(store.facts(record.id), judges)
    fingerprints = store.fingerprints(record.id)
    asked = product(record.manifest.judges, record.manifest.models)
    found = (
        _grader(
            graders.Grader(judges[name], model, columns.repeats[name, model]),
            tuple(sorted(fingerprints.get((name, model), ()))),
        )
        for name, model in dict.fromkeys([*asked, *columns.repeats])
        if (name, model) in columns.repeats
    )
    return RunScores({item: place for place, item in enumerate(columns.items)}, tuple(found))


def _grader(given: graders.Grader, fingerprints: tuple[str, ...]) -> Grader:
    return Grader(
        given.judge,
        given.model,
        fingerprints,
        sum(int(each.here.sum()) for each in given.samples.values()),
        sum(_unscored(each) for each in given.samples.values()),
        {name: given.scored(name) for name in given.criteria},
    )


def _unscored(given: Repeat) -> int:
    return int((given.here & np.isnan(given.value).any(axis=0)).sum())


def picked(scores: RunScores, judge: str | None, model: str | None) -> tuple[Grader, ...]:
    """The graders of that judge and that model; UsageError when there is none."""
    found = tuple(
        each
        for each in scores.graders
        if judge in {None, each.judge.name} and model in {None, each.model}
    )
    if found or not scores.graders:
        return found
    wanted = " and ".join(
        f"--{flag} {name}" for flag, name in (("judge", judge), ("model", model)) if name
    )
    known = ", ".join(each.name for each in scores.graders)
    raise UsageError(f"Nothing in this run is by {wanted}; it has: {known}.")


def groups_of(record: RunRecord, store: Store, items: Mapping[str, int], field_name: str) -> Ints:
    """The group of each item, counted from 0: items with the same value of the column share one.

    An item without a value is a group of its own. UsageError when no item has the column.
    """
    groups = np.full(len(items), -1, dtype=np.intp)
    known: dict[str | bytes, int] = {}
    for item, value in store.column(record.id, field_name):
        place = items.get(item)
        if place is not None and value is not None:
            label = value if isinstance(value, str) else orjson.dumps(value)
            groups[place] = known.setdefault(label, len(known))
    if not known:
        columns = ", ".join(_columns(record, store)) or "none"
        raise UsageError(
            f"--group {field_name}: no item of run {record.id} has this column. It has: {columns}."
        )
    alone = np.flatnonzero(groups < 0)
    groups[alone] = len(known) + np.arange(len(alone))
    return groups


def _columns(record: RunRecord, store: Store) -> Iterator[str]:
    entry = next(store.entries(record.id), None)
    if entry is not None:
        yield from entry.item.extra
        yield from entry.item.fields
