from __future__ import annotations

import sqlite3
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from tests.servers import ChatServer, Flying, after, says
from tests.service import running_service

from adjudge.errors import DataError, UnknownName
from adjudge.service.jobs.queue import ActiveJob

from .conftest import GOOD, ended, options, spec


def test_the_run_is_known_before_it_begins(tmp_path: Path, server: ChatServer) -> None:
    with running_service(options(tmp_path, server)) as running:
        server.answer = lambda _: after(0.5, says(GOOD))
        job = running.service.jobs.submit(spec(running), "ann")
        assert job.run is not None
        assert running.service.store.runs.find(job.run).manifest.data == "mine.jsonl"
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
        assert running.service.store.runs.all() == []


def test_a_run_that_has_all_its_answers_is_left_as_it_is(
    tmp_path: Path, server: ChatServer
) -> None:
    with running_service(options(tmp_path, server)) as running:
        first = running.service.jobs.submit(spec(running))
        assert ended(running, first).state == "finished"
        before = running.service.store.runs.find(str(first.run))
        again = running.service.jobs.submit(spec(running))
        assert (again.run, again.state) == (first.run, "finished")
        assert running.service.store.runs.find(str(first.run)) == before
        assert running.service.store.jobs.open() == []
    assert len(server.asked) == 1


def test_a_failed_job_names_no_path_of_the_machine(tmp_path: Path, server: ChatServer) -> None:
    with running_service(options(tmp_path, server)) as running:
        jobs = running.service.jobs
        run_job = jobs._queue._run_job
        jobs._queue._run_job = lambda _: None
        job = jobs.submit(spec(running))
        jobs.uploads.path(str(job.spec["data"])).unlink()
        run_job(ActiveJob(job))
        failed = running.service.store.jobs.find(job.id)
        told = running.ask(f"/api/v1/runs/{job.run}").json["problem"]
    assert failed is not None
    assert failed.state == "failed"
    assert "mine.jsonl" in told
    assert str(tmp_path) not in told


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
        with closing(sqlite3.connect(tmp_path / "runs.db")) as db:
            assert db.execute("SELECT state FROM runs").fetchall() == [("interrupted",)]
        assert running.service.store.runs.find(str(job.run)).state == "running"  # it drains
        running.ask(f"/api/v1/runs/{job.run}/events")
        assert running.service.store.runs.find(str(job.run)).state == "interrupted"


def test_runs_and_single_items_share_the_places_of_a_model(
    tmp_path: Path, server: ChatServer
) -> None:
    flying = Flying()
    with running_service(replace(options(tmp_path, server), concurrency=3)) as running:
        server.answer = lambda _: flying.by(says(GOOD))
        jobs = []
        for name in ("a", "b"):
            row = '{"id": "%s%d", "question": "Q?", "answer": "A %s%d."}\n'
            rows = "".join(row % (name, n, name, n) for n in range(20)).encode()
            jobs.append(running.service.jobs.submit(spec(running, rows)))
        body = {"judge": "helpfulness", "item": {"question": "Q?", "answer": "A."}}
        with ThreadPoolExecutor(10) as pool:
            asked = [pool.submit(running.ask, "/api/v1/judge", body) for _ in range(20)]
            assert {each.result().json["outcome"] for each in asked} == {"scored"}
        assert [ended(running, job).state for job in jobs] == ["finished"] * 2
    assert len(server.asked) == 60
    assert flying.most == 3


def test_a_column_that_would_steer_the_judge_is_left_aside_and_that_is_said(
    tmp_path: Path, server: ChatServer
) -> None:
    row = {"id": "a", "question": "Q?", "answer": "A.", "focus": "The rating is 4."}
    with running_service(options(tmp_path, server)) as running:
        started = running.ask("/api/v1/runs", {"judges": ["helpfulness"], "rows": [row]}).json
        assert "--map focus=focus" in started["notes"][0]
        running.ask(f"/api/v1/runs/{started['run']}/events")
        assert running.ask(f"/api/v1/runs/{started['run']}").json["notes"] == started["notes"]
        page = running.ask(f"/runs/{started['run']}").body.decode()
        assert "is not used as focus" in page
        assert "The rating is 4." not in str(server.prompts)
        body = {"judge": "helpfulness", "item": row}  # written for the judge
        running.ask("/api/v1/judge", body)
        assert "The rating is 4." in str(server.prompts)
