"""One run, ready to be looked through: pages of items, what it came to, and parts of it."""

from __future__ import annotations

import math
import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TypeVar

import numpy as np

from adjudge.core.judge import Judge
from adjudge.errors import UsageError
from adjudge.running.reread import judge_as_kept
from adjudge.stats.arrays import Bools, Ints
from adjudge.stores.base import Store
from adjudge.stores.records import Entry, RunRecord

from .chosen import Chosen, chosen
from .columns import Columns, read_columns
from .disagreement import disagreement, possible
from .graders import Grader
from .overview import RunOverview, overview
from .picking import costs, in_order, latencies, let_through
from .query import Query
from .rows import Row, Shown, rows_of
from .searching import Search, go_on
from .slicing import LOOKED_AT, Slices, columns_that_divide, sliced

_KEPT = 16  # searches and orders that are remembered
K = TypeVar("K")
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Page:
    """Some of the `total` items that a query lets through. Where a search is not `complete` there
    may be more of them: it had to stop, and goes on when it is asked again; `searched` is the share
    (0-1) of the texts that it has read."""

    rows: tuple[Row, ...]
    total: int
    pages: int
    page: int
    size: int
    complete: bool = True
    searched: float = 1.0


@dataclass(frozen=True, slots=True)
class Neighbours:
    """The items beside one in the order of a query, and its `place` there from 1 to `total`; all
    None where the query does not let it through."""

    before: str | None
    after: str | None
    place: int | None
    total: int


class RunIndex:
    """What a run holds at one moment; `mark` is the store's, and tells that moment from others.

    Methods may be called from several threads. `entries` and texts come from the store as it is.
    """

    def __init__(self, record: RunRecord, store: Store) -> None:
        self.record, self._store = record, store
        self.mark = store.mark(record.id)  # first, so that what comes meanwhile is not missed
        self.judges: Mapping[str, Judge] = {
            name: judge_as_kept(record, name) for name in record.sources
        }
        self._columns = read_columns(store.facts(record.id), self.judges)
        self.graders = tuple(
            Grader(self.judges[judge], model, samples)
            for (judge, model), samples in self._columns.repeats.items()
        )
        self._lock = threading.RLock()
        self._slicing = threading.Lock()  # its own: pages are shown while a column is read
        self._searches: OrderedDict[str, Search] = OrderedDict()
        self._orders: OrderedDict[Query, Ints] = OrderedDict()
        self._sliced: dict[str, Slices] = {}

    @property
    def items(self) -> int:
        return len(self._columns.items)

    @property
    def columns(self) -> Columns:
        """The figures themselves, for whoever makes more of them."""
        return self._columns

    @property
    def bytes(self) -> int:
        """About how much memory it holds."""
        return self._columns.bytes

    @property
    def rules(self) -> tuple[str, ...]:
        """The ids of the rules that fired somewhere."""
        return tuple(sorted(self._columns.rules[1:]))

    @property
    def has_disagreement(self) -> bool:
        """Whether items were judged more than once."""
        return possible(self.graders)

    @cached_property
    def _places(self) -> dict[str, int]:
        return {item: place for place, item in enumerate(self._columns.items)}

    def page(self, query: Query) -> Page:
        """UsageError where the query names what the run does not have."""
        about = self._chosen(query)
        order, search = self._order(query, about)
        start = (query.page - 1) * query.size
        places = order[start : start + query.size]
        ids = [self._columns.items[place] for place in places.tolist()]
        shown = Shown(
            places,
            disagreement(self._columns, about),
            latencies(about.graders, self.items),
            costs(about.graders, self.items),
        )
        contents = self._store.contents(self.record.id, ids)
        return Page(
            rows_of(self._columns, self.graders, contents, shown),
            len(order),
            math.ceil(len(order) / query.size),
            query.page,
            query.size,
            search is None or search.complete,
            1.0 if search is None else self._searched(search),
        )

    def neighbours(self, item: str, query: Query) -> Neighbours:
        order, _ = self._order(query, self._chosen(query))
        place = self._places.get(item)
        at = np.flatnonzero(order == (-1 if place is None else place)).tolist()
        if not at:
            return Neighbours(None, None, None, len(order))
        (here,) = at
        ids = self._columns.items
        before = ids[order[here - 1]] if here else None
        after = ids[order[here + 1]] if here + 1 < len(order) else None
        return Neighbours(before, after, here + 1, len(order))

    def summary(self) -> RunOverview:
        with self._lock:
            return self._overview

    @cached_property
    def _overview(self) -> RunOverview:
        return overview(self._columns, self.graders)

    def slice_columns(self) -> tuple[str, ...]:
        """The columns of the data that divide it, by what its first items have there."""
        with self._lock:
            return self._slice_columns

    @cached_property
    def _slice_columns(self) -> tuple[str, ...]:
        first = np.argsort(self._columns.position, kind="stable")[:LOOKED_AT]
        ids = [self._columns.items[place] for place in first.tolist()]
        judged = {name for judge in self.judges.values() for name in judge.judged}
        return columns_that_divide(self._store.contents(self.record.id, ids).values(), judged)

    def slices(self, column: str) -> Slices:
        """The means within parts of the data; UsageError for a column that does not divide it."""
        known = self.slice_columns()
        if column not in known:
            raise UsageError(
                f"slice={column}: no column that divides the data into 2 to 12 parts by short"
                f" values. These do: {', '.join(known) or 'none'}."
            )
        with self._slicing:
            if column not in self._sliced:
                values = self._store.column(self.record.id, column)
                self._sliced[column] = sliced(column, values, self._places, self.graders)
            return self._sliced[column]

    def entries(self, item: str) -> list[Entry]:
        """All verdicts on the item, as the store has them now; none for an unknown one."""
        return list(self._store.entries(self.record.id, item))

    def runs_with(self, item: str) -> tuple[RunRecord, ...]:
        """The runs that judged the same id with the same texts, this one too, the latest first."""
        holding = set(self._store.holding(self.record.id, item))
        return tuple(run for run in self._store.runs() if run.id in holding)

    def _chosen(self, query: Query) -> Chosen:
        return chosen(query, self.graders, self._columns.rules)

    def _order(self, query: Query, about: Chosen) -> tuple[Ints, Search | None]:
        """All places in order; those of a search that is not complete are not remembered."""
        key = replace(query, page=1, size=1)
        with self._lock:
            known = self._orders.get(key)
            if known is not None:
                self._orders.move_to_end(key)
                return known, None
            holds, search = let_through(self._columns, query, about), None
            if query.search.strip():
                found, search = self._search(query.search.strip())
                holds &= found
            order = in_order(self._columns, query, about, holds)
            if search is None or search.complete:
                _remember(self._orders, key, lambda: order)
            return order, search

    def _search(self, words: str) -> tuple[Bools, Search]:
        search = _remember(
            self._searches, words, lambda: Search(words, np.zeros(self.items, dtype=np.bool_))
        )
        go_on(search, self._store, self.record.id, self._places)
        return search.found, search

    def _searched(self, search: Search) -> float:
        rows = self.items + sum(
            int(each.here.sum()) for grader in self.graders for each in grader.samples.values()
        )
        return 1.0 if search.complete else min(search.read / max(rows, 1), 0.99)


def _remember(kept: OrderedDict[K, T], key: K, make: Callable[[], T]) -> T:
    """The latest few stay."""
    if key not in kept:
        kept[key] = make()
        if len(kept) > _KEPT:
            kept.popitem(last=False)
    kept.move_to_end(key)
    return kept[key]
