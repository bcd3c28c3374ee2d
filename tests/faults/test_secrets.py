"""Keys, tokens and passwords are in nothing that the product writes, prints or shows."""

from __future__ import annotations

import base64
import contextlib
import json
import os
import socket
import sys
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pytest
from aiohttp import web
from tests.commands import Command, Ended
from tests.kept import readable
from tests.servers import Answer, ChatServer, after, fails, resets, says
from tests.service import running_service

from adjudge.service.observability import logging_to_stderr
from adjudge.service.options import ServeOptions

KEY = "sk-markedkey-4711aa"
URL_PASSWORD = "markedurl/pass 1"  # noqa: S105 - it opens nothing
PROXY_PASSWORD = "markedproxypass1"  # noqa: S105
REPLY = json.dumps({"evaluation": "It answers all that was asked.", "rating": 4})
RUN = ("run", "rows.jsonl", "--judge", "helpfulness", "-m", "openai/any", "--no-progress")


def forms(secret: str) -> list[bytes]:
    """As it is, in an address, and as it is sent."""
    basic = base64.b64encode(f"ann:{secret}".encode())
    return [
        secret.encode(),
        quote(secret, safe="").encode(),
        basic,
        json.dumps(secret)[1:-1].encode(),
    ]


class Search:
    """Remembers everything that was printed, and looks for secrets in it and in every file."""

    def __init__(self, folder: Path, *secrets: str) -> None:
        self.folder, self.secrets, self.printed = folder, list(secrets), b""

    def heard(self, ended: Ended) -> Ended:
        self.printed += ended.out.encode() + ended.err.encode()
        return ended

    def found(self) -> list[str]:
        files = [path for path in self.folder.rglob("*") if path.is_file()]
        seen = {str(path): readable(path) for path in files} | {"printed": self.printed}
        return [
            f"{secret} in {place}"
            for place, content in seen.items()
            for secret in self.secrets
            if any(form in content for form in forms(secret))
        ]


@pytest.fixture
def search(
    adjudge: Command, server: ChatServer, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Search]:
    """A folder that is home and working folder at once, and marked secrets in the environment."""
    for name in ("HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME"):
        monkeypatch.setenv(name, str(adjudge.folder))
    password = quote(URL_PASSWORD, safe="")
    address = server.base_url.replace("http://", f"http://ann:{password}@")
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("OPENAI_BASE_URL", address)
    monkeypatch.setenv("HTTPS_PROXY", f"http://ann:{PROXY_PASSWORD}@127.0.0.1:9")
    server.answer = lambda _: says(REPLY)
    rows = [{"id": str(n), "question": f"Question {n}?", "answer": "It is so."} for n in range(3)]
    adjudge.write("rows.jsonl", rows)
    search = Search(adjudge.folder, KEY, URL_PASSWORD, PROXY_PASSWORD)
    yield search
    assert search.found() == []


def echoes(status: int) -> Answer:
    """A server that says back all that it was told."""

    async def answer(request: web.Request) -> web.StreamResponse:
        told = f"{dict(request.headers)} {request.url} {KEY} {URL_PASSWORD}"
        return web.json_response({"error": {"message": told, "code": told}}, status=status)

    return answer


def test_the_search_finds_what_is_there(tmp_path: Path) -> None:
    (tmp_path / "log").write_text(f"Authorization: Bearer {KEY}")
    search = Search(tmp_path, KEY, URL_PASSWORD)
    assert search.found() == [f"{KEY} in {tmp_path / 'log'}"]
    search.printed = b"http://ann:" + quote(URL_PASSWORD, safe="").encode()
    assert len(search.found()) == 2


def test_a_run_that_succeeds_and_all_that_shows_it(search: Search, adjudge: Command) -> None:
    files = [part for ending in ("jsonl", "csv", "html", "md", "xml", "parquet")
             for part in ("-o", f"out.{ending}")]  # fmt: skip
    assert search.heard(adjudge(*RUN, *files, "--with-inputs")).code == 0
    for command in (
        ("show", "latest", "--json"),
        ("show", "latest", "--item", "1", "--prompt", "--reply", "--json"),
        ("runs", "--json"),
        ("export", "latest", "-o", "again.json"),
        ("report", "latest", "-o", "report.html"),
        ("cache", "info"),
        ("models",),
        ("models", "check", "openai/any"),
        ("doctor", "--all"),
        ("doctor", "--json"),
        ("one", "--judge", "helpfulness", "-m", "openai/any", "--set", "question=q",
         "--set", "answer=a", "--json"),
    ):  # fmt: skip
        assert search.heard(adjudge(*command)).code in (0, 1), command


