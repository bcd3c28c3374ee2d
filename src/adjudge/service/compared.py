"""Two runs beside each other, worked out once for each state of both."""

from __future__ import annotations

from collections import OrderedDict
from concurrent.futures import Future
from threading import Lock, Thread

from adjudge.analysis.compare import compare_runs
from adjudge.analysis.comparison import CompareOptions, Comparison
from adjudge.analysis.sides import Source
from adjudge.errors import UsageError
from adjudge.stores.base import Store
from adjudge.stores.records import RunRecord

_MOST = 16  # comparisons; movers are all that they hold of the items


class ComparedRuns:
    """The comparisons looked at last. Large runs take seconds: whoever asks waits as long as they
    like, and asks again later."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._made: OrderedDict[object, Future[Comparison]] = OrderedDict()
        self._lock = Lock()
        self._turn = Lock()  # one at a time: each holds the items of two runs

    def of(self, a: RunRecord, b: RunRecord, options: CompareOptions) -> Future[Comparison]:
        """Holds the comparison as soon as it is there, or the UsageError that says why not."""
        key = (*self._state(a), *self._state(b), options)
        with self._lock:
            found = self._made.get(key)
            if found is None or not _lasting(found):
                found = self._made[key] = Future()
                work = (found, Source(a, self._store), Source(b, self._store), options)
                # Dies with the process: nothing is lost by it.
                Thread(target=self._compare, args=work, name="compare", daemon=True).start()
                if len(self._made) > _MOST:
                    self._made.popitem(last=False)
            self._made.move_to_end(key)
            return found

    def _compare(
        self, made: Future[Comparison], a: Source, b: Source, options: CompareOptions
    ) -> None:
        with self._turn:
            try:
                made.set_result(compare_runs(a, b, options))
            except BaseException as error:
                made.set_exception(error)

    def _state(self, record: RunRecord) -> tuple[str, int, str]:
        return record.id, self._store.mark(record.id), record.state


def _lasting(made: Future[Comparison]) -> bool:
    """A store that could not be read may be readable the next time."""
    return not made.done() or made.exception() is None or isinstance(made.exception(), UsageError)
