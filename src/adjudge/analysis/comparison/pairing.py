"""What a judge and model made of every item of each run, and the two sides joined item by item."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import orjson

from adjudge.analysis.scores.item_values import ByGrader
from adjudge.analysis.scores.reader import cell_text, read_arrays
from adjudge.core.item import stand_in
from adjudge.core.judge import Judge
from adjudge.core.reason import Reason
from adjudge.core.rubric import Criterion
from adjudge.errors import UsageError
from adjudge.stats.arrays import Bools, Ints
from adjudge.stores import RunRecord, Store, TextCursor

from .findings import Missing

# Of a criterion: what it is called in A and in B.
Names = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Pairing:
    """`items` are in both runs, in A's order, by their ids in A, and `items_b` by those in B;
    `at_a` and `at_b` are their places there. `ambiguous` items were left out: several have the same
    values in the columns that they are matched by."""

    a: Side
    b: Side
    items: tuple[str, ...]
    items_b: tuple[str, ...]
    at_a: Ints
    at_b: Ints
    ambiguous: int = 0

    def scores(self, names: Names) -> tuple[Scores, Scores]:
        """What each side has for each shared item."""
        return self.a.scores[names[0]][self.at_a], self.b.scores[names[1]][self.at_b]

    def applies(self, names: Names) -> Bools:
        """Which shared items the criterion applies to, on both sides."""
        return self.a.applies[names[0]][self.at_a] & self.b.applies[names[1]][self.at_b]

    def cells(self, column: str) -> Iterator[tuple[str | None, str | None]]:
        """What A's data and what B's say about each item."""
        first, second = self.a.inputs.columns[column], self.b.inputs.columns[column]
        for a, b in zip(self.at_a.tolist(), self.at_b.tolist(), strict=True):
            yield first[a], second[b]

    def column(self, name: str) -> list[str | None]:
        """What A's data says about each item; where they are silent, B's."""
        return [b if a is None else a for a, b in self.cells(name)]

    def groups(self, chosen: Ints, column: str | None) -> list[str] | None:
        """The group of each of the chosen items; one without a value is a group of its own."""
        if column is None:
            return None
        cells = self.column(column)
        return [group_of(self.items[at], cells[at]) for at in chosen.tolist()]


def group_of(item: str, cell: str | None) -> str:
    return f"item {item}" if cell is None else f"group {cell}"


@dataclass(frozen=True, slots=True)
class ScoredPairs:
    """The scores of the items that both sides have scored; `at` is their place among all."""

    at: Ints
    a: Scores
    b: Scores

    def among(self, some: Ints) -> ScoredPairs:
        return ScoredPairs(self.at[some], self.a[some], self.b[some])


def scored_pairs(a: Scores, b: Scores, applies: Bools) -> tuple[ScoredPairs, Missing]:
    """The pairs among what `Pairing.scores` gives, and how many items that the criterion applies to
    lack a score."""
    none_a, none_b = _none(a), _none(b)
    at = np.flatnonzero(~none_a & ~none_b)
    missing = Missing(
        a=int((none_a & ~none_b & applies).sum()),
        b=int((none_b & ~none_a & applies).sum()),
        both=int((none_a & none_b & applies).sum()),
    )
    return ScoredPairs(at, a[at], b[at]), missing


def _none(scores: Scores) -> Bools:
    """Where there is no score: None among names, NaN among numbers."""
    if scores.dtype == object:
        return np.array([score is None for score in scores], dtype=np.bool_)
    return np.isnan(scores)


def pair_items(a: Side, b: Side, match: Sequence[str] = ()) -> Pairing:
    """By their ids, or by what they have in the columns `match`; UsageError when no item is in
    both."""
    ambiguous = 0
    if match:
        keys_a, twice_a = _by_values(a, match)
        keys_b, twice_b = _by_values(b, match)
        shared = [(keys_a[key], keys_b[key]) for key in keys_a if key in keys_b]
        ambiguous = twice_a + twice_b
    else:
        shared = [(item, item) for item in a.items if item in b.items]
    if shared:
        items, others = tuple(zip(*shared, strict=True))
        return Pairing(a, b, items, others, _places(a, items), _places(b, others), ambiguous)
    runs = {"a": a.source.record.title, "b": b.source.record.title}
    counts = {"n_a": len(a.items), "n_b": len(b.items)}
    if match:
        raise UsageError(Reason("compared.no_match", columns=tuple(match), **runs, **counts))
    ids = {"ids_a": _ids(a), "ids_b": _ids(b)}
    raise UsageError(Reason("compared.no_item", **runs, **counts, **ids))


def _by_values(side: Side, columns: Sequence[str]) -> tuple[dict[tuple[str, ...], str], int]:
    """The items by what they have in the columns, and how many share that with another; items
    without a value in one of them are in neither."""
    cells = [side.inputs.columns[column] for column in columns]
    seen: dict[tuple[str, ...], list[str]] = {}
    for item, place in side.items.items():
        values = tuple(value for column in cells if (value := column[place]) is not None)
        if len(values) == len(cells):
            seen.setdefault(values, []).append(item)
    alone = {key: items[0] for key, items in seen.items() if len(items) == 1}
    return alone, sum(len(items) for items in seen.values() if len(items) > 1)


def _places(side: Side, items: Sequence[str]) -> Ints:
    return np.fromiter((side.items[item] for item in items), np.intp, len(items))


def _ids(side: Side) -> str:
    return ", ".join(list(side.items)[:3]) + (", …" if len(side.items) > 3 else "")


def differs(pairing: Pairing) -> Iterator[Reason]:
    """One clause each: judge, wording, model, data, judged texts."""
    a, b = pairing.a, pairing.b
    if a.judge.name != b.judge.name:
        yield Reason("compared.judge", a=a.judge.name, b=b.judge.name)
    elif a.judge.version != b.judge.version:
        yield Reason("compared.wording", a=f"v{a.judge.version}", b=f"v{b.judge.version}")
    elif a.fingerprint != b.fingerprint:
        yield Reason("compared.wording", a=a.fingerprint, b=b.fingerprint)
    if a.model != b.model:
        yield Reason("compared.model", a=a.model, b=b.model)
    judged = int(_judged_differently(pairing).sum())
    if judged:
        yield Reason("compared.texts", n=judged, total=len(pairing.items))
    elif a.data_hash != b.data_hash:
        yield Reason("compared.data")


def cautions(pairing: Pairing, columns: Sequence[str]) -> Iterator[Reason]:
    """Everything that may make the pairs meaningless."""
    for letter, side in (("A", pairing.a), ("B", pairing.b)):
        state = side.source.record.state
        if state != "finished":
            yield Reason("compared.unfinished", letter=letter, state=state)
    total = len(pairing.items)
    if pairing.ambiguous:
        yield Reason("compared.ambiguous", n=pairing.ambiguous)
    other = int(_asked_differently(pairing).sum())
    if other:
        yield Reason("compared.asked", n=other, total=total)
    for column in columns:
        cells = pairing.cells(column)
        apart = sum(a is not None and b is not None and a != b for a, b in cells)
        if apart:
            yield Reason("compared.column", n=apart, total=total, column=column)


def _judged_differently(pairing: Pairing) -> Bools:
    """Which items have other judged texts, whatever the inputs are called."""
    ours, theirs = pairing.a.judge.judged, pairing.b.judge.judged
    differ = np.full(len(pairing.items), len(ours) != len(theirs))
    for one, other in zip(ours, theirs, strict=False):
        differ |= _texts(pairing.a, one, pairing.at_a) != _texts(pairing.b, other, pairing.at_b)
    return differ


def _asked_differently(pairing: Pairing) -> Bools:
    """Which items have an input in both that is not judged, and has another text."""
    differ = np.zeros(len(pairing.items), dtype=np.bool_)
    for name in _asked(pairing.a) & _asked(pairing.b):
        a, b = _texts(pairing.a, name, pairing.at_a), _texts(pairing.b, name, pairing.at_b)
        differ |= (a != b) & (a != ABSENT) & (b != ABSENT)
    return differ


def _asked(side: Side) -> set[str]:
    return set(side.inputs.texts) - set(side.judge.judged)


def _texts(side: Side, name: str, at: Ints) -> Ints:
    known = side.inputs.texts.get(name)
    return np.full(len(at), ABSENT) if known is None else known[at]


# Numbers, NaN for none; or names, None for none.
Scores = npt.NDArray[Any]


class StoredRun(NamedTuple):
    """A run and the store that it is in."""

    record: RunRecord
    store: Store


@dataclass(frozen=True, slots=True)
class Side(ByGrader):
    """`items` are those that were judged, in the order of the data, with their places in what
    `inputs` and `scores` have. A score is the mean over the scored repeats; of names, the one given
    most often, DIVIDED where two were."""

    source: StoredRun
    judge: Judge
    fingerprint: str
    model: str
    items: Mapping[str, int]
    inputs: ItemInputs
    scores: Mapping[str, Scores]
    applies: Mapping[str, Bools]

    @property
    def criteria(self) -> Mapping[str, Criterion]:
        return self.judge.rubric.measures

    @property
    def data_hash(self) -> str:
        return self.source.record.manifest.data_hash


def read_sides(source: StoredRun, columns: Sequence[str]) -> tuple[list[Side], frozenset[str]]:
    """A side for each judge and model of the run; and the names of all columns that the items have,
    used by an input or not. The values of `columns` are kept.

    Only figures and texts are read: whole verdicts would take many times as long.
    """
    record, store = source
    arrays = read_arrays(record, store)
    inputs = read_inputs(store, record.id, arrays.places, columns)
    in_order = np.argsort(arrays.position, kind="stable")
    # Those of the verdicts, which may have been read again since the run.
    fingerprints = store.verdicts.fingerprints(record.id)
    sides = []
    for grader in arrays.graders:
        items = {arrays.items[place]: place for place in in_order[grader.here[in_order]].tolist()}
        fingerprint = ", ".join(sorted(fingerprints.get((grader.judge.name, grader.model), ())))
        scores = {name: grader.answers(name) for name in grader.criteria}
        applies = {name: grader.applies(name) for name in grader.criteria}
        of = (source, grader.judge, fingerprint, grader.model)
        sides.append(Side(*of, items, inputs, scores, applies))
    return sides, inputs.seen


ABSENT = -1  # no text has this hash


@dataclass(frozen=True, slots=True)
class ItemInputs:
    """All with a place for each item. `texts` has, by input, a number that stands for the text:
    equal texts have equal ones, and ABSENT is for none. `columns` are the values of those asked
    for, None where there is none. `seen` are the names of all inputs and columns."""

    texts: Mapping[str, Ints]
    columns: Mapping[str, Sequence[str | None]]
    seen: frozenset[str]


def read_inputs(
    store: Store, run_id: str, places: Mapping[str, int], columns: Sequence[str]
) -> ItemInputs:
    """In one pass along the texts, none of which is kept."""
    texts: dict[str, array[int]] = {}
    cells: dict[str, list[str | None]] = {name: [None] * len(places) for name in columns}
    seen: set[str] = set()
    for upto, rows in store.verdicts.texts(run_id, TextCursor()):
        if upto.table != "items":
            break
        for _, item, content in rows:
            place = places.get(item)
            if place is None:
                continue
            kept = orjson.loads(content)
            fields, extra = kept["fields"], kept["extra"]
            seen.update(fields, extra)
            for name, text in fields.items():
                if name not in texts:
                    texts[name] = array("q", [ABSENT]) * len(places)
                # A run that keeps no texts has the stand-ins alone.
                texts[name][place] = hash(stand_in(text, store.secret))
            for name, column in cells.items():
                value = extra.get(name, fields.get(name))
                column[place] = None if value is None else cell_text(value)
    arrays = {name: np.array(numbers, dtype=np.intp) for name, numbers in texts.items()}
    return ItemInputs(arrays, cells, frozenset(seen))
