"""The runs that somebody looks at just now, kept ready."""

from __future__ import annotations

import copy
import threading
from collections import OrderedDict

from adjudge.stores import RunRecord, Store

from .index import RunIndex
from .overview import RunOverview

_RUNS, _BYTES = 8, 200 << 20
_OVERVIEWS = 1000


class IndexCache:
    """Hands out indexes and forgets those that were not asked for lately: at most 8 runs, and 200
    MB unless a single one is larger. Any thread may ask; a run is read by one of them."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._lock = threading.Lock()
        self._reading: dict[str, threading.Lock] = {}
        self._indexes: OrderedDict[str, RunIndex] = OrderedDict()
        self._overviews: OrderedDict[str, tuple[int, RunOverview]] = OrderedDict()

    def of(self, run: str) -> RunIndex:
        """The run by its id, by a unique beginning of it, or "latest", as it is now."""
        return self._index(self._store.runs.find(run))

    def overview(self, record: RunRecord) -> RunOverview:
        """`RunIndex.overview`; remembered for longer than the index, for lists of runs."""
        known = self.known_overview(record)
        if known is not None:
            return known
        index = self._index(record)
        overview = index.overview()
        with self._lock:
            self._overviews[record.id] = index.mark, overview
            self._overviews.move_to_end(record.id)
            if len(self._overviews) > _OVERVIEWS:
                self._overviews.popitem(last=False)
        return overview

    def known_overview(self, record: RunRecord) -> RunOverview | None:
        """The same where it is at hand; None where the run would have to be read for it."""
        mark = self._store.verdicts.version(record.id)
        with self._lock:
            known = self._overviews.get(record.id)
        return known[1] if known and known[0] == mark else None

    def _index(self, record: RunRecord) -> RunIndex:
        with self._lock:
            reading = self._reading.setdefault(record.id, threading.Lock())
        with reading:
            with self._lock:
                known = self._indexes.get(record.id)
            if known is None or known.mark != self._store.verdicts.version(record.id):
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
