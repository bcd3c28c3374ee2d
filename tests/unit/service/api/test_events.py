from __future__ import annotations

import json
import threading
import time
import urllib.request
from typing import Any

import pytest
from tests.servers import Turnstile, after, says
from tests.service import running_service

from adjudge.service.options import ServeOptions
from adjudge.service.security import tokens
from adjudge.service.security.tokens import Sessions, new_token

from .conftest import GOOD, ITEM, Api


@pytest.fixture
def api(shared: Api) -> Api:
    """One service for the whole file."""
    return shared


def events(body: bytes) -> list[tuple[str, dict[str, Any]]]:
    told = []
    for block in body.decode().split("\n\n"):
        if block.startswith("event: "):
            kind, data = block.split("\n")
            told.append((kind.removeprefix("event: "), json.loads(data.removeprefix("data: "))))
    return told


def one_event(stream: Any) -> dict[str, Any]:
    lines: list[bytes] = []
    while (line := stream.readline()) != b"\n":
        assert line, "the stream has ended"
        lines.append(line)
    ((_, told),) = events(b"".join(lines) + b"\n")
    return told


def test_progress_is_told_to_its_end(api: Api) -> None:
    turnstile = Turnstile(allowed=0)
    api.model.answer = lambda _: turnstile.by(says(GOOD))
    rows = [{"id": f"r{n}", **ITEM, "answer": f"{n}"} for n in range(100)]
    run = api.post("runs", {"judges": ["helpfulness"], "rows": rows}, 202)["run"]
    with urllib.request.urlopen(f"{api.running.url}/api/v1/runs/{run}/events") as stream:  # noqa: S310
        assert stream.headers["content-type"].startswith("text/event-stream")
        first = one_event(stream)
        assert (first["done"], first["rate"], first["eta_seconds"]) == (0, None, None)
        assert list(first) == [
            *("run", "state", "done", "total", "unscored", "outcomes", "tokens", "cost_usd"),
            *("usd", "rate", "eta_seconds"),
        ]
        turnstile.allowed = 50
        half = next(told for told in iter(lambda: one_event(stream), None) if told["done"] == 50)
        assert half["rate"] > 0 <= half["eta_seconds"]  # rounded: a quick server leaves 0.0
        turnstile.allowed = 100
        told = events(stream.read())
    assert {kind for kind, _ in told[:-1]} <= {"progress"}
    assert told[-1][0] == "end"
    assert told[-1][1]["state"] == "finished"
    assert told[-1][1]["done"] == told[-1][1]["total"] == 100


def test_a_run_that_has_ended_says_so_at_once(api: Api) -> None:
    run = api.run(2)
    ((kind, told),) = events(api.running.ask(f"/api/v1/runs/{run}/events").body)
    assert (kind, told["done"], told["outcomes"]) == ("end", 2, {"scored": 2})
    assert api.problem("runs/none/events")["status"] == 404


def test_streams_end_with_the_service(api: Api, tmp_path: Any) -> None:
    api.model.answer = lambda _: after(1.5, says(GOOD))
    options = ServeOptions(
        store=str(tmp_path / "other.db"), models=("openai/m",), base_url=api.model.base_url
    )
    ended = threading.Event()
    with running_service(options) as running:
        body = {"judges": ["helpfulness"], "rows": [{"id": "a", **ITEM}]}
        run = running.ask("/api/v1/runs", body).json["run"]
        stream = urllib.request.urlopen(f"{running.url}/api/v1/runs/{run}/events")  # noqa: S310
        assert stream.readline() == b"event: progress\n"

        def hear() -> None:
            stream.read()
            ended.set()

        listener = threading.Thread(target=hear)
        listener.start()
    listener.join(5)
    stream.close()
    assert ended.is_set()


def test_a_client_that_leaves_is_noticed(api: Api) -> None:
    api.model.answer = lambda _: after(3, says(GOOD))
    run = api.post("runs", {"judges": ["helpfulness"], "rows": [{"id": "a", **ITEM}]}, 202)["run"]
    stream = urllib.request.urlopen(f"{api.running.url}/api/v1/runs/{run}/events")  # noqa: S310
    stream.readline()
    stream.close()
    counted = 'adjudge_http_requests_total{method="GET",route="/api/v1/runs/{run}/events"'
    for _ in range(100):
        if counted in api.running.ask("/metrics").body.decode():
            return
        time.sleep(0.05)
    raise AssertionError("the stream still runs")


def test_a_stream_ends_with_its_token(api: Api) -> None:
    turnstile = Turnstile(allowed=0)
    api.model.answer = lambda _: turnstile.by(says(GOOD))
    run = api.post("runs", {"judges": ["helpfulness"], "rows": [{"id": "a", **ITEM}]}, 202)["run"]
    url, tokens = f"{api.running.url}/api/v1/runs/{run}/events", api.running.service.store.tokens
    streams = []
    for name in ("ann", "ben"):
        made, kept = new_token(name, "read")
        tokens.put(kept)
        asked = urllib.request.Request(url, headers={"Authorization": f"Bearer {made}"})  # noqa: S310
        streams.append(urllib.request.urlopen(asked, timeout=20))  # noqa: S310
    with streams[0] as ended, streams[1] as other:
        for stream in streams:
            one_event(stream)
        let_through = threading.Timer(10, setattr, (turnstile, "allowed", 1))
        let_through.start()
        tokens.revoke(next(each.id for each in tokens.all() if each.name == "ann"))
        assert "end" not in dict(events(ended.read()))  # the run continues
        let_through.cancel()
        turnstile.allowed = 1
        assert events(other.read())[-1][0] == "end"


def test_a_stream_ends_with_its_session(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    turnstile = Turnstile(allowed=0)
    api.model.answer = lambda _: turnstile.by(says(GOOD))
    run = api.post("runs", {"judges": ["helpfulness"], "rows": [{"id": "a", **ITEM}]}, 202)["run"]
    store = api.running.service.store
    _, kept = new_token("ann", "read")
    store.tokens.put(kept)
    signed_in = Sessions(store.secret)
    cookie = f"{signed_in.cookie}={signed_in.value(kept.id)}"
    asked = urllib.request.Request(  # noqa: S310
        f"{api.running.url}/api/v1/runs/{run}/events", headers={"Cookie": cookie}
    )
    with urllib.request.urlopen(asked, timeout=20) as stream:  # noqa: S310
        one_event(stream)
        let_through = threading.Timer(10, setattr, (turnstile, "allowed", 1))
        let_through.start()
        monkeypatch.setattr(tokens.LoginSession, "is_over", True)
        assert "end" not in dict(events(stream.read()))  # the run continues
        let_through.cancel()
    turnstile.allowed = 1
