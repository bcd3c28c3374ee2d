"""One side of a comparison: what one judge and one model made of every item of a run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from adjudge.core.item import Item
from adjudge.core.judge import Judge
from adjudge.core.rubric import Criterion
from adjudge.core.scale import Value
from adjudge.core.verdict import Verdict
from adjudge.running.reread import judge_as_kept
from adjudge.stores.base import RunRecord, Store


class Source(NamedTuple):
    """A run and the store that it is in."""

    record: RunRecord
    store: Store


class Row(NamedTuple):
    """What a comparison wants to know of an item besides its scores.

    `asked` and `judged` stand for the texts of the inputs that are not judged and that are; equal
    texts have equal ones. `columns` are the values of the columns asked for, None where one is
    absent.
    """

    asked: Mapping[str, int]
    judged: int
    columns: tuple[str | None, ...]


@dataclass(frozen=True, slots=True)
class Side:
    """`scores` has, by criterion and item, the mean over the scored repeats, None without any; of
    names, the one given most often."""

    source: Source
    judge: Judge
    fingerprint: str
    model: str
    rows: Mapping[str, Row]
    scores: Mapping[str, Mapping[str, float | str | None]]

    @property
    def criteria(self) -> Mapping[str, Criterion]:
        return self.judge.rubric.criteria

    @property
    def data_hash(self) -> str:
        return self.source.record.manifest.data_hash


@dataclass(slots=True)
class _Gathered:
    """A side while its run is read; repeats of an item follow each other."""

    fingerprint: str
    rows: dict[str, Row] = field(default_factory=dict)
    scores: dict[str, dict[str, list[Value]]] = field(default_factory=dict)

    def add(self, verdict: Verdict, row: Row) -> None:
        self.rows[verdict.item] = row
        for name, score in verdict.scores.items():
            given = self.scores.setdefault(name, {}).setdefault(verdict.item, [])
            if score.value is not None:
                given.append(score.value)


def read_sides(source: Source, columns: Sequence[str]) -> tuple[list[Side], set[str]]:
    """A side for each judge and model of the run, in one pass over its verdicts; and the names of
    all columns that the items have, used by an input or not. Rows keep the values of `columns`."""
    judges = {name: judge_as_kept(source.record, name) for name in source.record.sources}
    gathered: dict[tuple[str, str], _Gathered] = {}
    seen: set[str] = set()
    for entry in source.store.entries(source.record.id):
        verdict = entry.verdict
        side = gathered.setdefault((verdict.judge, verdict.model), _Gathered(verdict.fingerprint))
        if verdict.item not in side.rows:
            seen.update(entry.item.fields, entry.item.extra)
        side.add(verdict, _row(judges[verdict.judge], entry.item, columns))
    sides = [
        Side(source, judges[judge], side.fingerprint, model, side.rows, _merged(side.scores))
        for (judge, model), side in gathered.items()
    ]
    return sides, seen


def _row(judge: Judge, item: Item, columns: Sequence[str]) -> Row:
    judged = judge.judged
    asked = {name: hash(text) for name, text in item.fields.items() if name not in judged}
    told = hash(tuple(item.fields.get(name) for name in judged))
    return Row(asked, told, tuple(_cell(item, column) for column in columns))


def _cell(item: Item, column: str) -> str | None:
    value = item.extra.get(column, item.fields.get(column))
    if value is None or isinstance(value, str):
        return value
    return ("true" if value else "false") if isinstance(value, bool) else str(value)


def _merged(
    scores: Mapping[str, Mapping[str, list[Value]]],
) -> dict[str, dict[str, float | str | None]]:
    return {
        name: {item: _middle(values) for item, values in items.items()}
        for name, items in scores.items()
    }


def _middle(values: Sequence[Value]) -> float | str | None:
    if not values:
        return None
    names = [value for value in values if isinstance(value, str)]
    if names:
        return Counter(names).most_common(1)[0][0]
    # Rounded, so that the same values in another order make the same mean.
    return round(sum(map(float, values)) / len(values), 10)