@pytest.mark.parametrize("status", [400, 401, 403, 404, 429, 500])
def test_a_server_that_repeats_them(
    status: int,
    search: Search,
    adjudge: Command,
    server: ChatServer,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("adjudge.running.asking.retry._FIRST_WAIT", 0.001)
    server.answer = lambda _: fails(429, "slow down") if status == 429 else echoes(status)
    server.script = [echoes(status)] * 2
    ended = search.heard(adjudge(*RUN, "-n", "1", "--timeout", "2"))
    assert ended.code == 1
    search.heard(adjudge("show", "latest", "--json"))


@pytest.mark.parametrize("kind", ["refused", "reset", "proxy", "no address", "no answer"])
def test_connections_that_fail(
    kind: str,
    search: Search,
    adjudge: Command,
    server: ChatServer,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("adjudge.running.asking.retry.ATTEMPTS", 1)
    password = quote(URL_PASSWORD, safe="")
    with contextlib.closing(socket.socket()) as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    addresses = {
        "refused": f"http://ann:{password}@127.0.0.1:{port}/v1",
        "proxy": f"https://ann:{password}@judge.invalid/v1",
        "no address": f"htp:/ann:{password}@judge.invalid/v1",
    }
    if kind in addresses:
        monkeypatch.setenv("OPENAI_BASE_URL", addresses[kind])
    server.answer = lambda _: resets() if kind == "reset" else after(30, says(REPLY))
    ended = search.heard(adjudge(*RUN, "-n", "1", "--timeout", "0.2"))
    assert ended.code in (1, 2)
    search.heard(adjudge("doctor"))


CRASH = """\
import adjudge.running.call as call


def crash(*_):
    raise RuntimeError("a fault of ours")


call.Caller.call = crash
"""


def test_a_crash_with_its_traceback_and_the_process_list(
    search: Search, adjudge: Command, server: ChatServer
) -> None:
    (adjudge.folder / "sitecustomize.py").write_text(CRASH)
    path = os.pathsep.join([str(adjudge.folder), *sys.path])
    process = adjudge.process(*RUN, env={**os.environ, "PYTHONPATH": path})
    out, err = process.communicate(timeout=120)
    assert "Traceback" in err
    assert "a fault of ours" in err
    search.heard(Ended(process.returncode, out, err))
    (adjudge.folder / "sitecustomize.py").unlink()
    server.answer = lambda _: after(1, says(REPLY))
    process = adjudge.process(*RUN, env=dict(os.environ))  # with a command line of its own
    server.wait_for(1, 60)
    search.printed += b" ".join(_command_lines(process.pid))
    out, err = process.communicate(timeout=120)
    search.heard(Ended(process.returncode, out, err))
    assert process.returncode == 0


def _command_lines(pid: int) -> list[bytes]:
    """Of the process and of all that it has started."""
    found = []
    for entry in Path("/proc").iterdir():
        with contextlib.suppress(OSError):
            if entry.name == str(pid) or f"PPid:\t{pid}\n" in (entry / "status").read_text():
                found.append((entry / "cmdline").read_bytes())
    assert found
    return found


def test_the_service_its_pages_and_its_log(
    search: Search, adjudge: Command, server: ChatServer, capsys: pytest.CaptureFixture[str]
) -> None:
    token = adjudge("tokens", "new", "ann", "--scope", "admin").out.strip()  # shown this once
    search.secrets.append(token)
    served = ServeOptions(
        store=".adjudge/adjudge.db", models=("openai/any",), base_url=os.environ["OPENAI_BASE_URL"],
        log="json",
    )  # fmt: skip
    by = {"Authorization": f"Bearer {token}"}
    row = {"id": "1", "question": "Question?", "answer": "It is so."}
    said = b""
    with logging_to_stderr("json"), running_service(served) as running:
        started = running.ask(
            "/api/v1/runs", {"judges": ["helpfulness"], "rows": [row]}, headers=by
        )
        run = started.json["run"]
        running.ask(f"/api/v1/runs/{run}/events", headers=by)
        server.answer = lambda _: echoes(401)
        body = {"judge": "helpfulness", "item": {"question": "Q?", "answer": "Another."}}
        answers = [started, running.ask("/api/v1/judge", body, headers=by)]
        answers += [
            running.ask(path, headers=by)
            for path in (
                *("/", f"/runs/{run}", f"/runs/{run}/item?id=1", "/judges", "/runs/new"),
                *(f"/api/v1/runs/{run}", f"/api/v1/runs/{run}/verdicts", "/api/v1/tokens"),
                *("/api/v1/judges", "/metrics", "/healthz", f"/runs/{run}/report.html"),
            )
        ]
        answers.append(running.ask("/", headers={"Authorization": f"Bearer {token}x"}))
        said = b"".join(str(dict(each.headers)).encode() + each.body for each in answers)
    shown = capsys.readouterr()
    assert '"route"' in shown.err  # the log
    search.printed += said + shown.out.encode() + shown.err.encode()
