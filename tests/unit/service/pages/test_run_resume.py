"""A run that was stopped, or has no answers, says so, says why, and goes on with one click."""

from __future__ import annotations

import os
import time
from contextlib import suppress
from pathlib import Path

import pytest
from tests.servers import ChatServer, fails, says
from tests.service import running_service
from tests.unit.service.jobs.conftest import GOOD, ended, options, spec
from tests.unit.service.security.client import Client

import adjudge
from adjudge.errors import ProviderError

from .seen import Seen


def test_a_run_without_answers_is_not_finished_well(tmp_path: Path, server: ChatServer) -> None:
    rows = b"".join(b'{"question": "Q%d?", "answer": "A."}\n' % n for n in range(4))
    with running_service(options(tmp_path, server)) as running:
        good = server.answer
        server.answer = lambda _: fails(400, "This account may not use it.")
        job = running.service.jobs.submit(spec(running, rows))
        assert ended(running, job).state == "finished"
        visit = Client(running.url)
        for address in ("/", f"/runs/{job.run}"):
            seen = Seen(visit.get(address).text)
            assert "no answers" in seen.text
            assert ("span", {"class": "pill good"}) not in seen.tags
        assert "This account may not use it." in seen.text
        assert f"/runs/{job.run}/resume" in seen.all("form", "action")

        server.answer = good
        answer = visit.send(f"/runs/{job.run}/resume")
        assert answer.status == 303
        assert answer.headers["location"] == f"/runs/{job.run}"
        running.ask(f"/api/v1/runs/{job.run}/events")
        seen = Seen(visit.get(f"/runs/{job.run}").text)
        assert ("span", {"class": "pill good"}) in seen.tags
        assert f"/runs/{job.run}/resume" not in seen.all("form", "action")
    assert len(server.asked) == 8


def test_data_stay_for_as_long_as_a_run_can_be_resumed(tmp_path: Path, server: ChatServer) -> None:
    with running_service(options(tmp_path, server)) as running:
        service = running.service
        server.answer = lambda _: fails(400, "No.")
        job = service.jobs.submit(spec(running))
        ended(running, job)
        file = service.jobs.uploads.path(str(job.spec["data"]))
        long_ago = time.time() - 10_000
        os.utime(file, (long_ago, long_ago))
        service.jobs._look_after_jobs()
        assert file.exists()
        server.answer = lambda _: says(GOOD)
        service.jobs.resume_run(str(job.run))
        running.ask(f"/api/v1/runs/{job.run}/events")
        with suppress(FileNotFoundError):  # the service may have looked after it by itself
            os.utime(file, (long_ago, long_ago))
        service.jobs._look_after_jobs()
        assert not file.exists()


def test_a_run_that_failed_on_the_command_line_says_where_its_cause_is(
    tmp_path: Path, server: ChatServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "wrong")
    asked = {"model": "openai/judge", "base_url": server.base_url}
    with running_service(options(tmp_path, server)) as running:
        server.answer = lambda _: fails(401, "Incorrect API key.")
        store = running.service.options.store
        rows = [{"question": f"Q{n}?", "answer": "A."} for n in range(40)]
        with pytest.raises(ProviderError):
            adjudge.run(rows, judge="helpfulness", store=store, **asked)
        run = running.service.store.runs.find("latest").id
        text = Seen(Client(running.url).get(f"/runs/{run}").text).text
    assert "The run ended with an error, which the command that started it printed." in text
    assert "The same command continues it" in text
    assert text.count("no verdict") == 1
