"""One run, ready to be looked through: pages of items, what it came to, and parts of it."""

from __future__ import annotations

import math
import threading
from collections import OrderedDict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import TypeVar

import numpy as np

from adjudge.analysis.scores.arrays import RunArrays, arrays_of
from adjudge.analysis.scores.grader import Grader
from adjudge.analysis.scores.reader import Column
from adjudge.core.reason import Reason
from adjudge.core.scale import value_range
from adjudge.errors import UsageError
from adjudge.stats.arrays import Bools, Floats, Ints
from adjudge.stats.stat import Stat
from adjudge.stores import EntryFilter, Facts, RunRecord, Store
from adjudge.stores.facts import facts_of

from .items import Neighbours, RunItems
from .overview import RunOverview, overview_of
from .query import ItemCondition, Query, QueryTarget, target_of
from .rows import ItemRow, rows_of
from .search import TIME, Search
from .selection import (
    can_disagree,
    costs,
    disagreement,
    in_order,
    latencies,
    matching,
    mean_units,
    meets_in_column,
    meets_in_labels,
    meets_in_scores,
)
from .slices import LOOKED_AT, Slices, columns_of, sliced

_KEPT = 16  # searches and orders that are remembered
K = TypeVar("K")
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class ItemPage:
    """Some of the `total` items that a query lets through. Where a search is not `complete` there
    may be more of them: it goes on, and asking again tells what it has by then; `searched` is the
    share (0-1) of the texts that it has read."""

    rows: tuple[ItemRow, ...]
    total: int
    pages: int
    page: int
    size: int
    complete: bool = True
    searched: float = 1.0


