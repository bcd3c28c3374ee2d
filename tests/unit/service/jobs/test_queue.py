from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable

from adjudge.service.jobs.queue import AT_ONCE, ActiveJob, JobQueue
from adjudge.stores import KeptJob


def job(name: str) -> KeptJob:
    return KeptJob(id=name, spec={}, run=f"run of {name}")


class Work:
    """Jobs that take until they are let go, or asked to drain."""

    def __init__(self) -> None:
        self.begun: list[str] = []
        self.left: dict[str, str] = {}
        self.go = threading.Event()
        self.deaf = False
        self.queue = JobQueue(self.carry_out)

    def carry_out(self, carried: ActiveJob) -> None:
        self.begun.append(carried.job.id)
        try:
            asyncio.run(self._wait(carried))
        except asyncio.CancelledError:
            self.left[carried.job.id] = "cancelled"

    async def _wait(self, carried: ActiveJob) -> None:
        stop = carried.begin()
        while not self.go.is_set() and (self.deaf or not stop.asked):
            await asyncio.to_thread(self.go.wait, 0.005)
        self.left[carried.job.id] = "drained" if stop.asked else "done"


def wait_until(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 10
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.005)


def test_some_at_once_the_others_in_turn() -> None:
    work = Work()
    names = [f"j{n}" for n in range(AT_ONCE + 2)]
    for name in names:
        work.queue.put(job(name))
    wait_until(lambda: work.queue.count(under_way=True) == AT_ONCE)
    assert work.queue.count(under_way=False) == 2
    assert sorted(work.begun) == names[:AT_ONCE]
    assert [each.job.id for each in work.queue.of_run("run of j3")] == ["j3"]
    work.go.set()
    wait_until(lambda: not work.queue)
    assert work.left == dict.fromkeys(names, "done")
    assert work.queue.of_run("run of j3") == []


def test_at_the_end_those_under_way_drain_and_no_other_begins() -> None:
    work = Work()
    for n in range(AT_ONCE + 1):
        work.queue.put(job(f"j{n}"))
    wait_until(lambda: work.queue.count(under_way=True) == AT_ONCE)
    work.queue.end()
    work.queue.put(job("late"))
    assert work.queue.wait(10)
    assert work.left == {"j0": "drained", "j1": "drained"}


def test_those_that_do_not_drain_are_cancelled() -> None:
    work = Work()
    work.deaf = True
    work.queue.put(job("j"))
    wait_until(lambda: work.queue.count(under_way=True) == 1)
    work.queue.end()
    assert not work.queue.wait(0.05)
    work.queue.end(cancel=True)
    assert work.queue.wait(10)
    assert work.left == {"j": "cancelled"}


def test_one_that_fails_makes_room() -> None:
    def fails(_: ActiveJob) -> None:
        raise RuntimeError

    queue = JobQueue(fails)
    queue.put(job("j"))
    wait_until(lambda: not queue)
