"""HTTP itself: against servers that are made of bytes, so that they can do everything wrong."""

from __future__ import annotations

import asyncio
import gc
import gzip
import shutil
import socket
import ssl
import subprocess
import tracemalloc
import zlib
from base64 import b64encode
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import pytest

from adjudge.errors import ModelUnavailable, ProviderError, UsageError
from adjudge.models.http import Endpoint, HttpAnswer, Remedies, connections, failures, pause_of
from adjudge.models.http.connection import Connection
from adjudge.models.http.endpoint import server_at, split_base_url

T = TypeVar("T")
KEY = "sk-100%secret"
OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"
CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
Reader, Writer = asyncio.StreamReader, asyncio.StreamWriter


@dataclass
class Server:
    """Answers each request with the next of `answers`, the last one over and over."""

    answers: list[bytes] = field(default_factory=lambda: [OK])
    closes: bool = False
    tls: ssl.SSLContext | None = None
    requests: list[bytes] = field(default_factory=list)
    connections: int = 0
    came: asyncio.Event = field(default_factory=asyncio.Event)
    left: asyncio.Event = field(default_factory=asyncio.Event)

    async def serve(self, reader: Reader, writer: Writer) -> None:
        self.connections += 1
        try:
            while True:
                self.requests.append(await request(reader))
                self.came.set()
                await self.answer(reader, writer)
                if self.closes:
                    break
        finally:
            self.left.set()

    async def answer(self, reader: Reader, writer: Writer) -> None:
        writer.write(self.answers.pop(0) if len(self.answers) > 1 else self.answers[0])
        await writer.drain()

    @asynccontextmanager
    async def at(self) -> AsyncIterator[str]:
        async with listening(self.serve, self.tls) as port:
            yield f"http{'s' * bool(self.tls)}://127.0.0.1:{port}/v1"


@dataclass
class Does(Server):
    """Answers with what a function does."""

    does: Callable[[Reader, Writer], Awaitable[None]] = field(kw_only=True)

    async def answer(self, reader: Reader, writer: Writer) -> None:
        await self.does(reader, writer)


@asynccontextmanager
async def listening(serve: Any, tls: ssl.SSLContext | None = None) -> AsyncIterator[int]:
    async def handle(reader: Reader, writer: Writer) -> None:
        tasks.add(asyncio.current_task())
        try:
            await serve(reader, writer)
            await writer.drain()
            writer.close()
            await reader.read()
        except (asyncio.CancelledError, asyncio.IncompleteReadError, OSError):
            pass
        finally:
            writer.transport.abort()

    tasks: set[Any] = set()
    server = await asyncio.start_server(handle, "127.0.0.1", 0, ssl=tls)
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        server.close()
        await asyncio.sleep(0.01)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks)
        await server.wait_closed()
        await asyncio.sleep(0.01)


async def request(reader: Reader) -> bytes:
    head = await reader.readuntil(b"\r\n\r\n")
    length = next((line[15:] for line in head.split(b"\r\n") if line[:15] == b"Content-Length:"), 0)
    return head + await reader.readexactly(int(length))


def endpoint(base: str, timeout: float = 5.0, **headers: str) -> Endpoint:
    named = {"Authorization": f"Bearer {KEY}"} | headers
    return Endpoint(base, "/chat", named, KEY, timeout, Remedies(key="the key", address="--base"))


def using(server: Server, work: Callable[[Endpoint], Awaitable[T]], timeout: float = 5.0) -> T:
    async def run() -> T:
        async with server.at() as base, opened(base, timeout) as wire:
            return await work(wire)

    return asyncio.run(run())


@asynccontextmanager
async def opened(base: str, seconds: float = 5.0) -> AsyncIterator[Endpoint]:
    wire = endpoint(base, seconds)
    try:
        yield wire
    finally:
        await wire.aclose()


def post(server: Server, timeout: float = 5.0) -> HttpAnswer:
    return using(server, lambda wire: wire.post(b"{}"), timeout)


def failing(server: Server, timeout: float = 5.0) -> ProviderError:
    with pytest.raises(ProviderError) as caught:
        post(server, timeout)
    text = str(caught.value)
    assert KEY not in text
    assert "\n" not in text
    assert caught.value.retryable
    return caught.value


