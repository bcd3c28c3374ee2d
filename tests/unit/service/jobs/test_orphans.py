from __future__ import annotations

import time
from collections import Counter
from dataclasses import asdict, replace
from pathlib import Path

import pytest
from tests.servers import ChatServer, after, says
from tests.service import QUICK, Running, running_service

from adjudge.service.jobs import uploads as uploads_module
from adjudge.service.jobs.plan import JobSpec
from adjudge.stores import KeptJob, open_store

from .conftest import GOOD, ended, options, spec


def test_open_jobs_are_taken_up_and_those_that_cannot_say_why(
    tmp_path: Path, server: ChatServer
) -> None:
    with running_service(options(tmp_path, server, "openai/m", "openai/old")) as running:
        # What a process that was killed before its run began leaves behind.
        store = running.service.store
        for job_id, model in (("goes-on", "openai/m"), ("cannot", "openai/old")):
            planned = running.service.jobs._planner.plan(spec(running, model=model))
            store.runs.start(planned.batch.run)
            kept = asdict(spec(running, model=model))
            store.jobs.add(KeptJob(id=job_id, spec=kept, run=planned.batch.run.id))
    with running_service(options(tmp_path, server)) as running:
        going, cannot = (running.service.store.jobs.find(name) for name in ("goes-on", "cannot"))
        assert going is not None
        assert cannot is not None
        assert ended(running, going).state == "finished"
        failed = ended(running, cannot)
    assert failed.state == "failed"
    assert "openai/old" in str(failed.failure)
    store = open_store(str(tmp_path / "runs.db"))
    assert store.runs.find(str(failed.run)).state == "failed"
    store.close()


def test_of_two_services_on_one_store_one_carries_a_run_out(
    tmp_path: Path, server: ChatServer
) -> None:
    given = options(tmp_path, server)
    rows = b"".join(
        b'{"id": "%d", "question": "Q?", "answer": "A%d."}\n' % (n, n) for n in range(9)
    )
    server.answer = lambda _: after(2.0, says(GOOD))
    with running_service(given) as one:
        job = one.service.jobs.submit(spec(one, rows))
        server.wait_for(1)
        with running_service(given) as other:
            time.sleep(0.2)  # some beats, in which it could take up the job
            assert one.service.jobs.state_of(str(job.run)) == "running"
            assert other.service.jobs.state_of(str(job.run)) is None
            assert other.service.jobs.submit(spec(other, rows)).id == job.id
            assert ended(one, job).state == "finished"
    asked = Counter(body["messages"][-1]["content"] for body in server.asked)
    assert (len(asked), max(asked.values())) == (9, 1)


def test_what_a_service_leaves_another_one_takes_up(
    tmp_path: Path, server: ChatServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = options(tmp_path, server)
    with running_service(given) as other:
        with running_service(given) as one:
            monkeypatch.setattr(one.service.jobs._queue, "put", lambda _: None)  # it only waits
            job = one.service.jobs.submit(spec(one))
            time.sleep(0.2)
            assert other.service.jobs.state_of(str(job.run)) is None
        assert ended(other, job).state == "finished"


def test_data_that_no_job_needs_are_removed(
    tmp_path: Path, server: ChatServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    with running_service(options(tmp_path, server)) as running:
        server.answer = lambda _: after(0.3, says(GOOD))
        monkeypatch.setattr(uploads_module, "_SPARED", 600.0)
        job = running.service.jobs.submit(spec(running))
        monkeypatch.setattr(uploads_module, "_SPARED", -1.0)
        folder = running.service.jobs.uploads.folder
        time.sleep(0.1)
        assert len(list(folder.iterdir())) == 1  # it is under way
        assert ended(running, job).state == "finished"
        for _ in range(100):
            if not list(folder.iterdir()):
                break
            time.sleep(0.05)
        assert not list(folder.iterdir())
        monkeypatch.setattr(uploads_module, "_SPARED", 600.0)
        assert running.service.jobs.submit(spec(running)).state == "finished"  # brings them along


def left_behind(running: Running, job_id: str) -> KeptJob:
    """What a process that was killed in the middle of a run leaves in the store."""
    store, kept = running.service.store, spec(running)
    planned = running.service.jobs._planner.plan(kept)
    store.runs.start(planned.batch.run)
    job = KeptJob(id=job_id, spec=asdict(kept), run=planned.batch.run.id, state="running")
    store.jobs.add(job)
    return job


def test_a_job_that_never_gets_on_is_given_up(tmp_path: Path, server: ChatServer) -> None:
    # The service's own looks for orphaned jobs must not come between ours.
    seldom = replace(options(tmp_path, server), waits=replace(QUICK, heartbeat=600.0))
    with running_service(seldom) as running:
        job, store = left_behind(running, "never"), running.service.store
        taken: list[KeptJob] = []
        running.service.jobs._queue.put = taken.append  # type: ignore[method-assign]
        for times in range(1, 4):
            running.service.jobs._take_orphans()
            running.service.jobs._take_orphans()  # it only waited: nothing has gone wrong again
            assert [JobSpec.of(each).taken_up for each in taken] == [times, times]
            taken.clear()
            store.jobs.update(job.id, "running")
        running.service.jobs._take_orphans()
        found = store.jobs.find(job.id)
        assert found is not None
        assert (found.state, taken) == ("failed", [])
        assert "3 times" in str(found.failure)
        assert store.runs.find(str(job.run)).state == "failed"
