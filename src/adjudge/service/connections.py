"""Connections end that keep us waiting or send heads without end, and there are never more of them
than we have descriptors for."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

import orjson
from starlette.responses import Response
from starlette.types import Receive, Scope, Send
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from .api.problems import MEDIA_TYPE, HttpProblem, ProblemKind

HEAD = 20.0  # seconds for the head of a request
HEAD_BYTES = 65_536  # of the first line and all headers of a request
HEADERS = 100  # in a request
_LINGER = 2.0  # seconds in which a refused client may still send: cut off, it would learn nothing
STALLED = 60.0  # seconds that a client may take no byte of what waits for it
ACCEPTED = 8  # connections taken at once, before any of them is looked at
_MOST = 2000
_AHEAD = 5000  # requests that a client may send without waiting for answers
_KEPT_BACK = 128  # descriptors for the store, the models' servers and data

_NO_HTTP = HttpProblem(
    status=400,
    kind=ProblemKind.MALFORMED,
    detail="What was sent is no HTTP request that can be read.",
)
_LATE = HttpProblem(
    status=408,
    kind=ProblemKind.TOO_SLOW,
    detail="The head of the request did not come in time. Send the request again.",
)
_TOO_LARGE = HttpProblem(
    status=431,
    kind=ProblemKind.TOO_LARGE,
    detail=f"The head of the request is larger than {HEAD_BYTES:,} bytes, or has more than"
    f" {HEADERS} headers. Send fewer or shorter headers, and long values in the body.",
)
_BUSY = HttpProblem(
    status=503,
    kind=ProblemKind.SERVICE_BUSY,
    detail="All connections of the service are in use. Try again in a moment.",
    headers={"Retry-After": "1"},
)


def most_connections() -> int:
    """Below the limit of open files, where that is low."""
    try:
        import resource  # noqa: PLC0415 - not everywhere
    except ImportError:
        return _MOST
    limit, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if limit == resource.RLIM_INFINITY:
        return _MOST
    return max(1, min(_MOST, limit - min(_KEPT_BACK, limit // 2)))


class ClientConnection(HttpToolsProtocol):
    """uvicorn's own, which waits for ever. `sweep` is to be called about once a second."""

    def __init__(self, *args: Any, **named: Any) -> None:
        super().__init__(*args, **named)
        self._heard = self.loop.time()
        self._head_since: float | None = self._heard
        self._unsent, self._moved = 0, self._heard
        self._head = _Head()
        self._refused: float | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        if len(self.connections) > most_connections() and not _end_one(
            connection for connection in self.connections if connection is not self
        ):
            self.app = _busy

    def data_received(self, data: bytes) -> None:
        if self._refused is not None:
            return
        self._heard = self.loop.time()
        if self._head_since is None and self._is_idle:
            self._head_since = self._heard
        self._head.silent += len(data)
        super().data_received(data)
        if len(self.pipeline) > _AHEAD:
            self.transport.abort()
        elif self._head.too_large and self._refused is None:
            self._refuse(_TOO_LARGE)

    def on_message_begin(self) -> None:
        self._head = _Head()
        super().on_message_begin()

    def on_url(self, url: bytes) -> None:
        self._head.add(len(url))
        super().on_url(url)

    def on_header(self, name: bytes, value: bytes) -> None:
        self._head.add(len(name) + len(value), headers=1)
        if not self._head.complete:  # those behind a body do not matter
            super().on_header(name, value)

    def on_headers_complete(self) -> None:
        self._head_since = None
        self._head.complete = True
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        self._head.silent = 0
        super().on_body(body)

    @property
    def _is_idle(self) -> bool:
        return self.cycle is None or self.cycle.response_complete

    @property
    def quiet_since(self) -> float | None:
        """When the client last sent something, while we wait for a head or a body of it."""
        waits = self._is_idle or (self.cycle.more_body and not self.cycle.response_started)
        return self._heard if waits and not self.transport.is_closing() else None

    def sweep(self, now: float) -> None:
        """Ends the connection if its client took too long."""
        if self._refused is not None and now - self._refused > _LINGER:
            self.transport.abort()
            return
        unsent = self.transport.get_write_buffer_size()
        if not unsent or unsent != self._unsent:
            self._unsent, self._moved = unsent, now
        elif now - self._moved > STALLED:
            self.transport.abort()
            return
        waited = 0.0 if self._head_since is None else now - self._head_since
        if waited > HEAD and self._is_idle and self._refused is None:
            self._refuse(_LATE)

    def send_400_response(self, msg: str) -> None:  # noqa: ARG002 - uvicorn's, as plain text
        self._refuse(_TOO_LARGE if self._head.too_large else _NO_HTTP)

    def _refuse(self, problem: HttpProblem) -> None:
        """For what is no request yet: the application cannot be asked for an answer to it.

        While an earlier request is being answered there is no place for this answer.
        """
        self._refused = self.loop.time()
        if not self._is_idle or self.transport.is_closing():
            self.transport.close()
            return
        body = orjson.dumps(problem.body("", ""))
        lines = [
            f"HTTP/1.1 {problem.status} {HTTPStatus(problem.status).phrase}",
            f"content-type: {MEDIA_TYPE}",
            f"content-length: {len(body)}",
            "connection: close",
        ]
        self.transport.write("\r\n".join([*lines, "\r\n"]).encode() + body)
        self.transport.write_eof()  # `sweep` closes it


@dataclass(slots=True)
class _Head:
    """What came of a request's head, and of headers behind its body.

    `silent` counts the bytes since the parser last told of anything: it keeps an unfinished header
    to itself.
    """

    size: int = 0
    headers: int = 0
    silent: int = 0
    complete: bool = False

    def add(self, size: int, headers: int = 0) -> None:
        """Raises where it is too much; the parser then ends as for what is no HTTP."""
        self.size += size
        self.headers += headers
        self.silent = 0
        if self.too_large:
            raise ValueError("the head is too large")

    @property
    def too_large(self) -> bool:
        return max(self.size, self.silent) > HEAD_BYTES or self.headers > HEADERS


def _end_one(connections: Iterable[Any]) -> bool:
    """The one whose client has been quiet for longest; False where none keeps us waiting."""
    waiting = [
        (connection.quiet_since, connection)
        for connection in connections
        if connection.quiet_since is not None
    ]
    if not waiting:
        return False
    _, quietest = min(waiting, key=lambda pair: pair[0])
    quietest.transport.abort()
    return True


async def _busy(scope: Scope, receive: Receive, send: Send) -> None:
    headers = {"Connection": "close", **(_BUSY.headers or {})}
    body = orjson.dumps(_BUSY.body(scope["path"], ""))
    await Response(body, _BUSY.status, headers, MEDIA_TYPE)(scope, receive, send)
