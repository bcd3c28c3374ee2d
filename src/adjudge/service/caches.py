"""What takes seconds for a large run is computed once, and kept for that state of the run.

`BackgroundResults` does that in a thread, while pages go on.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import Future, wait
from dataclasses import dataclass
from functools import partial
from threading import Lock, Thread
from time import monotonic
from typing import Generic, TypeVar

from adjudge.analysis.calibration import CalibrateOptions, Calibration, calibrate_run
from adjudge.analysis.comparison import CompareOptions, Comparison, StoredRun, compare_runs
from adjudge.analysis.labelling import LabelOptions, Queue, queue_of
from adjudge.core.label import Label
from adjudge.errors import DataError, UsageError
from adjudge.stores import RunRecord, Store

PATIENCE = 5.0  # seconds after which a page says that it takes longer
LARGE, _AT_ONCE = 10_000, 0.2  # items from which a page does not wait for its figures, but so long
AGAIN = 1  # seconds after which the browser asks again

T = TypeVar("T")


class BackgroundResults(Generic[T]):
    """The answers that were asked for last, at most so many."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._made: OrderedDict[object, Future[T]] = OrderedDict()
        self._lock = Lock()
        self.turn = Lock()  # one at a time: each holds the items of whole runs

    def of(self, key: object, work: Callable[[], T]) -> Future[T]:
        """Holds what `work` gives as soon as it is there, or the error that says why not."""
        with self._lock:
            result = self._made.get(key)
            if result is not None and not _is_final(result):
                return self._made.pop(key)  # reported once; the next request tries again
            if result is None:
                result = self._made[key] = Future()
                # Dies with the process: nothing is lost by it.
                Thread(target=self._work, args=(result, work), daemon=True).start()
                if len(self._made) > self._most:
                    self._made.popitem(last=False)
            self._made.move_to_end(key)
            return result

    def known(self, key: object) -> Future[T] | None:
        """What was asked for before; None where it was not, or failed in a way that may pass."""
        with self._lock:
            result = self._made.get(key)
            return result if result is not None and _is_final(result) else None

    def _work(self, result: Future[T], work: Callable[[], T]) -> None:
        with self.turn:
            try:
                result.set_result(work())
            except BaseException as error:
                result.set_exception(error)


def result_in_time(result: Future[T], since: float, items: int) -> T | None:
    """What it holds about so many items; None where that is not there in time for a page that was
    asked for at `since`, by the monotonic clock."""
    until = since + (_AT_ONCE if items > LARGE else PATIENCE)
    wait([result], max(0.0, until - monotonic()))
    return result.result() if result.done() else None


def _is_final(result: Future[T]) -> bool:
    """A store that cannot be read now may be readable later."""
    error = result.exception() if result.done() else None
    return error is None or isinstance(error, UsageError | DataError)


_CALIBRATIONS = 16  # calibrations; one of 100,000 items takes about 10 MB


@dataclass(frozen=True, slots=True)
class CalibrationQuery:
    """One judge and model of a run; `group` is the column whose items belong together, `without`
    are raters whose labels are left aside."""

    judge: str
    model: str
    group: str | None = None
    without: tuple[str, ...] = ()


class CalibrationCache:
    """The calibrations opened last. Opening one keeps nothing for gates."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self.kept: BackgroundResults[Calibration] = BackgroundResults(_CALIBRATIONS)

    def of(self, record: RunRecord, grading: CalibrationQuery) -> tuple[str, Future[Calibration]]:
        """The state that it is of; and what holds the calibration as soon as it is there, or the
        DataError that says why not."""
        labels = self._labels(record, grading)
        version, labels_hash = self._store.verdicts.version(record.id), hash(tuple(labels))

        work = partial(self._calibrate, record, grading, labels, keep=False)
        result = self.kept.of((record.id, version, labels_hash, grading), work)
        return f"{version}-{labels_hash:x}", result

    def keep(self, record: RunRecord, grading: CalibrationQuery) -> Calibration:
        """What `adjudge calibrate` does: gates on later runs use it."""
        return self._calibrate(record, grading, self._labels(record, grading), keep=True)

    def _labels(self, record: RunRecord, grading: CalibrationQuery) -> list[Label]:
        labels = self._store.labels.of(record.manifest.data_hash, grading.judge)
        return [label for label in labels if label.rater not in grading.without]

    def _calibrate(
        self, record: RunRecord, grading: CalibrationQuery, labels: list[Label], *, keep: bool
    ) -> Calibration:
        options = CalibrateOptions(judge=grading.judge, model=grading.model, group=grading.group)
        return calibrate_run(record, self._store, lambda *_: labels, options, keep=keep)


_COMPARISONS = 16  # comparisons; movers are all that they hold of the items


class ComparisonCache:
    """The comparisons looked at last. Large runs take seconds: whoever asks waits as long as they
    like, and asks again later."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self.kept: BackgroundResults[Comparison] = BackgroundResults(_COMPARISONS)

    def of(self, a: RunRecord, b: RunRecord, options: CompareOptions) -> Future[Comparison]:
        """Holds the comparison as soon as it is there, or the UsageError that says why not."""
        sides = StoredRun(a, self._store), StoredRun(b, self._store)
        key = (*self._state(a), *self._state(b), options)
        return self.kept.of(key, partial(compare_runs, *sides, options))

    def _state(self, record: RunRecord) -> tuple[str, int, str]:
        return record.id, self._store.verdicts.version(record.id), record.state


_QUEUES = 8  # queues; one of 100,000 items takes about 20 MB


class LabelQueueCache:
    """The queues used last. Making one reads the whole run, a question must not."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._made: OrderedDict[object, tuple[int, Queue]] = OrderedDict()
        self._lock = Lock()  # held while one is made: a second request for it waits

    def of(self, record: RunRecord, judge: str, chosen: LabelOptions, *, goes_on: bool) -> Queue:
        """The items to ask about, at most `chosen.limit`.

        A rater who `goes_on` has the order that was there before, also while the run gets more
        verdicts; whoever begins has the one that fits them now.
        """
        version = self._store.verdicts.version(record.id)
        by_doubt = chosen.criteria if chosen.pick == "uncertain" else ()
        shared = (chosen.team, chosen.overlap, chosen.rater) if chosen.team else ()
        order = (record.id, judge, chosen.pick, chosen.seed, by_doubt, *shared)
        with self._lock:
            last = self._made.get((order, chosen.limit))
            if last and (goes_on or last[0] == version):
                self._made.move_to_end((order, chosen.limit))
                return last[1]
            queue = Queue(chosen.share_of(queue_of(record, self._store, judge, chosen)))
            self._made[order, chosen.limit] = version, queue
            if len(self._made) > _QUEUES:
                self._made.popitem(last=False)
            return queue
