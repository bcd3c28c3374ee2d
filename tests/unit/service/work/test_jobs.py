from __future__ import annotations

import json
import time
from collections import Counter
from pathlib import Path

import pytest
from tests.servers import ChatServer, after, says
from tests.service import Running, running_service

from adjudge.errors import DataError, UnknownName
from adjudge.service.options import ServeOptions
from adjudge.service.work import jobs as module
from adjudge.service.work import uploads as uploads_module
from adjudge.service.work.spec import JobSpec
from adjudge.stores.records import KeptJob
from adjudge.stores.registry import open_store

GOOD = json.dumps({"evaluation": "It says what was wanted, and it is right.", "rating": 4})
ROWS = b'{"id": "a", "question": "Q?", "answer": "A."}\n'


def options(tmp_path: Path, server: ChatServer, *models: str) -> ServeOptions:
    server.answer = lambda _: says(GOOD)
    return ServeOptions(
        store=str(tmp_path / "runs.db"), models=models or ("openai/m",), base_url=server.base_url
    )


def spec(running: Running, rows: bytes = ROWS, model: str = "openai/m") -> JobSpec:
    kept = running.service.jobs.uploads.keep([rows], "rows.jsonl")
    return JobSpec(data=kept, title="mine.jsonl", judges=("helpfulness",), models=(model,))


def ended(running: Running, job: KeptJob) -> KeptJob:
    running.ask(f"/api/v1/runs/{job.run}/events")
    found = running.service.store.jobs.find(job.id)
    assert found is not None
    return found


def test_a_spec_outlives_the_process() -> None:
    given = JobSpec(data="x.csv", title="t", judges=("a",), models=("m",), options={"limit": 3})
    assert JobSpec.of(json.loads(json.dumps(given.as_kept()))) == given


def test_the_run_is_known_before_it_begins(tmp_path: Path, server: ChatServer) -> None:
    with running_service(options(tmp_path, server)) as running:
        server.answer = lambda _: after(0.5, says(GOOD))
        job = running.service.jobs.submit(spec(running), "ann")
        assert job.run is not None
        assert running.service.store.find(job.run).manifest.data == "mine.jsonl"
        assert running.service.jobs.submit(spec(running)).id == job.id  # it is under way
        assert running.service.jobs.state_of(job.run) in {"waiting", "running"}
        assert ended(running, job).state == "finished"
        assert running.service.jobs.state_of(job.run) is None
        assert ended(running, job).token == "ann"  # noqa: S105 - its id


def test_what_cannot_be_run_leaves_no_job(tmp_path: Path, server: ChatServer) -> None:
    with running_service(options(tmp_path, server)) as running:
        with pytest.raises(DataError, match=r"mine\.jsonl"):
            running.service.jobs.submit(spec(running, b'{"question": "Q?"}\n'))
        with pytest.raises(UnknownName):
            running.service.jobs.submit(spec(running, model="openai/other"))
        assert running.service.store.jobs.open() == []
        assert running.service.store.runs() == []


def test_open_jobs_are_taken_up_and_those_that_cannot_say_why(
    tmp_path: Path, server: ChatServer
) -> None:
    with running_service(options(tmp_path, server, "openai/m", "openai/old")) as running:
        # What a process that was killed before its run began leaves behind.
        store = running.service.store
        for job_id, model in (("goes-on", "openai/m"), ("cannot", "openai/old")):
            planned = running.service.jobs._plan(spec(running, model=model))
            store.start(planned.batch.run)
            kept = spec(running, model=model).as_kept()
            store.jobs.add(KeptJob(id=job_id, spec=kept, run=planned.batch.run.id))
    with running_service(options(tmp_path, server)) as running:
        going, cannot = (running.service.store.jobs.find(name) for name in ("goes-on", "cannot"))
        assert going is not None
        assert cannot is not None
        assert ended(running, going).state == "finished"
        failed = ended(running, cannot)
    assert failed.state == "failed"
    assert "openai/old" in str(failed.problem)
    store = open_store(str(tmp_path / "runs.db"))
    assert store.find(str(failed.run)).state == "failed"
    store.close()


