from __future__ import annotations

import json
import logging
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from tests.servers import ChatServer, says
from tests.service import running_service

from adjudge.service import observability
from adjudge.service.options import ServeOptions
from adjudge.service.security.tokens import new_token

ITEM = {"id": "secret-id", "question": "secret question", "answer": "secret answer"}


def test_a_line_a_request_without_texts_and_secrets(
    tmp_path: Path, server: ChatServer, capsys: pytest.CaptureFixture[str]
) -> None:
    server.answer = lambda _: says("a secret reply")
    options = ServeOptions(
        store=str(tmp_path / "runs.db"), models=("openai/m",), base_url=server.base_url
    )
    token, kept = new_token("a secret name", "judge")
    with observability.logging_to_stderr("json"), running_service(options) as running:
        running.service.store.tokens.put(kept)
        headers = {"Authorization": f"Bearer {token}", "X-Request-ID": "mine-1"}
        running.ask("/api/v1/judge", {"judge": "helpfulness", "item": ITEM}, headers=headers)
        running.ask("/api/v1/runs/secret-run?cursor=secret")
        running.ask("/secret/path")
    shown = capsys.readouterr().err
    lines = [json.loads(line) for line in shown.splitlines()]
    told = [
        (each["method"], each["route"], each["status"], each["token"])
        for each in lines
        if each["message"] == "request"
    ]
    assert told == [
        ("POST", "/api/v1/judge", 200, kept.id),
        ("GET", "/api/v1/runs/{run}", 404, ""),
        ("GET", "(none)", 404, ""),
    ]
    assert lines[0]["request_id"] == "mine-1"
    assert lines[0]["ms"] > 0
    assert "secret" not in shown
    assert token not in shown


def test_a_fault_of_ours_is_told_by_its_place_and_not_by_its_words(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    options = ServeOptions(store=str(tmp_path / "runs.db"))
    with observability.logging_to_stderr("json"), running_service(options) as running:

        def broken(_: str) -> None:
            raise ValueError("a secret text")

        running.service.store.jobs.find = broken  # type: ignore[assignment, method-assign]
        answer = running.ask("/healthz")
    assert answer.status == 500
    assert answer.json["request_id"]
    assert b"secret" not in answer.body
    shown = capsys.readouterr().err
    fault = next(json.loads(line) for line in shown.splitlines() if "ValueError" in line)
    assert fault["level"] == "error"
    assert fault["request_id"] == answer.json["request_id"]
    assert any("admin.py" in place for place in fault["where"])
    assert "secret" not in shown


def test_lines_for_people_are_short(capsys: pytest.CaptureFixture[str]) -> None:
    with observability.logging_to_stderr("text"):
        told = {"method": "GET", "route": "/", "status": 200, "token": ""}
        observability.LOGGER.info("request", extra=told)
    shown = capsys.readouterr().err
    assert shown.endswith(" request method=GET route=/ status=200\n")


def test_off_leaves_faults_alone(capsys: pytest.CaptureFixture[str]) -> None:
    with observability.logging_to_stderr("off"):
        observability.LOGGER.info("request")
        observability.LOGGER.error("a request failed")
    assert capsys.readouterr().err.endswith("error: a request failed\n")


def test_what_others_say_over_and_over_is_told_once_and_counted(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [1000.0]
    monkeypatch.setattr(observability, "monotonic", lambda: now[0])
    asyncio_s = logging.getLogger("asyncio")
    with observability.logging_to_stderr("json"):
        for _ in range(5):
            asyncio_s.error("no descriptors\nsocket: <…>")
        asyncio_s.error("another matter")
        now[0] += 1
        asyncio_s.error("no descriptors\nsocket: <…>")
        for _ in range(2):
            observability.LOGGER.warning("ours")
    lines = [json.loads(line) for line in capsys.readouterr().err.splitlines()]
    assert [(each["message"], each.get("left_out")) for each in lines] == [
        ("no descriptors", None),
        ("another matter", None),
        ("no descriptors", 4),
        ("ours", None),
        ("ours", None),
    ]


def test_a_request_that_ends_with_the_service_is_told_so(
    tmp_path: Path,
    server: ChatServer,
    capsys: pytest.CaptureFixture[str],
) -> None:
    held, over = threading.Event(), threading.Event()

    def slow(_: object) -> object:
        held.set()
        over.wait(20)
        return says("late")

    server.answer = slow  # type: ignore[assignment]
    options = ServeOptions(
        store=str(tmp_path / "runs.db"), models=("openai/m",), base_url=server.base_url
    )
    with observability.logging_to_stderr("json"), ThreadPoolExecutor(1) as pool:
        with running_service(options) as running:
            body = {"judge": "helpfulness", "item": ITEM}
            asked = pool.submit(running.ask, "/api/v1/judge", body)
            assert held.wait(20)
        answer = asked.result(20)
        over.set()
    assert answer.status == 503
    assert "was ended" in answer.json["detail"]
    shown = capsys.readouterr().err
    assert "Exception in ASGI" not in shown
    assert "CancelledError" not in shown
