"""One side of a comparison: what one judge and one model made of every item of a run."""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import orjson

from adjudge.analysis.scores.reader import cell_text, read_arrays
from adjudge.core.item import stand_in
from adjudge.core.judge import Judge
from adjudge.core.rubric import Criterion
from adjudge.stats.arrays import Bools, Ints
from adjudge.stores import RunRecord, Store, TextCursor

# Numbers, NaN for none; or names, None for none.
Scores = npt.NDArray[Any]


class StoredRun(NamedTuple):
    """A run and the store that it is in."""

    record: RunRecord
    store: Store


@dataclass(frozen=True, slots=True)
class Side:
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
    sides = []
    for grader in arrays.graders:
        items = {arrays.items[place]: place for place in in_order[grader.here[in_order]].tolist()}
        fingerprint = _fingerprint(source, grader.judge.name, grader.model, next(iter(items)))
        scores = {name: grader.answers(name) for name in grader.criteria}
        applies = {name: grader.applies(name) for name in grader.criteria}
        of = (source, grader.judge, fingerprint, grader.model)
        sides.append(Side(*of, items, inputs, scores, applies))
    return sides, inputs.seen


def _fingerprint(source: StoredRun, judge: str, model: str, item: str) -> str:
    """That of the verdicts, which may have been read again since the run."""
    verdicts = (entry.verdict for entry in source.store.verdicts.entries(source.record.id, item))
    return next(
        verdict.fingerprint
        for verdict in verdicts
        if (verdict.judge, verdict.model) == (judge, model)
    )


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
