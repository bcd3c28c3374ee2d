"""What the items of a run were made of, as far as two runs are compared by it."""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import orjson

from adjudge.core.stand_in import stand_in
from adjudge.stats.arrays import Ints
from adjudge.stores.base import Store
from adjudge.stores.records import Place

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
    for upto, rows in store.texts(run_id, Place()):
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
            for name, found in cells.items():
                found[place] = _written(extra.get(name, fields.get(name)))
    arrays = {name: np.array(numbers, dtype=np.intp) for name, numbers in texts.items()}
    return ItemInputs(arrays, cells, frozenset(seen))


def _written(value: object) -> str | None:
    if value is None or isinstance(value, str):
        return value
    return ("true" if value else "false") if isinstance(value, bool) else str(value)
