"""Claims and runs belong to those who live, whatever becomes of processes and clocks."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack, closing
from datetime import datetime

import pytest
import sqlalchemy as sa
from hypothesis import given, settings
from hypothesis import strategies as st

from adjudge.stores import RunRecord, State, Store, open_store, owners, tables

from .conftest import record, ticks

RUN = record()


@pytest.fixture(scope="module")
def dead() -> int:
    """The number of a process that has ended."""
    with subprocess.Popen([sys.executable, "-c", ""]) as process:
        process.wait()
    return process.pid


def let(store: Store, **columns: object) -> None:
    """The store's owner as if it had signed like that."""
    query = sa.update(tables.owners).where(tables.owners.c.id == store.owner.id)
    with store.database.writing() as db:
        assert db.execute(query.values(**columns)).rowcount == 1


def rows(store: Store) -> list[int]:
    counted = (tables.owners, tables.workers, tables.claims)
    with store.database.reading() as db:
        return [
            db.execute(sa.select(sa.func.count()).select_from(table)).scalar_one()
            for table in counted
        ]


def shown(store: Store) -> RunRecord:
    return store.runs.find(RUN.id)


class TestClaims:
    def test_of_a_dead_process_of_this_machine(self, store: Store, other: Store, dead: int) -> None:
        store.replies.claim(["a"])
        let(store, pid=dead)
        assert other.replies.claim(["a"]).ours == {"a"}

    def test_a_process_elsewhere_is_believed(self, store: Store, other: Store, dead: int) -> None:
        store.replies.claim(["a"])
        let(store, host="elsewhere", pid=dead)
        assert other.replies.claim(["a"]).ours == frozenset()

    def test_until_it_was_not_heard_of(self, store: Store, other: Store) -> None:
        store.replies.claim(["a"])
        let(store, host="elsewhere", seen=time.time() - 60)
        assert other.replies.claim(["a"]).ours == {"a"}

    def test_a_sign_of_life(self, store: Store, other: Store) -> None:
        store.replies.claim(["a"])
        let(store, host="elsewhere", seen=time.time() - 60)
        store.heartbeat()
        assert other.replies.claim(["a"]).ours == frozenset()

    def test_one_that_was_late_keeps_its_own(self, store: Store, other: Store) -> None:
        store.replies.claim(["a"])
        other.replies.claim(["b"])
        let(store, ticks=ticks(store) - 60)
        assert store.replies.claim(["b"]).ours == frozenset()
        assert other.replies.claim(["a"]).ours == {"a"}  # now somebody else has noticed


class TestARunIsWorkedOn:
    def test_while_its_process_lives(self, store: Store, other: Store) -> None:
        store.runs.start(RUN)
        assert (shown(other).state, shown(other).ended) == ("running", None)
        store.runs.end(RUN.id, "finished")
        assert shown(other).state == "finished"
        assert rows(store) == [0, 0, 0]

    def test_until_its_process_is_gone(self, store: Store, dead: int) -> None:
        store.runs.start(RUN)
        let(store, pid=dead)
        assert shown(store).state == "interrupted"

    def test_whatever_the_time_of_day(self, store: Store) -> None:
        """A clock that was set, or a laptop that slept, is no death."""
        store.runs.start(RUN)
        for seen in (time.time() - 86_400, time.time() + 86_400):
            let(store, seen=seen)
            assert shown(store).state == "running"

    def test_unless_it_hangs_or_the_machine_has_started_anew(self, store: Store) -> None:
        """There is a process of that number, but it did not sign, or in another life."""
        store.runs.start(RUN)
        for off in (-60, 60):
            let(store, ticks=ticks(store) + off)
            assert shown(store).state == "interrupted"

    @pytest.mark.parametrize(
        ("ago", "state"), [(20, "running"), (60, "interrupted"), (-60, "interrupted")]
    )
    def test_elsewhere_by_the_time_of_day(
        self, store: Store, dead: int, ago: float, state: State
    ) -> None:
        store.runs.start(RUN)
        let(store, host="elsewhere", pid=dead, ticks=0, seen=time.time() - ago)
        assert shown(store).state == state

    def test_by_one_of_two(self, store: Store, other: Store, dead: int) -> None:
        store.runs.start(RUN)
        other.runs.start(RUN)
        let(store, pid=dead)
        assert shown(store).state == "running"
        other.runs.end(RUN.id, "interrupted")
        assert shown(store).state == "interrupted"

    def test_by_one_while_the_other_was_stopped(self, store: Store, other: Store) -> None:
        store.runs.start(RUN)
        other.runs.start(RUN)
        store.runs.end(RUN.id, "stopped")
        assert (shown(store).state, shown(store).ended) == ("running", None)
        other.runs.end(RUN.id, "finished")
        assert shown(store).state == "finished"

    def test_not_by_one_that_asks_for_a_finished_run_again(
        self, store: Store, other: Store
    ) -> None:
        store.runs.start(RUN)
        store.runs.end(RUN.id, "finished")
        other.runs.start(RUN)
        assert rows(store) == [0, 0, 0]

    def test_also_while_it_waits_for_its_turn(self, store: Store, other: Store, dead: int) -> None:
        store.runs.start(RUN)
        store.runs.end(RUN.id, "interrupted")
        assert store.jobs.claim(RUN.id)
        assert shown(other).state == "running"
        let(store, pid=dead)
        assert shown(other).state == "interrupted"
        let(store, pid=1)
        store.jobs.release(RUN.id)
        assert rows(store) == [0, 0, 0]

    def test_not_after_the_store_was_closed(self, store: Store, other: Store) -> None:
        store.runs.start(RUN)
        store.close()
        assert shown(other).state == "interrupted"
        assert rows(other) == [0, 0, 0]

    def test_again_once_it_is_heard_of(self, store: Store, other: Store) -> None:
        """One that was late was cleared away by the next that came."""
        store.runs.start(RUN)
        let(store, ticks=ticks(store) - 60)
        other.replies.claim(["a"])
        assert (rows(store)[1], shown(store).state) == (0, "interrupted")
        store.heartbeat()
        assert shown(store).state == "running"


