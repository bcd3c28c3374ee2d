"""The one way from a run in the store to arrays: a million verdicts in seconds.

`read_arrays` has every judge, model, criterion and repeat of every item, with outcomes beside
values; `read_scores` the same with repeats made one. Pages, summaries, calibrations, comparisons,
panels, gates and queues of labels all start here.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TypeVar

import numpy as np
import orjson

from adjudge.core.judge import Judge
from adjudge.core.reason import Reason
from adjudge.errors import UsageError
from adjudge.running import judge_as_kept
from adjudge.stats.arrays import Ints
from adjudge.stores import Facts, RunRecord, Store

from .arrays import RunArrays, arrays_of
from .grader import GraderScores
from .item_values import ByGrader, as_asked


@dataclass(frozen=True, slots=True)
class RunScores:
    """All scores of a run; `items` maps the ids of its items to their places."""

    items: Mapping[str, int]
    graders: tuple[GraderScores, ...]


def judges_of(record: RunRecord) -> dict[str, Judge]:
    """The judges as they were kept with the run, by name."""
    return {name: judge_as_kept(record, name) for name in record.sources}


def read_arrays(record: RunRecord, store: Store, further: Iterable[Facts] = ()) -> RunArrays:
    """All of a run; `further` figures hold in place of the stored ones of the same verdicts."""
    return arrays_of(chain(store.verdicts.facts(record.id), further), judges_of(record))


def read_scores(record: RunRecord, store: Store) -> RunScores:
    """The scores of a run, in the order of its judges and models."""
    arrays = read_arrays(record, store)
    fingerprints = store.verdicts.fingerprints(record.id)
    graders = (
        grader.scores(sorted(fingerprints.get((grader.judge.name, grader.model), ())))
        for grader in as_asked(record, arrays.graders)
    )
    return RunScores(arrays.places, tuple(graders))


G = TypeVar("G", bound=ByGrader)


def picked(
    graders: Sequence[G],
    run: RunRecord,
    judges: Collection[str | None],
    models: Collection[str | None],
    suffix: str = "",
) -> tuple[G, ...]:
    """Those of these judges and these models, all where none is named; UsageError when the run has
    not one of them. The options that name them end in `suffix`."""
    by, of = {*filter(None, judges)}, {*filter(None, models)}
    chosen = tuple(
        one for one in graders if (not by or one.judge.name in by) and (not of or one.model in of)
    )
    if not graders or by | of <= {name for one in chosen for name in (one.judge.name, one.model)}:
        return chosen
    asked = [*(("judge", name) for name in sorted(by)), *(("model", name) for name in sorted(of))]
    flags = [Reason("option_value", name=f"{kind}{suffix}", value=name) for kind, name in asked]
    known = tuple(one.name for one in graders)
    raise UsageError(Reason("run.nobody", flags=tuple(flags), run=run.id, known=known))


def as_json(value: object) -> str:
    return orjson.dumps(value).decode()


def cell_text(value: object) -> str:
    """What an item has in a column, as text: what is no text itself as JSON."""
    return value if isinstance(value, str) else as_json(value)


class Column:
    """The values that the items have in one column: each once as a text, and a code per item, 0
    where it has none."""

    def __init__(
        self,
        values: Iterable[tuple[str, object]],
        places: Mapping[str, int],
        text: Callable[[object], str] = cell_text,
    ) -> None:
        codes: dict[str | None, int] = {None: 0}
        coded = [0] * len(places)
        for item, value in values:
            at = places.get(item)
            if at is not None and value is not None:
                coded[at] = codes.setdefault(text(value), len(codes))
        self.codes: Ints = np.array(coded, dtype=np.intp)
        self.texts = [text for text in codes if text is not None]

    def text(self, at: int) -> str | None:
        """What the item at a place has."""
        code = self.codes[at]
        return self.texts[code - 1] if code else None


def read_column(
    record: RunRecord,
    store: Store,
    items: Mapping[str, int],
    option: tuple[str, str],
    text: Callable[[object], str] = cell_text,
) -> Column:
    """What the items have in the column that an option (its name and value) names; UsageError where
    none has it."""
    column = Column(store.items.column(record.id, option[1]), items, text)
    if not column.texts:
        entry = next(store.verdicts.entries(record.id), None)
        known = (*entry.item.extra, *entry.item.fields) if entry else ("none",)
        raise UsageError(Reason("query.no_column", known=known).at_option(*option))
    return column


def groups_of(record: RunRecord, store: Store, items: Mapping[str, int], name: str) -> Ints:
    """The group of each item, counted from 0: items with the same value of the column share one.

    An item without a value is a group of its own. UsageError when no item has the column.
    """
    codes = read_column(record, store, items, ("group", name), as_json).codes  # 7 is not "7"
    groups = np.where(codes > 0, codes, len(items) + 1 + np.arange(len(items)))
    order: dict[int, int] = {}
    return np.array([order.setdefault(group, len(order)) for group in groups.tolist()], np.intp)
