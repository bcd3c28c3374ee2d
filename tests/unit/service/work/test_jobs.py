from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.servers import ChatServer, after, says
from tests.service import Running, running_service

from adjudge.errors import DataError, UnknownName
from adjudge.service.options import ServeOptions
from adjudge.service.work.spec import JobSpec
from adjudge.stores.base import KeptJob
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