def test_a_run_that_was_cut_off_ended_when_it_was_last_heard_of(
    store: Store, other: Store, dead: int
) -> None:
    store.runs.start(RUN)
    let(store, pid=dead, seen=time.time() - 7)
    for _ in range(2):
        ended = shown(store).ended
        assert ended is not None
        assert time.time() - datetime.fromisoformat(ended).timestamp() == pytest.approx(7, abs=5)
        other.replies.claim(["a"])  # the dead are cleared away, and the time stays
    assert rows(store)[1] == 0
    other.runs.start(RUN)
    assert shown(store).ended is None


STEPS = st.sampled_from(
    ["start", "start", "finished", "interrupted", "stopped", "die", "fall asleep", "sign", "clear"]
)


class Model:
    """What should be shown, told in the simplest way."""

    def __init__(self) -> None:
        self.noted: str = ""
        self.at_work: set[int] = set()
        self.away: set[int] = set()

    def does(self, actor: int, step: str) -> None:
        if step == "start":
            self.at_work.add(actor)
            self.away.discard(actor)
            self.noted = "running"
        elif step in {"die", "fall asleep"}:
            self.away.add(actor)
        elif step == "sign":
            self.away.discard(actor)
        elif step != "clear":
            self.at_work.discard(actor)
            self.noted = step

    @property
    def state(self) -> str:
        if self.noted != "finished" and self.at_work - self.away:
            return "running"
        return "interrupted" if self.noted == "running" else self.noted


@settings(max_examples=20, deadline=None)
@given(steps=st.lists(st.tuples(st.integers(0, 2), STEPS), max_size=12))
def test_running_is_what_somebody_alive_works_on(
    dead: int, new_store_url: Callable[[], str], steps: Sequence[tuple[int, str]]
) -> None:
    """Whatever happens to three that work on one run, in whatever order."""
    url = new_store_url()
    with ExitStack() as opened:
        actors = [opened.enter_context(closing(open_store(url))) for _ in range(3)]
        actors[0].runs.start(RUN)
        model, gone = Model(), set[int]()
        model.does(0, "start")
        for actor, step in steps:
            store = actors[actor]
            works = actor in model.at_work
            if actor in gone or (step != "clear" and (step == "start") == works):
                continue  # the dead do nothing; one starts once, and ends what it has started
            if step == "start" and model.noted == "finished":
                continue  # a complete run is not begun again
            if step == "start":
                store.runs.start(RUN)
            elif step == "die":
                store.heartbeat()
                let(store, pid=dead)
                gone.add(actor)
            elif step == "fall asleep":
                store.heartbeat()
                let(store, ticks=ticks(store) - owners._LEASE - 1)
            elif step == "sign":
                store.heartbeat()
            elif step == "clear":
                with store.database.writing() as db:
                    store.owner.clear_dead(db)
            else:
                store.runs.end(RUN.id, step)  # type: ignore[arg-type]
            model.does(actor, step)
            assert actors[actor - 1].runs.find(RUN.id).state == model.state
