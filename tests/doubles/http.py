"""What the doubles of the providers share: a real HTTP server on loopback, and its faults.

A double is a context manager. It outlives its clients: another process, or a new client after a
crash, finds at `url` what the first one left there.

    with OpenAIDouble(answers=lambda body: "4") as double:
        double.fault("POST /v1/batches", status=429, headers={"retry-after": "1"})
        …
        assert double.calls("POST /v1/batches") == 2

`instead` answers with any bytes, `stall` stops in the middle of an answer, `drop` and `lose` break
the connection.
"""

from __future__ import annotations

import json
import math
import socket
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Literal, Self
from urllib.parse import parse_qs, urlsplit


@dataclass(frozen=True)
class Request:
    method: str
    path: str
    query: Mapping[str, str]
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    def __str__(self) -> str:
        return f"{self.method} {self.path}"


@dataclass(frozen=True)
class Response:
    """`stalls`: half of the body is sent, and the rest never."""

    status: int
    body: bytes
    headers: Mapping[str, str] = field(default_factory=dict)
    stalls: bool = False


def as_json(data: Any, status: int = 200) -> Response:
    return Response(status, json.dumps(data, ensure_ascii=False).encode())


def as_lines(rows: list[Any]) -> Response:
    return Response(200, b"".join(json.dumps(row).encode() + b"\n" for row in rows))


@dataclass(frozen=True)
class Says:
    """What the model answers to one request, and the tokens that it is billed for.

    `finish` is in the provider's own words, empty for the usual end. `reason` says why, where it
    declined. `thought` is what it thought before, of which `thinking` tokens were billed.
    """

    text: str
    finish: str = ""
    input_tokens: int = 100
    output_tokens: int = 10
    cached: int = 0
    written: int = 0
    reason: str = ""
    thought: str = ""
    thinking: int = 0

    def tokens(self, alternatives: int) -> list[tuple[str, float, dict[str, float]]]:
        """The text in pieces of two characters: token, log-probability, the likeliest there."""
        pieces = [self.text[at : at + 2] for at in range(0, len(self.text), 2)]
        others = {f"~{place}": -2.0 - place for place in range(alternatives - 1)}
        return [(piece, -0.25, {piece: -0.25, **others}) for piece in pieces]


@dataclass(frozen=True)
class Weighed(Says):
    """A reply whose tokens are given, each with what could have stood in its place.

    `ways` has the bytes and their probabilities, those that were written first. In `tokens` a byte
    that is no character is half of a surrogate pair, which each double shows as its server does.
    """

    ways: Sequence[Mapping[bytes, float]] = ()

    def tokens(self, alternatives: int) -> list[tuple[str, float, dict[str, float]]]:
        found = []
        for way in self.ways:
            logprobs = {_unseen(data): math.log(share) for data, share in way.items()}
            written, logprob = next(iter(logprobs.items()))
            likeliest = sorted(logprobs, key=lambda each: -logprobs[each])[:alternatives]
            found.append((written, logprob, {each: logprobs[each] for each in likeliest}))
        return found


def weighed(*ways: Mapping[bytes, float]) -> Weighed:
    """The reply that consists of what each way begins with."""
    return Weighed(b"".join(next(iter(way)) for way in ways).decode(), ways=ways)


def _unseen(data: bytes) -> str:
    return data.decode(errors="surrogateescape")


def bytes_of(token: str) -> bytes:
    return token.encode(errors="surrogateescape")


def marked(token: str) -> str:
    """As servers show it that only have texts: pieces of characters all look alike."""
    return bytes_of(token).decode(errors="replace")


@dataclass(frozen=True)
class Refuses:
    """An error in the place of an answer: of the whole call, or of one request in a batch."""

    status: int
    message: str
    type: str = "invalid_request_error"
    headers: Mapping[str, str] = field(default_factory=dict)
    more: Mapping[str, Any] = field(default_factory=dict)


class Unanswered(str):
    """A request that a batch does not get to: `Unanswered("expired")`, `Unanswered("canceled")`."""


Answers = Callable[[Mapping[str, Any]], str | Says | Refuses | Unanswered]


@dataclass
class Billed:
    """What the provider would charge for: answered requests only."""

    requests: int = 0
    batched: int = 0
    input_tokens: int = 0
    output_tokens: int = 0

    def add(self, says: Says, *, batched: bool) -> None:
        self.requests += 1
        self.batched += batched
        self.input_tokens += says.input_tokens
        self.output_tokens += says.output_tokens


@dataclass
class _Fault:
    path: str
    kind: Literal["refuse", "drop", "lose", "instead", "stall"]
    refusal: Refuses
    left: int
    body: bytes = b""