class RunIndex(RunItems):
    """What a run holds at one moment; `mark` is the store's, and tells that moment from others.

    Methods may be called from several threads. `entries` and texts come from the store as it is.
    One that knows the `first` items alone is `partial`: what it counts and finds is among those.
    """

    def __init__(self, record: RunRecord, store: Store, first: int | None = None) -> None:
        super().__init__(record, store)
        self.partial = first is not None
        # First, so that what comes meanwhile is not missed.
        self.mark = store.verdicts.version(record.id)
        facts: Iterable[Facts] = (
            store.verdicts.facts(record.id)
            if first is None
            else facts_of(store.verdicts.page(record.id, EntryFilter(limit=first)))
        )
        self.arrays: RunArrays = arrays_of(facts, self.judges)
        self.graders = self.arrays.graders
        self._lock = threading.RLock()
        self._slicing = threading.Lock()  # its own: pages are shown while a column is read
        self._searches: OrderedDict[str, Search] = OrderedDict()
        self._orders: OrderedDict[Query, Ints] = OrderedDict()
        self._sliced: dict[str, Slices] = {}
        self._columns: OrderedDict[str, Column] = OrderedDict()
        self._overview: tuple[CalibrationMark, RunOverview] | None = None

    @property
    def items(self) -> int:
        return len(self.arrays.items)

    @property
    def bytes(self) -> int:
        """About how much memory it holds."""
        return self.arrays.bytes

    @property
    def rules(self) -> tuple[str, ...]:
        """The ids of the rules that fired somewhere."""
        return tuple(sorted(self.arrays.rules[1:]))

    @property
    def has_disagreement(self) -> bool:
        """Whether items were judged more than once."""
        return can_disagree(self.graders)

    def page(self, query: Query) -> ItemPage:
        """UsageError where the query names what the run does not have."""
        about = self._chosen(query)
        order, search = self._order(query, about)
        start = (query.page - 1) * query.size
        places = order[start : start + query.size]
        ids = [self.arrays.items[place] for place in places.tolist()]
        figures = {
            "disagreement": disagreement(self.arrays, about),
            "latency_ms": latencies(about.graders, self.items),
            "cost_usd": costs(about.graders, self.items),
        }
        contents = self._store.items.get(self.record.id, ids)
        return ItemPage(
            rows_of(self.arrays, self.graders, contents, places, figures),
            len(order),
            math.ceil(len(order) / query.size),
            query.page,
            query.size,
            search is None or search.complete,
            1.0 if search is None else self._searched(search),
        )

    def neighbours(self, item: str, query: Query) -> Neighbours:
        if self.partial and item not in self.arrays.places:
            return super().neighbours(item, query)
        order, _ = self._order(query, self._chosen(query))
        place = self.arrays.places.get(item)
        at = np.flatnonzero(order == (-1 if place is None else place)).tolist()
        if not at:
            return Neighbours(None, None, None, len(order))
        (here,) = at
        ids = self.arrays.items
        before = ids[order[here - 1]] if here else None
        after = ids[order[here + 1]] if here + 1 < len(order) else None
        return Neighbours(before, after, here + 1, len(order))

    def overview(self) -> RunOverview:
        mark = calibration_mark(self._store, self.record)
        with self._lock:
            if self._overview is None or self._overview[0] != mark:
                self._overview = mark, overview_of(self.arrays, partial(self._corrected, mark))
            return self._overview[1]

    def _corrected(self, mark: CalibrationMark, grader: Grader, name: str) -> Stat | None:
        """Looked for only where something was kept: most runs have no calibration."""
        from adjudge.analysis.calibration.score_map import (  # noqa: PLC0415 - loads scipy
            corrected_mean,
        )
        from adjudge.analysis.calibration.transport import UNLIKE  # noqa: PLC0415 - loads scipy

        judge = grader.judge.name
        if (judge, grader.model) not in mark or self.record.state == "running":
            return None
        scored = grader.scored(name)
        if value_range(scored.scale) is None or not len(scored.known):
            return None
        named = (grader.judge, grader.model, self.record.manifest.judges[judge])
        mean = corrected_mean(self._store, named, scored, self.record)
        unlike = mean.why is not None and mean.why.code in UNLIKE
        return mean if mean.value is not None or unlike else None

    def slice_columns(self) -> tuple[str, ...]:
        """The columns of the data that divide it, by what its first items have there."""
        judged = {name for judge in self.judges.values() for name in judge.judged}
        columns = self.columns().items()
        return tuple(name for name, values in columns if values and name not in judged)

    def slices(self, column: str) -> Slices:
        """The means within parts of the data; UsageError for a column that no item has."""
        with self._slicing:
            if column not in self._sliced:
                values = self._store.items.column(self.record.id, column)
                parts = sliced(column, values, self.arrays.places, self.graders)
                if all(part.value is None and not part.rest for part in parts.values):
                    reason = Reason("query.no_slice", known=self.slice_columns())
                    raise UsageError(reason.at_parameter("slice", column))
                self._sliced[column] = parts
            return self._sliced[column]

    def _chosen(self, query: Query) -> QueryTarget:
        return target_of(query, self.graders, self.arrays.rules)

    def _order(self, query: Query, about: QueryTarget) -> tuple[Ints, Search | None]:
        """All places in order; those of a search that is not complete are not remembered."""
        key = replace(query, page=1, size=1)
        with self._lock:
            known = self._orders.get(key)
            if known is not None:
                self._orders.move_to_end(key)
                return known, None
            holds, search = matching(self.arrays, query, about), None
            for condition in map(ItemCondition.of, query.where):
                if condition.criterion is None:
                    holds &= meets_in_column(condition, self.column(condition.name))
                else:
                    holds &= meets_in_scores(condition, about.graders, self.items)
            if query.label is not None:
                holds &= self._labelled(query.label, about)
            if query.search.strip():
                matches, search = self._search(query.search.strip())
                holds &= matches
            order = in_order(self.arrays, query, about, holds)
            if query.label is None and (search is None or search.complete):
                remember(self._orders, key, order)
            return order, search

    def column(self, name: str) -> Column:
        """What the items have in a column of the data; UsageError where none has anything."""
        with self._lock:
            column = self._columns.get(name)
            if column is None:
                values = self._store.items.column(self.record.id, name)
                column = Column(values, self.arrays.places)
                if not column.texts:
                    reason = Reason("query.no_column", known=tuple(self.columns()))
                    raise UsageError(reason.at_parameter("column", name))
                remember(self._columns, name, column)
            return column

    def _labelled(self, asked: str, about: QueryTarget) -> Bools:
        data, holds = self.record.manifest.data_hash, np.zeros(self.items, dtype=np.bool_)
        for judge in dict.fromkeys(grader.judge.name for grader in about.graders):
            pairs = [pair for pair in about.pairs() if pair[0].judge.name == judge]
            labels = self._store.labels.of(data, judge)
            holds |= meets_in_labels(asked, pairs, labels, self.arrays.places)
        return holds

    def columns(self) -> Mapping[str, tuple[str, ...]]:
        """The columns of the data, with the values that they have in the first items: none of a
        column whose values are long, or hardly shared."""
        with self._lock:
            return self._known_columns

    @cached_property
    def _known_columns(self) -> Mapping[str, tuple[str, ...]]:
        first = np.argsort(self.arrays.position, kind="stable")[:LOOKED_AT]
        ids = [self.arrays.items[place] for place in first.tolist()]
        return columns_of(self._store.items.get(self.record.id, ids).values())

    def mean_units(self) -> Floats:
        """By item, what `worst` sorts by."""
        pairs = ((grader, name) for grader in self.graders for name in grader.criteria)
        return mean_units(pairs, self.items)

    def _search(self, words: str) -> tuple[Bools, Search]:
        """What is found within a moment; the search itself goes on to the end."""
        search = self._searches.get(words)
        if search is None:
            search = Search(words, np.zeros(self.items, dtype=np.bool_))
            for forgotten in remember(self._searches, words, search):
                forgotten.stop()
            search.start(self._store, self.record.id, self.arrays.places)
        self._searches.move_to_end(words)
        search.ended.wait(TIME)
        if search.error is not None:
            self._searches.pop(words, None)  # whoever asks again has it tried again
            raise search.error
        so_far = replace(search)  # first: where it is complete, the matches are all there
        return search.matches.copy(), so_far

    def stop_searches(self) -> None:
        """When another index has come in place of this one."""
        for search in [*self._searches.values()]:
            search.stop()

    def _searched(self, search: Search) -> float:
        rows = self.items + sum(grader.verdicts for grader in self.graders)
        return 1.0 if search.complete else min(search.read / max(rows, 1), 0.99)


def remember(kept: OrderedDict[K, T], key: K, value: T) -> list[T]:
    """The latest few stay; those that must go are handed back."""
    kept[key] = value
    return [kept.popitem(last=False)[1] for _ in range(len(kept) - _KEPT)]


# When the latest calibration of each judge and model was kept; those without any are not in it.
CalibrationMark = Mapping[tuple[str, str], str]


def calibration_mark(store: Store, record: RunRecord) -> CalibrationMark:
    manifest = record.manifest
    kept = {
        (judge, model): store.calibrations.latest(judge, model)
        for judge in manifest.judges
        for model in manifest.models
    }
    return {grader: latest.created for grader, latest in kept.items() if latest is not None}
