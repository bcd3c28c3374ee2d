from __future__ import annotations

import json
import resource
import select
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from tests.service import Running, running_service

from adjudge.service import connections
from adjudge.service.options import ServeOptions

HALF_A_HEAD = b"GET /healthz HTTP/1.1\r\nHost: 127"
ASKED = b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
HALF_A_BODY = (
    b"POST /api/v1/judge HTTP/1.1\r\nHost: 127.0.0.1\r\n"
    b"Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n{"
)


@pytest.fixture
def running(tmp_path: Path) -> Iterator[Running]:
    with running_service(ServeOptions(store=str(tmp_path / "runs.db"))) as running:
        yield running


def connected(running: Running) -> socket.socket:
    address = urlsplit(running.url)
    assert address.hostname
    assert address.port
    return socket.create_connection((address.hostname, address.port), timeout=20)


def rest(client: socket.socket) -> bytes:
    """All until the service hangs up; "" where it just cuts the connection."""
    try:
        return b"".join(iter(lambda: client.recv(65536), b""))
    except ConnectionResetError:
        return b""


def problem(answer: bytes, status: int) -> dict[str, object]:
    """What a whole answer tells in its body."""
    head, _, body = answer.partition(b"\r\n\r\n")
    first, *headers = head.decode().split("\r\n")
    assert first.startswith(f"HTTP/1.1 {status} ")
    assert "content-type: application/problem+json" in headers
    assert f"content-length: {len(body)}" in headers
    assert "connection: close" in headers
    told: dict[str, object] = json.loads(body)
    assert told["status"] == status
    return told


