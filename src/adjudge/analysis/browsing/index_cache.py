"""The indexes of the runs that were looked at lately, and what each run came to."""

from __future__ import annotations

import copy
import threading
from collections import OrderedDict
from concurrent.futures import Future, wait
from threading import Thread

from adjudge.stores import RunRecord, Store

from .index import RunIndex, calibration_mark, remember
from .items import RunItems
from .overview import RunOverview
from .query import Query

_RUNS, _BYTES = 8, 200 << 20
LARGE, FIRST = 200_000, 100  # verdicts: of a run that is read ahead, and those shown until then
FEW = 20_000  # verdicts that are read before a page shows one of them
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
        known = self._at_hand(record, LARGE)
        if known is None:
            reading = self._being_read(record)
            wait([reading], AT_ONCE)
            known = reading.result() if reading.done() else self._before(record)
        return known or self._first_items(record)

    def items(self, run: str) -> RunItems:
        """The same for a page of one item, which need not wait for any other."""
        record = self._store.runs.find(run)
        known = self._at_hand(record, FEW)
        if known is None:
            self._being_read(record)
            known = self._before(record)
        return known or RunItems(record, self._store)

    def _at_hand(self, record: RunRecord, few: int) -> RunIndex | None:
        """The run as it is now, if it was read or is read in no time."""
        before = self._indexes.get(record.id)
        is_true = before and before.mark == self._store.verdicts.version(record.id)
        if is_true or self._store.runs.progress(record.id).verdicts <= few:
            return self._index(record)
        return None

    def _before(self, record: RunRecord) -> RunIndex | None:
        """What was read of the run before, even if these are only its first items."""
        with self._lock:
            first = self._firsts.get(record.id)
            return self._indexes.get(record.id) or (
                first if first and first.record == record else None
            )

    def _being_read(self, record: RunRecord) -> Future[RunIndex]:
        with self._lock:
            reading = self._ahead.get(record.id)
            if reading is None or reading.done():
                reading = self._ahead[record.id] = Future()
                Thread(target=self._read_ahead, args=(record, reading), daemon=True).start()
        return reading

    def _read_ahead(self, record: RunRecord, reading: Future[RunIndex]) -> None:
        try:
            reading.set_result(self._index(record, ahead=True))
        except BaseException as error:
            reading.set_exception(error)

    def _first_items(self, record: RunRecord) -> RunIndex:
        index = RunIndex(record, self._store, FIRST)
        with self._lock:
            remember(self._firsts, record.id, index)
        return index

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
        """The same if it is in memory; None where the run would have to be read for it."""
        mark = self._store.verdicts.version(record.id), *self._about(record)
        with self._lock:
            known = self._overviews.get(record.id)
        return known[1] if known and known[0] == mark else None

    def _about(self, record: RunRecord) -> tuple[object, ...]:
        """What an overview rests on beside the verdicts."""
        return calibration_mark(self._store, record), record.state

    def _index(self, record: RunRecord, *, ahead: bool = False) -> RunIndex:
        """Read `ahead`, it is handed out with what pages are made of."""
        with self._lock:
            reading = self._reading.setdefault(record.id, threading.Lock())
        with reading:
            with self._lock:
                known = self._indexes.get(record.id)
            if known is None or known.mark != self._store.verdicts.version(record.id):
                if known is not None:
                    known.stop_searches()
                known = RunIndex(record, self._store)
                if ahead:
                    known.overview()
                    known.neighbours("", Query())
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
