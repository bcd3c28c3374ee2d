from __future__ import annotations

from dataclasses import replace

import pytest

from adjudge.errors import StoreError
from adjudge.stores import JobState, KeptJob, Store

SPEC = {"judges": ["chatbot"], "limit": None, "map": {"answer": "답"}}
JOB = KeptJob(id="a", spec=SPEC, token="t", created="2026-01-01")  # noqa: S106 - an id


def test_what_was_added_comes_back(store: Store) -> None:
    store.jobs.add(JOB)
    assert store.jobs.find("a") == JOB
    assert store.jobs.find("b") is None


def test_a_job_without_a_time_is_of_now(store: Store) -> None:
    store.jobs.add(replace(JOB, created=""))
    found = store.jobs.find("a")
    assert found is not None
    assert found.created.endswith("+00:00")


def test_an_id_is_given_once(store: Store) -> None:
    store.jobs.add(JOB)
    with pytest.raises(StoreError, match=r"(?i)unique"):
        store.jobs.add(JOB)


def test_what_becomes_of_it(store: Store) -> None:
    store.jobs.add(JOB)
    store.jobs.add(replace(JOB, id="other"))
    store.jobs.update("a", "running", run="r1")
    assert store.jobs.find("a") == replace(JOB, state="running", run="r1")
    store.jobs.update("a", "failed", problem="no such model")
    ended = replace(JOB, state="failed", run="r1", problem="no such model")
    assert store.jobs.find("a") == ended  # the run stays
    assert store.jobs.find("other") == replace(JOB, id="other")
    store.jobs.update("unknown", "failed")
    assert store.jobs.find("unknown") is None


def test_those_of_a_run_the_latest_first(store: Store) -> None:
    for name, created, run in (("a", "2", "r"), ("b", "3", "r"), ("c", "1", "r"), ("d", "4", "s")):
        store.jobs.add(replace(JOB, id=name, created=created, run=run))
    assert [job.id for job in store.jobs.of_run("r")] == ["b", "a", "c"]
    assert store.jobs.of_run("unknown") == []


def test_those_that_wait_or_run_the_oldest_first(store: Store) -> None:
    states: tuple[JobState, ...] = ("finished", "running", "failed", "waiting", "stopped")
    for number, state in enumerate(states):
        store.jobs.add(replace(JOB, id=state, created=str(9 - number), state=state))
    assert [job.id for job in store.jobs.open()] == ["waiting", "running"]
