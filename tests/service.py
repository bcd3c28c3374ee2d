"""The service on loopback, in a thread of the test."""

from __future__ import annotations

import json
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

from fastapi import FastAPI

from adjudge.service import app as service_app
from adjudge.service import caches
from adjudge.service.app import create_app
from adjudge.service.options import ServeOptions, Waits
from adjudge.service.server import AppServer, bind
from adjudge.service.state import Service

caches.PATIENCE = 60.0  # however busy the machine is
# Not loaded beside tests: what is imported makes loggers, through which pytest goes between tests.
service_app._LATER = 3600.0
QUICK = Waits(heartbeat=0.05, progress=0.02, sweep=0.1, requests=1, tokens=0.2)
_OPENER = urllib.request.build_opener(urllib.request.ProxyHandler({}))


@dataclass(frozen=True)
class Answer:
    """What came back; the names of headers are in lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


@dataclass(frozen=True)
class Running:
    """`url` has no slash at its end."""

    url: str
    app: FastAPI

    def ask(
        self,
        path: str,
        body: object = None,
        *,
        method: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Answer:
        """One request; bytes are sent as they are, anything else as JSON."""
        given = {"Content-Type": "application/json"} if body is not None else {}
        data = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
        request = urllib.request.Request(  # noqa: S310 - our own address
            self.url + path, data, headers={**given, **(headers or {})}, method=method
        )
        try:
            with _OPENER.open(request, timeout=30) as answer:
                return Answer(answer.status, dict(answer.headers), answer.read())
        except urllib.error.HTTPError as error:
            with error:
                return Answer(error.code, dict(error.headers), error.read())

    @property
    def service(self) -> Service:
        service: Service = self.app.state.service
        return service


@contextmanager
def running_service(options: ServeOptions) -> Iterator[Running]:
    """A real server on a free port; ends as it would on SIGTERM. What it waits for is QUICK, unless
    the options say otherwise."""
    if options.waits == Waits():
        options = replace(options, waits=QUICK)
    bound = bind(replace(options, port=0))
    listening = threading.Event()
    app = create_app(options)
    server = AppServer(app, bound, lambda _: listening.set())
    failed: list[BaseException] = []

    def main() -> None:
        try:
            server.run([bound])
        except BaseException as error:  # told by the test's own thread
            failed.append(error)
        finally:
            listening.set()

    thread = threading.Thread(target=main)
    thread.start()
    try:
        assert listening.wait(20)
        if not failed:
            yield Running(server.url, app)
    finally:
        server.end()
        thread.join(40)
        bound.close()
    if failed:
        raise failed[0]
    assert not thread.is_alive()
