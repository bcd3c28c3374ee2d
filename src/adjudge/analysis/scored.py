"""What a run's judges and models made of its items, as arrays: a million verdicts in seconds."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np
import orjson

from adjudge.core.judge import Judge
from adjudge.core.rubric import Criterion
from adjudge.core.scale import Category, Scale, Value
from adjudge.errors import UsageError
from adjudge.running.reread import judge_as_kept
from adjudge.stats.arrays import Floats, Ints
from adjudge.stores.base import Store
from adjudge.stores.records import RunRecord

from .divided import settled

_DECIMALS = 10  # Means of the same values in another order must not differ.
_NAN = float("nan")


@dataclass(frozen=True, slots=True)
class Scored:
    """One criterion by one judge and model.

    `places` are the items, by their place in `RunScores.items`, and `values` what each was given:
    the mean over its scored repeats, NaN without any. Yes is 1 and no is 0; a name is its place
    among the options, the one given most often counting; of the NaNs, `divided` are items that two
    names were given equally often. `scores` counts all repeats, `unscored` those of them without a
    value. `on_scale` is false for likelihoods,
    which are plain numbers with an order and no place on the criterion's scale, also where that
    has names.
    """

    criterion: str
    scale: Scale
    places: Ints
    values: Floats
    scores: int
    unscored: int
    on_scale: bool = True
    divided: int = 0

    @property
    def unscored_items(self) -> int:
        return int(np.isnan(self.values).sum()) - self.divided


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
    """The scores of a run in one pass over its verdicts."""
    judges = {name: judge_as_kept(record, name) for name in record.sources}
    items: dict[str, int] = {}
    found: dict[tuple[str, str], _Gathered] = {}
    for row in store.scores(record.id):
        grader = found.get((row.judge, row.model))
        if grader is None:
            grader = found[row.judge, row.model] = _Gathered(judges[row.judge])
        grader.add(items.setdefault(row.item, len(items)), row.fingerprint, row.values)
    return RunScores(items, tuple(each.grader(model) for (_, model), each in found.items()))


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


@dataclass(slots=True)
class _Gathered:
    """A grader while its verdicts stream by."""

    judge: Judge
    verdicts: int = 0
    unscored: int = 0
    fingerprints: set[str] = field(default_factory=set)
    columns: dict[str, tuple[array[int], array[float]]] = field(default_factory=dict)
    codes: dict[str, dict[str, int]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name, criterion in self.judge.rubric.criteria.items():
            self.columns[name] = array("q"), array("d")
            if isinstance(criterion.scale, Category):
                self.codes[name] = {option: n for n, option in enumerate(criterion.scale.options)}

    def add(self, place: int, fingerprint: str, values: Mapping[str, Value | None]) -> None:
        self.verdicts += 1
        if None in values.values():
            self.unscored += 1
        else:
            self.fingerprints.add(fingerprint)
        for name, value in values.items():
            places, given = self.columns[name]
            places.append(place)
            if value is None:
                given.append(_NAN)
            elif isinstance(value, str):
                given.append(self.codes[name][value])
            else:
                given.append(value)

    def grader(self, model: str) -> Grader:
        on_scale = self.judge.method != "likelihood"
        criteria = {
            name: _scored(criterion, *self.columns[name], on_scale=on_scale)
            for name, criterion in self.judge.rubric.criteria.items()
        }
        return Grader(
            self.judge,
            model,
            tuple(sorted(self.fingerprints)),
            self.verdicts,
            self.unscored,
            criteria,
        )


def _scored(
    criterion: Criterion, places: array[int], given: array[float], *, on_scale: bool
) -> Scored:
    scale = criterion.scale
    at, values = np.array(places, dtype=np.intp), np.array(given, dtype=np.float64)
    items, rows = np.unique(at, return_inverse=True)
    here = np.isfinite(values)
    rows, values = rows[here], values[here]
    merged = np.full(len(items), np.nan)
    counts = np.bincount(rows, minlength=len(items))
    divided = 0
    if isinstance(scale, Category) and on_scale:
        size = len(scale.options)
        cells = np.bincount(rows * size + values.astype(np.intp), minlength=len(items) * size)
        merged, apart = settled(cells.reshape(-1, size))
        divided = int(apart.sum())
    else:
        sums = np.bincount(rows, values, len(items))
        merged[counts > 0] = np.round(sums[counts > 0] / counts[counts > 0], _DECIMALS)
    unscored = len(at) - len(values)
    return Scored(criterion.name, scale, items, merged, len(at), unscored, on_scale, divided)
