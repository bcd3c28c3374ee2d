"""In which order items are asked about, kept between the questions."""

from __future__ import annotations

from collections import OrderedDict
from threading import Lock
from typing import NamedTuple

from adjudge.analysis.labelling import Labelling, queue_of
from adjudge.analysis.queue import Queue
from adjudge.stores.base import Store
from adjudge.stores.records import RunRecord

_MOST = 8  # queues; one of 100,000 items takes about 20 MB


class _Made(NamedTuple):
    mark: int
    queue: Queue


class LabelQueues:
    """The queues used last. Making one reads the whole run, a question must not."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._made: OrderedDict[object, _Made] = OrderedDict()
        self._lock = Lock()  # held while one is made: a second request for it waits

    def of(self, record: RunRecord, judge: str, chosen: Labelling, *, goes_on: bool) -> Queue:
        """The items to ask about, at most `chosen.limit`.

        A rater who `goes_on` has the order that was there before, also while the run gets more
        verdicts; whoever begins has the one that fits them now.
        """
        mark = self._store.mark(record.id)
        by_doubt = chosen.criteria if chosen.pick == "uncertain" else ()
        order = (record.id, judge, chosen.pick, chosen.seed, by_doubt)
        with self._lock:
            known = self._made.get((order, chosen.limit))
            if known and (goes_on or known.mark == mark):
                self._made.move_to_end((order, chosen.limit))
                return known.queue
            queue = Queue(queue_of(record, self._store, judge, chosen)[: chosen.limit])
            self._made[order, chosen.limit] = _Made(mark, queue)
            if len(self._made) > _MOST:
                self._made.popitem(last=False)
            return queue