def test_a_run_that_has_all_its_answers_is_left_as_it_is(
    tmp_path: Path, server: ChatServer
) -> None:
    with running_service(options(tmp_path, server)) as running:
        first = running.service.jobs.submit(spec(running))
        assert ended(running, first).state == "finished"
        before = running.service.store.find(str(first.run))
        again = running.service.jobs.submit(spec(running))
        assert (again.run, again.state) == (first.run, "finished")
        assert running.service.store.find(str(first.run)) == before
        assert running.service.store.jobs.open() == []
    assert len(server.asked) == 1


def test_of_two_services_on_one_store_one_carries_a_run_out(
    tmp_path: Path, server: ChatServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "EVERY", 0.05)
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
    monkeypatch.setattr(module, "EVERY", 0.05)
    given = options(tmp_path, server)
    with running_service(given) as other:
        with running_service(given) as one:
            monkeypatch.setattr(one.service.jobs, "_enqueue", lambda _: None)  # it only waits
            job = one.service.jobs.submit(spec(one))
            time.sleep(0.2)
            assert other.service.jobs.state_of(str(job.run)) is None
        assert ended(other, job).state == "finished"


def test_data_that_no_job_needs_are_removed(
    tmp_path: Path, server: ChatServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "EVERY", 0.05)
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


def test_a_failed_job_names_no_path_of_the_machine(tmp_path: Path, server: ChatServer) -> None:
    with running_service(options(tmp_path, server)) as running:
        jobs = running.service.jobs
        carried_out = jobs._carry_out
        jobs._carry_out = lambda carried: None  # type: ignore[method-assign]
        job = jobs.submit(spec(running))
        jobs.uploads.path(str(job.spec["data"])).unlink()
        carried_out(jobs._carried[job.id])
        failed = running.service.store.jobs.find(job.id)
        told = running.ask(f"/api/v1/runs/{job.run}").json["problem"]
    assert failed is not None
    assert failed.state == "failed"
    assert "mine.jsonl" in told
    assert str(tmp_path) not in told


def left_behind(running: Running, job_id: str) -> KeptJob:
    """What a process that was killed in the middle of a run leaves in the store."""
    store, kept = running.service.store, spec(running)
    planned = running.service.jobs._plan(kept)
    store.start(planned.batch.run)
    job = KeptJob(id=job_id, spec=kept.as_kept(), run=planned.batch.run.id, state="running")
    store.jobs.add(job)
    return job


def test_a_stop_is_in_the_store_before_the_run_has_ended(
    tmp_path: Path, server: ChatServer
) -> None:
    with running_service(options(tmp_path, server)) as running:
        server.answer = lambda _: after(0.5, says(GOOD))
        job = running.service.jobs.submit(spec(running))
        while not server.asked:
            time.sleep(0.01)
        assert running.service.jobs.stop(str(job.run))
        # Were the process killed now, the next one would find this:
        found = running.service.store.jobs.find(job.id)
        assert found is not None
        assert found.state == "stopped"
        assert running.service.store.jobs.open() == []
        assert running.service.store.find(str(job.run)).state == "interrupted"
        running.ask(f"/api/v1/runs/{job.run}/events")


def test_a_job_that_never_gets_on_is_given_up(tmp_path: Path, server: ChatServer) -> None:
    with running_service(options(tmp_path, server)) as running:
        job, store = left_behind(running, "never"), running.service.store
        taken: list[KeptJob] = []
        running.service.jobs._enqueue = taken.append  # type: ignore[method-assign]
        for times in range(1, 4):
            running.service.jobs._take_up()
            running.service.jobs._take_up()  # it only waited: nothing has gone wrong again
            assert [JobSpec.of(each.spec).taken_up for each in taken] == [times, times]
            taken.clear()
            store.jobs.update(job.id, "running")
        running.service.jobs._take_up()
        found = store.jobs.find(job.id)
        assert found is not None
        assert (found.state, taken) == ("failed", [])
        assert "3 times" in str(found.problem)
        assert store.find(str(job.run)).state == "failed"


def test_a_job_that_gets_on_is_begun_again_as_often_as_it_takes() -> None:
    kept = JobSpec(data="x.csv", title="t", judges=("a",), models=("m",))
    for verdicts in (0, 0, 5, 5, 6):
        kept = kept.begun_again(verdicts)
    assert (kept.taken_up, kept.verdicts) == (1, 6)
