"""Jobs wait here for their turn; each that has it gets a thread of its own."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from adjudge.stores.records import KeptJob

from .carried import Carried

AT_ONCE = 2  # runs; others wait for their turn


class JobQueue:
    """Every method may be called from any thread; `carry_out` blocks for as long as a job takes.

    Whoever decides that a run comes into hand has `admitting` until it is in the queue.
    """

    def __init__(self, carry_out: Callable[[Carried], None]) -> None:
        self._carry_out = carry_out
        self.admitting = threading.Lock()
        self._lock = threading.Lock()
        self._carried: dict[str, Carried] = {}
        self._threads = ThreadPoolExecutor(AT_ONCE, "adjudge-run")
        self.closing = False

    def put(self, job: KeptJob) -> None:
        carried = Carried(job)
        with self._lock:
            if self.closing:
                return  # it is in the store; the next process goes on with it
            self._carried[job.id] = carried
            self._threads.submit(self._turn, carried)

    def _turn(self, carried: Carried) -> None:
        try:
            self._carry_out(carried)
        finally:
            with self._lock:
                del self._carried[carried.job.id]

    def of_run(self, run_id: str) -> list[Carried]:
        with self._lock:
            return [each for each in self._carried.values() if each.job.run == run_id]

    def count(self, *, under_way: bool) -> int:
        with self._lock:
            return sum(each.under_way is under_way for each in self._carried.values())

    def __bool__(self) -> bool:
        return bool(self._carried)

    def end(self, *, at_once: bool = False) -> None:
        """No job begins any more; those under way drain, or are cancelled at once."""
        with self._lock:
            self.closing = True
            for each in self._carried.values():
                each.end(at_once=at_once)
        self._threads.shutdown(wait=False, cancel_futures=True)

    def wait(self, seconds: float) -> bool:
        """After `end`: whether all have ended before so many seconds were over."""
        waiting = threading.Thread(target=self._threads.shutdown, daemon=True)
        waiting.start()
        waiting.join(seconds)
        return not waiting.is_alive()
