"""A stub of an OpenAI-compatible server: fixed latency, faults on demand, and exact counts.

It speaks HTTP/1.1 with keep-alive and does so little for a request that a client is the slower
side: the replies are made beforehand (replies.py), chosen by the address and by a mark `mark=3`
in the request, so that a client's scores can be checked row by row.

    POST /FORM/v1/chat/completions   a reply in that form; without FORM in the form `helpfulness`
    POST /setup                      JSON settings as in `Settings`; counts begin anew
    GET  /stats                      the counts since

Faults are shares of the requests. They are drawn from the request's own bytes and from how often
it was seen, so a run meets the same faults in whatever order its requests come, and asking again
draws again. Prints its address when it is ready.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import json
import random
import re
import signal
import socket
import struct
import sys
import time
import zlib
from dataclasses import asdict, dataclass, fields
from typing import cast

from replies import FORMS, MARKS, NUMBER, completion, malformed

LENGTH = re.compile(rb"\r\ncontent-length: *(\d+)", re.IGNORECASE)
CLOSING = re.compile(rb"\r\nconnection: *close", re.IGNORECASE)
STATUS = {200: "OK", 404: "Not Found", 411: "Length Required", 429: "Too Many Requests"}
FAULTS = ("rate_limited", "broken", "malformed", "reset", "hang")
RST = struct.pack("ii", 1, 0)  # SO_LINGER of no time: closing sends a reset


@dataclass(frozen=True)
class Settings:
    """What `/setup` takes. The faults are shares between 0 and 1, at most one a request."""

    latency_ms: float = 0.0
    retry_after: int = 1
    seed: int = 0
    rate_limited: float = 0.0  # status 429 with Retry-After
    broken: float = 0.0  # status 500
    malformed: float = 0.0  # status 200; by turns half a reply, or a body that is no JSON
    reset: float = 0.0  # the connection is reset instead of an answer
    hang: float = 0.0  # no answer, ever

    @property
    def faulty(self) -> bool:
        return any(getattr(self, fault) for fault in FAULTS)


class Counts:
    """What `/stats` tells. `in_flight` is what was received and not answered."""

    def __init__(self) -> None:
        self.requests = self.in_flight = self.most_in_flight = 0
        self.connections = 0
        self.abandoned = 0  # the client went away before the answer
        self.seen: dict[int, int] = {}
        self.answered: dict[int, int] = {}
        self.billed = 0  # completions, broken off ones too: what a provider asks money for
        self.outcomes: dict[str, int] = {}
        self.first: float | None = None
        self.last: float | None = None
        self.cpu = 0.0  # of this process, when the first request came

    def told(self) -> dict[str, object]:
        answers = sum(self.answered.values())
        return {
            "requests": self.requests,
            "distinct": len(self.seen),
            "asked_again": self.requests - len(self.seen),
            "answers": answers,
            "answered_again": answers - len(self.answered),
            "billed": self.billed,
            "outcomes": self.outcomes,
            "in_flight": self.in_flight,
            "most_in_flight": self.most_in_flight,
            "abandoned": self.abandoned,
            "connections": self.connections,
            # On the clock of time.monotonic(), which all processes of a machine share.
            "first": self.first,
            "last": self.last,
            "cpu_s": time.process_time() - self.cpu if self.requests else 0.0,
        }


def packed(status: int, body: bytes, more: str = "") -> bytes:
    """A whole HTTP answer."""
    reason = STATUS.get(status, "Internal Server Error")
    head = f"HTTP/1.1 {status} {reason}\r\nContent-Type: application/json\r\n{more}"
    return f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body


def problem(status: int, message: str, more: str = "") -> bytes:
    return packed(status, json.dumps({"error": {"message": message}}).encode(), more)


class Stub:
    """The state that all connections share."""

    def __init__(self) -> None:
        self.settings = Settings()
        self.counts = Counts()
        self.good = {
            (form, mark): packed(200, completion(message(mark))).split(NUMBER.encode())
            for form, message in FORMS.items()
            for mark in MARKS
        }
        self.halved = {
            form: packed(200, completion(malformed(message(MARKS[0]))))
            for form, message in FORMS.items()
        }
        self.garbled = packed(200, b"<html><body>upstream had nothing to say</body></html>")

    def setup(self, body: bytes) -> bytes:
        given = json.loads(body or b"{}")
        known = {field.name for field in fields(Settings)}
        if unknown := set(given) - known:
            return problem(404, f"no such settings: {sorted(unknown)}; known: {sorted(known)}")
        self.settings, self.counts = Settings(**given), Counts()
        return packed(200, json.dumps(asdict(self.settings)).encode())

    def fault(self, identity: int, times: int) -> str | None:
        """The fault that meets this request, the `times`-th of its bytes."""
        drawn = random.Random(f"{self.settings.seed} {identity} {times}").random()  # noqa: S311 - not a secret
        for fault in FAULTS:
            drawn -= getattr(self.settings, fault)
            if drawn < 0:
                return fault
        return None

    def answer(self, form: str, mark: int, fault: str | None, turn: int) -> bytes:
        if fault is None:
            return (b"%08d" % self.counts.requests).join(self.good[form, mark])
        if fault == "rate_limited":
            return problem(429, "too fast", f"Retry-After: {self.settings.retry_after}\r\n")
        if fault == "broken":
            return problem(500, "something broke")
        return self.halved[form] if turn % 2 else self.garbled


class Connection(asyncio.Protocol):
    """One connection. It answers one request at a time; a pipelined one waits for its turn."""

    def __init__(self, stub: Stub, loop: asyncio.AbstractEventLoop) -> None:
        self.stub, self.loop = stub, loop
        self.buffer = b""
        self.busy: Counts | None = None  # the counts that the open request belongs to
        self.closed = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast(asyncio.Transport, transport)
        self.stub.counts.connections += 1

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002 - its signature is given
        self.closed = True
        if self.busy is not None:
            self.busy.in_flight -= 1
            self.busy.abandoned += 1
            self.busy = None

    def data_received(self, data: bytes) -> None:
        self.buffer = self.buffer + data if self.buffer else data
        if self.busy is None:
            self.take()

    def take(self) -> None:
        """Handles the requests that have arrived whole, until one has to wait for its answer."""
        while self.buffer and self.busy is None and not self.closed:
            buffer = self.buffer
            start = buffer.find(b"\r\n\r\n") + 4
            if start < 4:
                return
            found = LENGTH.search(buffer, 0, start)
            stop = start + int(found[1]) if found else start
            if len(buffer) < stop:
                return
            self.buffer = buffer[stop:]
            self.handle(buffer[:start], buffer[start:stop])

    def handle(self, head: bytes, body: bytes) -> None:
        method, path, _ = head.split(b" ", 2)
        closing = CLOSING.search(head) is not None
        if path.endswith(b"/v1/chat/completions"):
            form = path[1:-20].rstrip(b"/").decode() or "helpfulness"
            if form in FORMS:
                self.complete(form, body, closing)
                return
            answer = problem(404, f"no form {form!r}; known: {sorted(FORMS)}")
        elif path == b"/stats":
            answer = packed(200, json.dumps(self.stub.counts.told()).encode())
        elif path == b"/setup" and method == b"POST":
            answer = self.stub.setup(body)
        else:
            answer = problem(404, f"nothing at {path.decode()}")
        self.send(answer, closing)

    def complete(self, form: str, body: bytes, closing: bool) -> None:
        stub, counts = self.stub, self.stub.counts
        counts.requests += 1
        counts.in_flight += 1
        counts.most_in_flight = max(counts.most_in_flight, counts.in_flight)
        if counts.first is None:
            counts.first, counts.cpu = time.monotonic(), time.process_time()
        # Two checksums, as one of 32 bits would meet itself within 100,000 requests.
        identity = zlib.crc32(body) << 32 | zlib.adler32(body)
        times = counts.seen.get(identity, 0) + 1
        counts.seen[identity] = times
        self.busy = counts
        fault = stub.fault(identity, times) if stub.settings.faulty else None
        if fault == "hang":
            counts.outcomes["hang"] = counts.outcomes.get("hang", 0) + 1
            return
        at = body.find(b"mark=")
        mark = body[at + 5] - 48 if at >= 0 else MARKS[0]
        if mark not in MARKS:
            mark = MARKS[0]
        answer = b"" if fault == "reset" else stub.answer(form, mark, fault, identity + times)
        latency = stub.settings.latency_ms / 1000
        if latency > 0:
            self.loop.call_later(latency, self.finish, answer, identity, fault, closing)
        else:
            self.finish(answer, identity, fault, closing)

    def finish(self, answer: bytes, identity: int, fault: str | None, closing: bool) -> None:
        counts = self.busy
        if counts is None:  # the client went away meanwhile
            return
        counts.in_flight -= 1
        counts.last = time.monotonic()
        name = fault or "answered"
        counts.outcomes[name] = counts.outcomes.get(name, 0) + 1
        self.busy = None
        if fault == "reset":
            raw = self.transport.get_extra_info("socket")
            raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RST)
            self.transport.abort()
            return
        if fault is None:
            counts.answered[identity] = counts.answered.get(identity, 0) + 1
        if fault is None or (fault == "malformed" and answer is not self.stub.garbled):
            counts.billed += 1
        self.send(answer, closing)
        if self.buffer:
            self.loop.call_soon(self.take)

    def send(self, answer: bytes, closing: bool) -> None:
        self.transport.write(answer)
        if closing:
            self.transport.close()


async def serve(port: int) -> None:
    loop = asyncio.get_running_loop()
    stub = Stub()
    server = await loop.create_server(
        lambda: Connection(stub, loop), "127.0.0.1", port, backlog=1024
    )
    print(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}", flush=True)
    stop = asyncio.Event()
    for ending in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(ending, stop.set)
    gc.freeze()
    await stop.wait()
    server.close()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--port", type=int, default=0, help="0 takes a free one")
    asyncio.run(serve(parser.parse_args().port))
    return 0


if __name__ == "__main__":
    sys.exit(main())