def answer(body: bytes, *lines: str, length: bool = True) -> bytes:
    fields = [*lines, f"Content-Length: {len(body)}"] if length else lines
    return "\r\n".join(("HTTP/1.1 200 OK", *fields, "", "")).encode() + body


def living(kind: type) -> int:
    return sum(isinstance(each, kind) for each in gc.get_objects())


@pytest.fixture(autouse=True)
def _no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("no_proxy", "")


class TestRequest:
    def test_what_is_sent(self) -> None:
        server = Server()
        assert post(server)[:3] == (200, {"content-length": "2"}, b"{}")
        head, body = server.requests[0].split(b"\r\n\r\n")
        first, *rest = head.decode().split("\r\n")
        assert first == "POST /v1/chat HTTP/1.1"
        sent = dict(line.split(": ", 1) for line in rest)
        assert sent.pop("Host").startswith("127.0.0.1:")
        assert sent == {
            "User-Agent": "adjudge",
            "Accept-Encoding": "identity",
            "Authorization": f"Bearer {KEY}",
            "Content-Type": "application/json",
            "Content-Length": "2",
        }
        assert body == b"{}"

    def test_name_and_password_go_before_the_key(self) -> None:
        server = Server()

        async def run() -> None:
            async with server.at() as base, opened(base.replace("//", "//me:p%40ss@")) as wire:
                assert "me" not in wire.address
                await wire.post(b"{}")

        asyncio.run(run())
        assert b"Authorization: Basic " + b64encode(b"me:p@ss") in server.requests[0]
        assert KEY.encode() not in server.requests[0]

    def test_a_query_in_the_base_stays_behind_the_path(self) -> None:
        server = Server()

        async def run() -> None:
            async with server.at() as base, opened(f"{base}/?version=2%20a") as wire:
                await wire.post(b"{}")
                await wire.call("GET", "/batches?limit=1")

        asyncio.run(run())
        first, second = (sent.split(b" HTTP", 1)[0] for sent in server.requests)
        assert first == b"POST /v1/chat?version=2%20a"
        assert second == b"GET /v1/batches?limit=1&version=2%20a"

    def test_nothing_ends_the_line(self) -> None:
        server = Server()
        using(server, lambda wire: wire.call("GET", "/x y\r\nCookie: z/ü"))
        assert server.requests[0].startswith(b"GET /v1/x%20y%0D%0ACookie:%20z/%C3%BC HTTP/1.1\r\n")
        with pytest.raises(ModelUnavailable, match="cannot be sent"):
            endpoint("http://h/v1", Version="1\r\nCookie: z")

    def test_other_methods(self) -> None:
        server = Server()

        async def work(wire: Endpoint) -> None:
            assert (await wire.call("GET", "/batches")).status == 200
            await wire.call("POST", "/files", b"abc", content_type="text/plain")
            await wire.call("POST", "/stop", b"")

        using(server, work)
        got, uploaded, stopped = server.requests
        assert b"Content-" not in got
        assert uploaded.endswith(b"Content-Type: text/plain\r\nContent-Length: 3\r\n\r\nabc")
        assert stopped.endswith(b"Content-Length: 0\r\n\r\n")

    @pytest.mark.parametrize("method", ["post", "call"])
    def test_a_large_body(self, method: str) -> None:
        server, body = Server(), bytes(range(256)) * 50_000
        if method == "post":
            using(server, lambda wire: wire.post(body))
        else:
            using(server, lambda wire: wire.call("POST", "/files", body))
        assert server.requests[0].endswith(b"\r\n\r\n" + body)

    def test_a_large_body_that_is_not_read_to_the_end(self) -> None:
        async def refuse(reader: Reader, writer: Writer) -> None:
            await reader.read(1000)
            writer.write(b"HTTP/1.1 413 Too Large\r\nContent-Length: 2\r\n\r\n{}")
            await asyncio.sleep(0.2)
            writer.close()

        async def run() -> None:
            async with (
                listening(refuse) as port,
                opened(f"http://127.0.0.1:{port}") as wire,
            ):
                assert (await wire.post(bytes(50_000_000))).status == 413

        asyncio.run(run())

    @pytest.mark.parametrize("base", ["http://h:99999/", "http://h:x/", "http://h:0", "//h/v1", ""])
    def test_no_url(self, base: str) -> None:
        with pytest.raises(UsageError, match="is not a base URL"):
            endpoint(base)

    def test_address(self) -> None:
        assert endpoint("https://u:p@H.example/v1/?k=1").address == "https://h.example/v1/chat"
        assert endpoint("https://h.example").place == "h.example:443"
        assert endpoint("http://[::1]:8000/v1").address == "http://[::1]:8000/v1/chat"
        assert endpoint("http://bücher.example").place == "xn--bcher-kva.example:80"