class Double:
    """`requests` are all that came, in their order. A subclass answers them in `handle`.

    `root` is the path that all of the API stands below. `refused` counts answers of status 400 and
    above, `connections` those that are open.
    """

    root = "/v1"

    def __init__(self) -> None:
        self.url = ""
        self.requests: list[Request] = []
        self.refused = self.connections = 0
        self.billed = Billed()
        self._faults: list[_Fault] = []
        self._lock = threading.RLock()

    def fault(
        self,
        call: str,
        *,
        status: int,
        message: str = "no",
        type: str = "api_error",  # noqa: A002 - as the providers call it
        headers: Mapping[str, str] | None = None,
        times: int = 1,
    ) -> None:
        """The next calls like "POST /v1/files" (a beginning is enough) are refused."""
        refusal = Refuses(status, message, type, headers or {})
        self._faults.append(_Fault(call, "refuse", refusal, times))

    def drop(self, call: str, *, times: int = 1) -> None:
        """The connection breaks before the call is looked at."""
        self._faults.append(_Fault(call, "drop", Refuses(0, ""), times))

    def lose(self, call: str, *, times: int = 1) -> None:
        """The call does its work, and the connection breaks before the answer."""
        self._faults.append(_Fault(call, "lose", Refuses(0, ""), times))

    def instead(self, call: str, body: bytes, *, times: int = 1) -> None:
        """The next calls are answered with these bytes and status 200."""
        self._faults.append(_Fault(call, "instead", Refuses(0, ""), times, body))

    def stall(self, call: str, *, times: int = 1) -> None:
        """The next answers stop in their middle, with the connection open."""
        self._faults.append(_Fault(call, "stall", Refuses(0, ""), times))

    def calls(self, call: str) -> int:
        return sum(str(request).startswith(call) for request in self.requests)

    def handle(self, request: Request) -> Response:
        raise NotImplementedError

    def refusal(self, refuses: Refuses) -> Response:
        """An error in the provider's own shape."""
        raise NotImplementedError

    def answer(self, request: Request) -> Response | None:
        """None breaks the connection."""
        with self._lock:
            self.requests.append(request)
            response = self._answer(request, self._fault_for(request))
            self.refused += response is not None and response.status >= 400
            return response

    def _answer(self, request: Request, fault: _Fault | None) -> Response | None:
        if fault is None:
            return self.handle(request)
        match fault.kind:
            case "refuse":
                return self.refusal(fault.refusal)
            case "drop":
                return None
            case "instead":
                return Response(200, fault.body)
        response = self.handle(request)
        return replace(response, stalls=True) if fault.kind == "stall" else None

    def _fault_for(self, request: Request) -> _Fault | None:
        for fault in self._faults:
            if fault.left and str(request).startswith(fault.path):
                fault.left -= 1
                return fault
        return None

    def __enter__(self) -> Self:
        double = self

        self._leaving = threading.Event()

        class Handler(_Handler):
            leaving = self._leaving

            def respond(self, request: Request) -> Response | None:
                return double.answer(request)

            def handle(self) -> None:
                with double._lock:
                    double.connections += 1
                try:
                    with suppress(ConnectionError):  # the client may leave at any time
                        super().handle()
                finally:
                    with double._lock:
                        double.connections -= 1

        self._server = _Server(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,))
        self._thread.start()
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}{self.root}"
        return self

    def __exit__(self, *_: object) -> None:
        self._leaving.set()
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


class _Server(ThreadingHTTPServer):
    request_queue_size = 128  # of more that come at once, some would be let wait for a second


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    timeout = 30
    leaving: threading.Event

    def respond(self, request: Request) -> Response | None:
        raise NotImplementedError

    def _serve(self) -> None:
        at = urlsplit(self.path)
        query = {name: values[-1] for name, values in parse_qs(at.query).items()}
        headers = {name.lower(): value for name, value in self.headers.items()}
        body = self.rfile.read(int(headers.get("content-length", 0)))
        response = self.respond(Request(self.command, at.path, query, headers, body))
        if response is None:
            self.close_connection = True
            self.connection.shutdown(socket.SHUT_RDWR)
            return
        self.send_response(response.status)
        sent = {"content-type": "application/json", **response.headers}
        for name, value in {**sent, "content-length": str(len(response.body))}.items():
            self.send_header(name, value)
        self.end_headers()
        if response.stalls:
            self.wfile.write(response.body[: len(response.body) // 2])
            self.leaving.wait(self.timeout)
            self.close_connection = True
            return
        self.wfile.write(response.body)

    do_GET = do_POST = do_DELETE = _serve  # noqa: N815 - the names that http.server looks for

    def log_message(self, *_: object) -> None:
        """Says nothing."""