class TestHeads:
    def test_half_a_head_is_not_waited_for(
        self, running: Running, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(connections, "HEAD", 0.2)
        with connected(running) as client:
            client.sendall(HALF_A_HEAD)
            told = problem(rest(client), 408)
        assert told["type"] == "urn:adjudge:problem:too-slow"
        assert "head" in told["detail"]

    def test_nor_one_that_never_begins(
        self, running: Running, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(connections, "HEAD", 0.2)
        with connected(running) as client:
            assert rest(client).startswith(b"HTTP/1.1 408 ")

    def test_nor_the_next_one_on_a_connection(
        self, running: Running, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(connections, "HEAD", 0.2)
        with connected(running) as client:
            client.sendall(ASKED)
            assert client.recv(65536).startswith(b"HTTP/1.1 200 ")
            client.sendall(b"\r\n")  # ends the time for a kept connection, and begins no request
            assert b"HTTP/1.1 408 " in rest(client)

    def test_what_is_no_http_is_told_in_the_same_form(self, running: Running) -> None:
        with connected(running) as client:
            client.sendall(b"\x16\x03\x01\x02\x00\r\n\r\n")  # TLS, say
            told = problem(rest(client), 400)
        assert told["type"] == "urn:adjudge:problem:malformed"


class TestLargeHeads:
    MUCH = 64_000_000  # bytes; far more than sockets hold on the way

    @pytest.mark.parametrize(
        ("start", "piece"),
        [
            (b"GET /", b"a" * 65536),
            (b"GET / HTTP/1.1\r\n", b"A: b\r\n" * 10_000),
            (b"GET / HTTP/1.1\r\nA: ", b"b" * 65536),
            (b"GET / HTTP/1.1\r\n", b"b" * 65536),
        ],
        ids=["address", "many headers", "a long value", "a long name"],
    )
    def test_they_are_refused(self, running: Running, start: bytes, piece: bytes) -> None:
        with connected(running) as client:
            client.sendall(start)
            sent = 0
            while sent < self.MUCH and not select.select([client], [], [], 0)[0]:
                sent += client.send(piece)
            assert sent < self.MUCH
            problem(rest(client), 431)

    def test_they_are_not_kept_while_the_client_goes_on(
        self, running: Running, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(connections, "_LINGER", 0.3)
        with connected(running) as client:
            client.sendall(b"GET /")
            end = time.monotonic() + 20
            with suppress(ConnectionError):
                while time.monotonic() < end:
                    client.send(b"a" * 65536)
            assert time.monotonic() < end

    def test_the_answer_names_the_limits(self, running: Running) -> None:
        with connected(running) as client:
            client.sendall(b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n" + b"A: b\r\n" * 101)
            told = problem(rest(client), 431)
        assert told["type"] == "urn:adjudge:problem:too-large"
        assert "65,536 bytes" in str(told["detail"])
        assert "100 headers" in str(told["detail"])

    def test_as_many_headers_as_are_allowed(self, running: Running) -> None:
        head = b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n"
        with connected(running) as client:
            client.sendall(head + b"A: b\r\n" * 97 + b"B: " + b"c" * 60_000 + b"\r\n\r\n")
            assert rest(client).startswith(b"HTTP/1.1 200 ")

    def test_each_request_of_a_connection_is_counted_alone(self, running: Running) -> None:
        ask = b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n" + b"A: b\r\n" * 60
        with connected(running) as client:
            client.sendall((ask + b"\r\n") * 3 + ask + b"Connection: close\r\n\r\n")
            assert rest(client).count(b"HTTP/1.1 200 ") == 4

    def test_headers_behind_a_body_count_too(self, running: Running) -> None:
        head = b"POST /api/v1/judge HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n"
        with connected(running) as client:
            client.sendall(head + b"Content-Type: application/json\r\n\r\n1\r\n{\r\n0\r\n")
            sent = 0
            with suppress(ConnectionError):
                while sent < self.MUCH:
                    sent += client.send(b"A: b\r\n" * 10_000)
            assert sent < self.MUCH

    def test_a_head_that_drips_has_no_more_time(
        self, running: Running, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(connections, "HEAD", 0.5)
        with connected(running) as client:
            client.sendall(HALF_A_HEAD)
            for _ in range(200):
                if select.select([client], [], [], 0.05)[0]:
                    break
                client.sendall(b"a")
            assert rest(client).startswith(b"HTTP/1.1 408 ")


class TestMost:
    @pytest.mark.parametrize(
        ("files", "most"),
        [(140, 70), (1024, 896), (100_000, 2000), (resource.RLIM_INFINITY, 2000)],
    )
    def test_below_the_descriptors(
        self, files: int, most: int, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(resource, "getrlimit", lambda _: (files, files))
        assert connections.most_connections() == most

    @pytest.mark.parametrize("half", [HALF_A_HEAD, HALF_A_BODY])
    def test_whoever_was_quiet_for_longest_makes_room(
        self, running: Running, half: bytes, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(connections, "most_connections", lambda: 3)
        with ExitStack() as stack:
            quiet = []
            for _ in range(3):
                quiet.append(stack.enter_context(connected(running)))
                quiet[-1].sendall(half)
                assert running.ask("/healthz").status == 200
            assert rest(quiet[0]) == b""
            quiet[2].settimeout(0.2)
            with pytest.raises(TimeoutError):
                quiet[2].recv(1)

    def test_where_all_are_in_use_others_are_told(
        self, running: Running, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(connections, "most_connections", lambda: 0)
        answer = running.ask("/healthz")
        assert answer.status == 503
        assert answer.headers["retry-after"] == "1"
        assert answer.headers["content-type"] == "application/problem+json"
        told = answer.json
        assert (told["status"], told["instance"]) == (503, "/healthz")
        assert told["type"] == "urn:adjudge:problem:service-busy"


class TestClientsThatTakeNothing:
    PAGE = b"GET /static/app.css HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"

    def test_they_are_cut_off(self, running: Running, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(connections, "STALLED", 0.3)
        lost = threading.Event()
        usual = connections.ClientConnection.connection_lost

        def hearing(self: connections.ClientConnection, error: Exception | None) -> None:
            usual(self, error)
            lost.set()

        monkeypatch.setattr(connections.ClientConnection, "connection_lost", hearing)
        with connected(running) as client:
            client.sendall(self.PAGE * 1000)
            assert lost.wait(20)

    def test_nobody_may_ask_far_ahead(self, running: Running) -> None:
        with connected(running) as client:
            with suppress(ConnectionError):
                client.sendall(self.PAGE * 50_000)
            poll = select.poll()
            poll.register(client, 0)
            assert poll.poll(20_000)  # waits for the end without reading