class TestAnswer:
    @pytest.mark.parametrize(
        ("sent", "body"),
        [
            (CHUNKED + b"2\r\nab\r\n1\r\nc\r\n0\r\n\r\n", b"abc"),
            (b"HTTP/1.1 100 Continue\r\nA: b\r\n\r\n" + OK, b"{}"),
            (b"HTTP/1.1 103 Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 100 Yes\r\n\r\n" + OK, b"{}"),
            (b"HTTP/1.1 200 OK\nContent-Length: 2\n\n{}", b"{}"),
            (answer(gzip.compress(b"abc", mtime=0), "Content-Encoding: gzip"), b"abc"),
            (answer(zlib.compress(b"abc"), "content-encoding: Deflate"), b"abc"),
            (answer(b"abc", "Content-Encoding: identity"), b"abc"),
            (b"HTTP/1.1 204 No Content\r\n\r\n", b""),
        ],
        ids=["chunked", "continue", "hints", "sloppy", "gzip", "deflate", "identity", "empty"],
    )
    def test_forms(self, sent: bytes, body: bytes) -> None:
        async def twice(wire: Endpoint) -> list[HttpAnswer]:
            return [await wire.post(b"{}") for _ in range(2)]

        server = Server([sent])
        for got in using(server, twice):
            assert got.body == body
            assert "link" not in got.headers
        assert server.connections == 1

    @pytest.mark.parametrize("version", [b"1.0", b"1.1"])
    def test_that_ends_with_the_connection(self, version: bytes) -> None:
        server = Server([b"HTTP/" + version + b" 200 OK\r\n\r\nabc"], closes=True)
        assert post(server).body == b"abc"

    def test_headers_in_any_case(self) -> None:
        headers = post(Server([answer(b"", "X-One: 1", "x-two:  \xff")])).headers
        assert headers["x-ONE"] == headers.get("X-One") == "1"
        assert "X-Two" in headers
        assert headers.get("three") is None
        assert set(headers) == {"x-one", "x-two", "content-length"}

    def test_no_redirect_is_followed_and_no_cookie_kept(self) -> None:
        away = (
            b"HTTP/1.1 302 Found\r\nLocation: /v1/x\r\nSet-Cookie: a=b\r\nContent-Length: 0\r\n\r\n"
        )
        server = Server([away])

        async def twice(wire: Endpoint) -> list[HttpAnswer]:
            return [await wire.post(b"{}") for _ in range(2)]

        assert [got.status for got in using(server, twice)] == [302, 302]
        assert len(server.requests) == 2
        assert b"ookie" not in server.requests[1]

    @pytest.mark.parametrize(
        ("sent", "why"),
        [
            (b"", "closed before"),
            (b"HTTP/1.1 200 OK\r\nConte", "closed before"),
            (b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nab", "closed before"),
            (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab", "closed before"),
            (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n", "no HTTP"),
            (b"SSH-2.0-OpenSSH_9.6\r\n", "no HTTP"),
            (b"HTTP/1.1 101 Switching\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\nabc", ""),
            (answer(b"abc", "Content-Encoding: gzip"), "header"),
            (answer(gzip.compress(b"abc" * 99, mtime=0)[:-9], "Content-Encoding: gzip"), "cut off"),
            (answer(b"abc", "Content-Encoding: br"), "packed as br"),
        ],
    )
    def test_broken(self, sent: bytes, why: str) -> None:
        error = failing(Server([sent], closes=True))
        assert "the connection to 127.0.0.1:" in str(error)
        assert why in str(error)
        assert error.sent

    def test_reset(self) -> None:
        async def reset(reader: Reader, writer: Writer) -> None:
            writer.transport.abort()

        assert "broke" in str(failing(Does(does=reset)))

    def test_two_answers_to_one_request(self) -> None:
        """What follows must not pass for the answer to the next request."""
        forged = answer(b"[1]", "X: forged")
        server = Server([OK + forged, OK + forged])

        async def twice(wire: Endpoint) -> list[HttpAnswer]:
            return [await wire.post(b"{}") for _ in range(2)]

        for got in using(server, twice):
            assert got.body == b"{}"
            assert "x" not in got.headers
        assert server.connections == 2

    def test_an_answer_to_nothing(self) -> None:
        async def run() -> None:
            server = Server()

            async def more(reader: Reader, writer: Writer) -> None:
                writer.write(OK)
                await asyncio.sleep(0.05)
                writer.write(answer(b"[1]"))

            server = Does(does=more)
            async with server.at() as base, opened(base) as wire:
                await wire.post(b"{}")
                await asyncio.sleep(0.2)
                assert (await wire.post(b"{}")).body == b"{}"
                assert server.connections == 2

        asyncio.run(run())


class TestLimits:
    @pytest.mark.parametrize(
        "start",
        [
            b"HTTP/1.1 200 OK\r\n\r\n",
            b"HTTP/1.1 200 OK\r\nContent-Length: 999999999999\r\n\r\n",
            b"HTTP/1.1 200 OK\r\nX: ",
        ],
        ids=["until closed", "with a length", "headers"],
    )
    def test_an_endless_answer(self, start: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(failures, "MOST", 2**22)

        async def endless(reader: Reader, writer: Writer) -> None:
            writer.write(start)
            while True:
                writer.write(b"x" * 100_000)
                await writer.drain()

        assert "sent more than 4 MB" in str(failing(Does(does=endless)))

    def test_a_packed_endless_answer(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(failures, "MOST", 2**22)
        bomb = answer(gzip.compress(bytes(50_000_000)), "Content-Encoding: gzip")
        tracemalloc.start()
        try:
            assert "sent more than 4 MB" in str(failing(Server([bomb])))
            assert tracemalloc.get_traced_memory()[1] < 20_000_000
        finally:
            tracemalloc.stop()

    @pytest.mark.parametrize(
        ("start", "drip"),
        [
            (b"", b""),
            (b"HTTP/1.1 200 OK\r\n", b"X: y\r\n"),
            (b"HTTP/1.1 200 OK\r\nContent-Length: 999\r\n\r\n", b"x"),
        ],
        ids=["silence", "slow headers", "slow body"],
    )
    def test_the_deadline_is_for_all_of_it(self, start: bytes, drip: bytes) -> None:
        async def slow(reader: Reader, writer: Writer) -> None:
            writer.write(start)
            while True:
                await asyncio.sleep(0.02)
                writer.write(drip)

        error = failing(Does(does=slow), timeout=0.2)
        assert "within 0.2 s; --timeout allows more" in str(error)
        assert error.sent

    def test_the_deadline_of_connecting(self) -> None:
        async def run() -> None:
            with socket.socket() as deaf:  # its queue is full: it takes no further connection
                deaf.bind(("127.0.0.1", 0))
                deaf.listen(0)
                port = deaf.getsockname()[1]
                with socket.create_connection(("127.0.0.1", port)):
                    async with opened(f"https://127.0.0.1:{port}", 0.2) as wire:
                        await wire.post(b"{}")

        with pytest.raises(ProviderError, match=r"within 0\.2 s") as caught:
            asyncio.run(run())
        assert not caught.value.sent

    def test_the_deadline_of_a_large_body_that_nobody_reads(self) -> None:
        async def deaf(reader: Reader, writer: Writer) -> None:
            await asyncio.sleep(9)

        async def run() -> None:
            async with listening(deaf) as port, opened(f"http://127.0.0.1:{port}", 0.2) as wire:
                await wire.post(bytes(50_000_000))

        with pytest.raises(ProviderError, match=r"within 0\.2 s"):
            asyncio.run(run())

    def test_who_is_cancelled_hangs_up(self) -> None:
        async def wait(reader: Reader, writer: Writer) -> None:
            await reader.readexactly(1)

        async def run() -> None:
            server = Does(does=wait)
            async with server.at() as base, opened(base) as wire:
                asking = asyncio.create_task(wire.post(b"{}"))
                await server.came.wait()
                asking.cancel()
                await asyncio.wait_for(server.left.wait(), 2)
                with pytest.raises(asyncio.CancelledError):
                    await asking

        asyncio.run(run())


class TestConnections:
    def test_are_used_again(self) -> None:
        server = Server()

        async def work(wire: Endpoint) -> None:
            await asyncio.gather(*(wire.post(b"{}") for _ in range(100)))
            assert server.connections == 100
            for _ in range(5):
                await asyncio.gather(*(wire.post(b"{}") for _ in range(100)))

        using(server, work)
        assert server.connections == 100
        assert len(server.requests) == 600

    def test_not_when_the_server_says_so(self) -> None:
        server = Server([answer(b"{}", "Connection: close")])

        async def work(wire: Endpoint) -> None:
            await wire.post(b"{}")
            await wire.post(b"{}")

        using(server, work)
        assert server.connections == 2

    def test_not_after_a_while(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(connections, "_IDLE", 0.05)
        server = Server()

        async def work(wire: Endpoint) -> None:
            await wire.post(b"{}")
            await asyncio.sleep(0.1)
            await wire.post(b"{}")

        using(server, work)
        assert server.connections == 2

    @pytest.mark.parametrize("pause", [0.0, 0.1])
    def test_closed_without_a_word(self, pause: float) -> None:
        """Whether that is noticed before the next request is sent, or only then."""
        server = Server(closes=True)

        async def work(wire: Endpoint) -> None:
            for _ in range(20):
                await wire.post(b"{}")
                await asyncio.sleep(pause / 10)

        using(server, work)
        assert len(server.requests) == 20

    @pytest.mark.parametrize(("method", "sent"), [("GET", 3), ("POST", 2)])
    def test_closed_at_the_second_request(self, method: str, sent: int) -> None:
        """Asking twice is harmless; ordering a batch twice is not."""

        async def once(reader: Reader, writer: Writer) -> None:
            writer.write(OK)
            await request(reader)
            server.requests.append(b"unanswered")
            writer.close()

        server = Does(does=once)

        async def work(wire: Endpoint) -> None:
            await wire.post(b"{}")
            await wire.call(method, "/batches", b"{}" if method == "POST" else None)

        if method == "GET":
            using(server, work)
        else:
            with pytest.raises(ProviderError, match="broke") as caught:
                using(server, work)
            assert caught.value.retryable
        assert len(server.requests) == sent

    def test_in_one_loop_after_the_other(self) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        wire = endpoint(f"http://127.0.0.1:{port}")

        async def run(close: bool) -> None:
            server = await asyncio.start_server(Server().serve, "127.0.0.1", port)
            assert (await wire.post(b"{}")).status == 200
            for connection in [*wire._connections._all] if not close else ():
                connection.transport.close()  # but the endpoint does not hear of it
            if close:
                await wire.aclose()
            server.close()
            await server.wait_closed()
            await asyncio.sleep(0.02)

        for close in (False, True, True):
            asyncio.run(run(close))

    @pytest.mark.parametrize(
        "says",
        [b"", b"Hello!\r\n\r\n", OK[:-1], CHUNKED, answer(b"{}", "Connection: close"), None],
        ids=["lost", "no HTTP", "cut short", "no end", "closed", "late"],
    )
    def test_that_are_gone_leave_nothing_behind(self, says: bytes | None) -> None:
        """Not even until the next look for garbage, which is long in coming in a large process."""

        async def serve(reader: Reader, writer: Writer) -> None:
            if says is None:
                await reader.read()
            else:
                writer.write(says)

        async def work(wire: Endpoint) -> None:
            for _ in range(5):
                with suppress(ProviderError):
                    await wire.post(b"{}")
                with suppress(ProviderError):
                    assert [line async for line in wire.lines("/file")] == [b"{}"]
            await asyncio.sleep(0.02)  # the sockets are closed within the loop's next rounds
            assert living(Connection) == before

        gc.collect()
        before = living(Connection)
        gc.disable()
        try:
            using(Does(does=serve, closes=True), work, timeout=0.1)
        finally:
            gc.enable()

    def test_closing_ends_what_is_under_way(self) -> None:
        async def silent(reader: Reader, writer: Writer) -> None:
            await reader.readexactly(1)

        async def run() -> None:
            server = Does(does=silent)
            async with server.at() as base:
                wire = endpoint(base)
                asking = asyncio.create_task(wire.post(b"{}"))
                await server.came.wait()
                await wire.aclose()
                await wire.aclose()
                with pytest.raises(ProviderError, match="broke"):
                    await asking

        asyncio.run(run())


class TestLines:
    def lines(self, server: Server, timeout: float = 5.0) -> list[bytes]:
        async def work(wire: Endpoint) -> list[bytes]:
            return [line async for line in wire.lines("/files/1")]

        return using(server, work, timeout)

    @pytest.mark.parametrize(
        "sent",
        [
            answer(b"a\n\nb c\n"),
            answer(b"a\n \nb c"),
            answer(gzip.compress(b"a\nb c\n", mtime=0), "Content-Encoding: gzip"),
            answer(
                b"2\r\na\n\r\n3\r\nb c\r\n0\r\n\r\n", "Transfer-Encoding: chunked", length=False
            ),
        ],
    )
    def test_forms(self, sent: bytes) -> None:
        server = Server([sent])
        assert self.lines(server) == [b"a", b"b c"]
        assert server.requests[0].startswith(b"GET /v1/files/1 HTTP/1.1\r\n")

    def test_a_long_file_takes_little_memory(self) -> None:
        line = b'{"custom_id": "x", "text": "' + b"x" * 2000 + b'"}\n'
        count = 40_000

        async def much(reader: Reader, writer: Writer) -> None:
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % (len(line) * count))
            for _ in range(count // 100):
                writer.write(line * 100)
                await writer.drain()

        async def work(wire: Endpoint) -> int:
            number = 0
            async for got in wire.lines("/f"):
                assert len(got) == len(line) - 1
                number += 1
            return number

        tracemalloc.start()
        try:
            assert using(Does(does=much), work, 60.0) == count
            assert tracemalloc.get_traced_memory()[1] < 12_000_000
        finally:
            tracemalloc.stop()

    def test_a_slow_reader_slows_the_server(self) -> None:
        sent = 0

        async def much(reader: Reader, writer: Writer) -> None:
            nonlocal sent
            writer.write(b"HTTP/1.1 200 OK\r\n\r\n")
            while True:
                writer.write(b"x" * 99_999 + b"\n")
                await writer.drain()
                sent += 100_000

        async def work(wire: Endpoint) -> None:
            async for _ in wire.lines("/f"):
                await asyncio.sleep(0.5)
                break

        using(Does(does=much), work)
        assert sent < 40_000_000  # what the system's own buffers take, and a piece

    def test_an_endless_line(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(failures, "MOST", 2**22)

        async def endless(reader: Reader, writer: Writer) -> None:
            writer.write(b"HTTP/1.1 200 OK\r\n\r\n")
            while True:
                writer.write(b"x" * 100_000)
                await writer.drain()

        with pytest.raises(ProviderError, match="sent more than 4 MB"):
            self.lines(Does(does=endless))

    def test_broken_off(self) -> None:
        async def work(wire: Endpoint) -> None:
            lines = wire.lines("/f")
            assert await anext(lines) == b"a"
            with pytest.raises(ProviderError, match="broke") as caught:
                await anext(lines)
            assert caught.value.retryable

        cut = b"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\na\nb"
        using(Server([cut], closes=True), work)

    def test_the_timeout_is_for_each_part(self) -> None:
        async def slow(reader: Reader, writer: Writer) -> None:
            writer.write(b"HTTP/1.1 200 OK\r\n\r\n")
            for _ in range(4):
                await asyncio.sleep(0.2)
                writer.write(b"a\n")
            await asyncio.sleep(9)

        with pytest.raises(ProviderError, match=r"within 0\.5 s") as caught:
            self.lines(Does(does=slow), timeout=0.5)
        assert caught.value.retryable

    def test_another_status(self) -> None:
        told = b'{"error": {"message": "no such file"}}'
        sent = answer(told).replace(b"200 OK", b"404 Not Found")
        with pytest.raises(ProviderError, match="no such file") as caught:
            self.lines(Server([sent]))
        assert caught.value.status == 404

    def test_whoever_leaves_early_hangs_up(self) -> None:
        async def run() -> None:
            server = Server([answer(b"a\n" * 500_000)])
            async with server.at() as base, opened(base) as wire:
                lines = wire.lines("/f")
                assert await anext(lines) == b"a"
                await lines.aclose()
                await wire.post(b"{}")
                assert server.connections == 2

        asyncio.run(run())

    def test_the_connection_is_used_again(self) -> None:
        async def work(wire: Endpoint) -> None:
            for _ in range(3):
                assert [line async for line in wire.lines("/f")] == [b"a"]

        server = Server([answer(b"a\n")])
        using(server, work)
        assert server.connections == 1

    def test_a_kept_connection_that_is_closed(self) -> None:
        async def work(wire: Endpoint) -> None:
            for _ in range(10):
                assert [line async for line in wire.lines("/f")] == [b"a"]

        using(Server([answer(b"a\n")], closes=True), work)


@pytest.fixture(scope="session")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An authority of our own, and a server's certificate from it."""
    if not shutil.which("openssl"):
        pytest.skip("needs the openssl command")
    folder = tmp_path_factory.mktemp("certificates")
    key = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes")
    (folder / "names").write_text("subjectAltName=IP:127.0.0.1,DNS:judge.test\n")
    for command in (
        ("req", "-x509", *key, "-keyout", "ca.key", "-out", "ca.pem", "-subj", "/CN=Test CA",
         "-addext", "keyUsage=critical,keyCertSign"),
        ("req", *key, "-keyout", "key.pem", "-out", "csr.pem", "-subj", "/CN=judge"),
        ("x509", "-req", "-in", "csr.pem", "-CA", "ca.pem", "-CAkey", "ca.key",
         "-CAcreateserial", "-out", "cert.pem", "-days", "2", "-extfile", "names"),
    ):  # fmt: skip
        subprocess.run(["openssl", *command], cwd=folder, check=True, capture_output=True)
    return folder


@pytest.fixture
def tls(certificates: Path) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificates / "cert.pem", certificates / "key.pem")
    return context


class TestTls:
    def test_an_authority_of_ones_own(
        self, certificates: Path, tls: ssl.SSLContext, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("SSL_CERT_FILE", str(certificates / "ca.pem"))
        server = Server(tls=tls)

        async def work(wire: Endpoint) -> None:
            for _ in range(3):
                assert (await wire.post(bytes(3_000_000))).body == b"{}"
            assert [line async for line in wire.lines("/f")] == [b"{}"]

        using(server, work)
        assert server.connections == 1

    def test_an_unknown_authority(
        self, tls: ssl.SSLContext, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.delenv("SSL_CERT_FILE", raising=False)
        with pytest.raises(ProviderError, match="CERTIFICATE_VERIFY_FAILED") as caught:
            post(Server(tls=tls))
        assert caught.value.fatal
        assert not caught.value.sent
        assert "SSL_CERT_FILE can name" in str(caught.value)

    def test_another_name(
        self, certificates: Path, tls: ssl.SSLContext, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("SSL_CERT_FILE", str(certificates / "ca.pem"))

        async def run() -> None:
            async with (
                listening(Server().serve, tls) as port,
                opened(f"https://localhost:{port}") as wire,
            ):
                await wire.post(b"{}")

        with pytest.raises(ProviderError, match="no secure connection"):
            asyncio.run(run())


@dataclass
class Proxy:
    """Passes everything on to one port, whatever host it is asked for."""

    port: int = 0
    status: bytes = b"200 Connection established"
    asked: list[bytes] = field(default_factory=list)

    async def serve(self, reader: Reader, writer: Writer) -> None:
        self.asked.append(await request(reader))
        if not self.asked[0].startswith(b"CONNECT"):
            writer.write(OK)
            return
        writer.write(b"HTTP/1.1 " + self.status + b"\r\nVia: me\r\n\r\n")
        if not self.status.startswith(b"200"):
            writer.close()
            return
        there, back = await asyncio.open_connection("127.0.0.1", self.port)
        await asyncio.gather(self.pump(reader, back), self.pump(there, writer))

    async def pump(self, source: Reader, target: Writer) -> None:
        while data := await source.read(65536):
            target.write(data)
        target.close()


class TestProxy:
    def through(
        self,
        monkeypatch: pytest.MonkeyPatch,
        proxy: Proxy,
        base: str,
        tls: ssl.SSLContext | None = None,
    ) -> HttpAnswer:
        async def run() -> HttpAnswer:
            async with (
                listening(Server().serve, tls) as proxy.port,
                listening(proxy.serve) as port,
            ):
                for scheme in ("http", "https"):
                    monkeypatch.setenv(f"{scheme}_proxy", f"http://me:hid%20den@127.0.0.1:{port}")
                async with opened(base, 5.0) as wire:
                    return await wire.post(b"{}")

        return asyncio.run(run())

    AUTH = b"Proxy-Authorization: Basic " + b64encode(b"me:hid den")

    def test_plain(self, monkeypatch: pytest.MonkeyPatch) -> None:
        proxy = Proxy()
        assert self.through(monkeypatch, proxy, "http://judge.test/v1").status == 200
        assert proxy.asked[0].startswith(b"POST http://judge.test/v1/chat HTTP/1.1\r\n")
        assert self.AUTH in proxy.asked[0]

    def test_secure(
        self, certificates: Path, tls: ssl.SSLContext, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("SSL_CERT_FILE", str(certificates / "ca.pem"))
        proxy = Proxy()
        assert self.through(monkeypatch, proxy, "https://judge.test/v1", tls).status == 200
        assert proxy.asked[0].startswith(b"CONNECT judge.test:443 HTTP/1.1\r\n")
        assert self.AUTH in proxy.asked[0]
        assert KEY.encode() not in proxy.asked[0]

    def test_secure_with_another_name(
        self, certificates: Path, tls: ssl.SSLContext, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("SSL_CERT_FILE", str(certificates / "ca.pem"))
        with pytest.raises(ProviderError, match="no secure connection") as caught:
            self.through(monkeypatch, Proxy(), "https://other.test/v1", tls)
        assert caught.value.fatal

    @pytest.mark.parametrize("status", [b"407 Proxy Authentication Required", b"502 no", b""])
    def test_that_refuses(self, status: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
        with pytest.raises(ProviderError) as caught:
            self.through(monkeypatch, Proxy(status=status), "https://judge.test/v1")
        number = status[:3].decode()
        why = f"the proxy 127.0.0.1 does not lead to judge.test:443 (HTTP {number})"
        assert why in str(caught.value)
        assert caught.value.retryable
        assert not caught.value.sent

    @pytest.mark.parametrize(
        ("base", "no_proxy", "used"),
        [
            ("https://judge.test", "", True),
            ("https://judge.test", "judge.test", False),
            ("https://judge.test", "*", False),
            ("http://localhost:8000", "", False),
            ("http://127.0.0.1:8000", "", False),
            ("http://[::1]:8000", "", False),
        ],
    )
    def test_when(
        self, base: str, no_proxy: str, used: bool, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("http_proxy", "127.0.0.1:1")
        monkeypatch.setenv("https_proxy", "127.0.0.1:1")
        monkeypatch.setenv("no_proxy", no_proxy)
        assert bool(server_at(split_base_url(base)).proxy) == used


class TestPause:
    @pytest.mark.parametrize(
        ("headers", "pause"),
        [
            ({}, None),
            ({"x-ratelimit-remaining-requests": "4"}, None),
            ({"x-ratelimit-remaining-requests": "0"}, None),
            ({"x-ratelimit-remaining-requests": "4", "x-ratelimit-reset-requests": "9s"}, None),
            ({"x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "9s"}, 9.0),
            (
                {
                    "x-ratelimit-remaining-requests": "0",
                    "x-ratelimit-reset-requests": "9s",
                    "x-ratelimit-remaining-tokens": "0",
                    "x-ratelimit-reset-tokens": "1m0.5s",
                },
                60.5,
            ),
        ],
    )
    def test_only_when_a_limit_is_used_up(
        self, headers: dict[str, str], pause: float | None
    ) -> None:
        assert pause_of(headers) == pause
