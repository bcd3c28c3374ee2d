"""One run, ready to be looked through: pages of items, what it came to, and parts of it."""

from __future__ import annotations

import copy
import math
import threading
from collections import OrderedDict
from collections.abc import Iterable, Mapping
from concurrent.futures import Future, wait
from dataclasses import dataclass, replace
from functools import cached_property, partial
from threading import Thread
from typing import TypeVar

import numpy as np

from adjudge.analysis.scores.arrays import RunArrays, arrays_of
from adjudge.analysis.scores.grader import Grader
from adjudge.analysis.scores.reader import judges_of
from adjudge.core.judge import Judge
from adjudge.core.reason import Reason
from adjudge.core.scale import value_range
from adjudge.errors import UsageError
from adjudge.stats.arrays import Bools, Ints
from adjudge.stats.stat import Stat
from adjudge.stores import Entry, EntryFilter, Facts, RunRecord, Store
from adjudge.stores.facts import facts_of

from .overview import RunOverview, overview_of
from .query import Query, QueryTarget, target_of
from .rows import ItemRow, PageFigures, rows_of
from .search import TIME, Search
from .selection import can_disagree, costs, disagreement, in_order, latencies, matching
from .slices import LOOKED_AT, Slices, columns_that_divide, sliced

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
    One that knows the `first` items alone is `partial`: what it counts and finds is among those.
    """

    def __init__(self, record: RunRecord, store: Store, first: int | None = None) -> None:
        self.record, self._store = record, store
        self.partial = first is not None
        # First, so that what comes meanwhile is not missed.
        self.mark = store.verdicts.version(record.id)
        self.judges: Mapping[str, Judge] = judges_of(record)
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
        shown = PageFigures(
            places,
            disagreement(self.arrays, about),
            latencies(about.graders, self.items),
            costs(about.graders, self.items),
        )
        contents = self._store.items.get(self.record.id, ids)
        return ItemPage(
            rows_of(self.arrays, self.graders, contents, shown),
            len(order),
            math.ceil(len(order) / query.size),
            query.page,
            query.size,
            search is None or search.complete,
            1.0 if search is None else self._searched(search),
        )

    def neighbours(self, item: str, query: Query) -> Neighbours:
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

        judge = grader.judge.name
        if (judge, grader.model) not in mark or self.record.state == "running":
            return None
        scored = grader.scored(name)
        if value_range(scored.scale) is None or not len(scored.known):
            return None
        named = (judge, grader.model, self.record.manifest.judges[judge])
        mean = corrected_mean(self._store, named, scored, self.record.id)
        return None if mean.value is None else mean

    def slice_columns(self) -> tuple[str, ...]:
        """The columns of the data that divide it, by what its first items have there."""
        with self._lock:
            return self._slice_columns

    @cached_property
    def _slice_columns(self) -> tuple[str, ...]:
        first = np.argsort(self.arrays.position, kind="stable")[:LOOKED_AT]
        ids = [self.arrays.items[place] for place in first.tolist()]
        judged = {name for judge in self.judges.values() for name in judge.judged}
        return columns_that_divide(self._store.items.get(self.record.id, ids).values(), judged)

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

    def entries(self, item: str) -> list[Entry]:
        """All verdicts on the item, as the store has them now; none for an unknown one."""
        return list(self._store.verdicts.entries(self.record.id, item))

    def runs_with(self, item: str) -> tuple[RunRecord, ...]:
        """The runs that judged the same id with the same texts, this one too, the latest first."""
        holding = set(self._store.items.runs_with(self.record.id, item))
        return tuple(run for run in self._store.runs.all() if run.id in holding)

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
            if query.search.strip():
                matches, search = self._search(query.search.strip())
                holds &= matches
            order = in_order(self.arrays, query, about, holds)
            if search is None or search.complete:
                _remember(self._orders, key, order)
            return order, search

    def _search(self, words: str) -> tuple[Bools, Search]:
        """What is found within a moment; the search itself goes on to the end."""
        search = self._searches.get(words)
        if search is None:
            search = Search(words, np.zeros(self.items, dtype=np.bool_))
            for forgotten in _remember(self._searches, words, search):
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


def _remember(kept: OrderedDict[K, T], key: K, value: T) -> list[T]:
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


_RUNS, _BYTES = 8, 200 << 20
LARGE, FIRST = 200_000, 100  # verdicts: of a run that is read ahead, and those shown until then
AT_ONCE = 0.05  # seconds that a page waits for a large run
_OVERVIEWS = 1000


class IndexCache:
    """Hands out indexes and forgets those that were not asked for lately: at most 8 runs, and 200
    MB unless a single one is larger. Any thread may ask; a run is read by one of them."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._lock = threading.Lock()
        self._reading: dict[str, threading.Lock] = {}
        self._indexes: OrderedDict[str, RunIndex] = OrderedDict()
        self._ahead: dict[str, Future[RunIndex]] = {}
        self._firsts: OrderedDict[str, RunIndex] = OrderedDict()
        self._overviews: OrderedDict[str, tuple[object, RunOverview]] = OrderedDict()

    def of(self, run: str) -> RunIndex:
        """The run by its id, by a unique beginning of it, or "latest", as it is now."""
        return self._index(self._store.runs.find(run))

    def soon(self, run: str) -> RunIndex:
        """The same for a page that somebody waits for. A large run takes seconds to be read: until
        that is done, in the background, as it was before, or its first items alone."""
        record = self._store.runs.find(run)
        with self._lock:
            before = self._indexes.get(record.id)
        is_true = before and before.mark == self._store.verdicts.version(record.id)
        if is_true or self._store.runs.progress(record.id).verdicts <= LARGE:
            return self._index(record)
        with self._lock:
            reading = self._ahead.get(record.id)
            if reading is None or reading.done():
                reading = self._ahead[record.id] = Future()
                Thread(target=self._read_ahead, args=(record, reading), daemon=True).start()
        wait([reading], AT_ONCE)
        if reading.done():
            return reading.result()
        return before or self._first_items(record)

    def _read_ahead(self, record: RunRecord, reading: Future[RunIndex]) -> None:
        try:
            index = self._index(record)
            index.overview()
            index.neighbours("", Query())  # what pages of items need
            reading.set_result(index)
        except BaseException as error:
            reading.set_exception(error)

    def _first_items(self, record: RunRecord) -> RunIndex:
        with self._lock:
            known = self._firsts.get(record.id)
        if known is None or known.record != record:
            known = RunIndex(record, self._store, FIRST)
            with self._lock:
                _remember(self._firsts, record.id, known)
        return known

    def overview(self, record: RunRecord) -> RunOverview:
        """`RunIndex.overview`; remembered for longer than the index, for lists of runs."""
        known = self.known_overview(record)
        if known is not None:
            return known
        index = self._index(record)
        overview = index.overview()
        with self._lock:
            self._overviews[record.id] = (index.mark, *self._about(record)), overview
            self._overviews.move_to_end(record.id)
            if len(self._overviews) > _OVERVIEWS:
                self._overviews.popitem(last=False)
        return overview

    def known_overview(self, record: RunRecord) -> RunOverview | None:
        """The same where it is at hand; None where the run would have to be read for it."""
        mark = self._store.verdicts.version(record.id), *self._about(record)
        with self._lock:
            known = self._overviews.get(record.id)
        return known[1] if known and known[0] == mark else None

    def _about(self, record: RunRecord) -> tuple[object, ...]:
        """What an overview rests on beside the verdicts."""
        return calibration_mark(self._store, record), record.state

    def _index(self, record: RunRecord) -> RunIndex:
        with self._lock:
            reading = self._reading.setdefault(record.id, threading.Lock())
        with reading:
            with self._lock:
                known = self._indexes.get(record.id)
            if known is None or known.mark != self._store.verdicts.version(record.id):
                if known is not None:
                    known.stop_searches()
                known = RunIndex(record, self._store)
            elif known.record != record:  # it ended, say, without another verdict
                known = copy.copy(known)
                known.record = record
            self._keep(known)
        return known

    def _keep(self, index: RunIndex) -> None:
        with self._lock:
            self._indexes[index.record.id] = index
            self._indexes.move_to_end(index.record.id)
            while len(self._indexes) > 1 and (
                len(self._indexes) > _RUNS
                or sum(cached.bytes for cached in self._indexes.values()) > _BYTES
            ):
                self._indexes.popitem(last=False)
