"""HTTP/1.1 to one server: connections that are kept alive, through a proxy where one is named.

What goes over them is the caller's business; so is how many requests run at once. No redirect is
followed and no cookie kept. A failure is an ssl.SSLError, a socket.gaierror or a NoAnswer.
"""

from __future__ import annotations

import asyncio
import socket
import ssl
from base64 import b64encode
from collections.abc import AsyncGenerator, Awaitable
from dataclasses import dataclass
from ipaddress import ip_address
from typing import TypeVar, cast
from urllib.parse import SplitResult, unquote

from .connection import Connection, Decompressor, Headers
from .failures import Broken, ProxyFailed, TimedOut, Unreachable, cause_of

T = TypeVar("T")

_IDLE = 15.0  # seconds; servers drop unused connections, some after a few seconds
_NEXT = 0.25  # seconds until the next address of a host is tried as well: IPv6 may lead nowhere


@dataclass(frozen=True, slots=True)
class Server:
    """`host` is in ASCII, an IPv6 address without brackets."""

    secure: bool
    host: str
    port: int
    proxy: SplitResult | None = None


class Connections:
    """As many connections as there are requests at once, used again when they are free."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self._tls: ssl.SSLContext | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._free: list[Connection] = []
        self._all: set[Connection] = set()

    async def exchange(
        self, head: bytes, body: bytes, seconds: float, *, again: bool
    ) -> tuple[int, Headers, bytes]:
        """Status, headers and body of the answer. `again`: the request may be sent twice.

        That happens where a connection that was kept turns out to be closed by now.
        """
        loop = asyncio.get_running_loop()
        ends = loop.time() + seconds
        while True:
            connection = await self._connection(loop, seconds)
            try:
                await connection.exchange(head, body, seconds, ends)
            except Broken:
                if again and connection.stale:
                    continue
                raise
            self._keep(connection, loop)
            return connection.status, Headers(connection.fields), connection.take_body()

    async def stream(
        self, head: bytes, seconds: float
    ) -> tuple[int, Headers, AsyncGenerator[bytes, None]]:
        """Status and headers of the answer, and its body piece by piece.

        The seconds are for the headers, and then for each piece.
        """
        loop = asyncio.get_running_loop()
        while True:
            connection = await self._connection(loop, seconds)
            try:
                await _in_time(connection.begin_stream(head), seconds)
            except Broken:
                if connection.stale:
                    continue
                raise
            pieces = self._pieces(connection, seconds)
            return connection.status, Headers(connection.fields), pieces

    async def aclose(self) -> None:
        if self._loop is asyncio.get_running_loop():
            for connection in [*self._all]:
                connection.transport.abort()
            for _ in range(10):  # the sockets are closed within the loop's next rounds
                if self._all:
                    await asyncio.sleep(0)
        self._loop = None

    async def _pieces(self, connection: Connection, seconds: float) -> AsyncGenerator[bytes, None]:
        kept = False
        try:
            unpack = Decompressor(connection.fields)
            while piece := await _in_time(connection.read(), seconds):
                for part in unpack.parts(piece):
                    yield part
            unpack.end()
            self._keep(connection, asyncio.get_running_loop())
            kept = True
        finally:
            if not kept:
                connection.transport.abort()

    async def _connection(self, loop: asyncio.AbstractEventLoop, seconds: float) -> Connection:
        if loop is not self._loop:  # connections belong to the loop that they were made in
            self._loop, self._free, self._all = loop, [], set()
        while self._free:
            connection = self._free.pop()
            if not connection.transport.is_closing():
                if loop.time() - connection.free_since < _IDLE:
                    return connection
                connection.transport.abort()
        return await _in_time(self._connect(loop), seconds, sent=False)

    def _keep(self, connection: Connection, loop: asyncio.AbstractEventLoop) -> None:
        if connection.keep_alive:
            connection.used = True
            connection.free_since = loop.time()
            self._free.append(connection)
        else:
            connection.transport.abort()

    async def _connect(self, loop: asyncio.AbstractEventLoop) -> Connection:
        server, proxy = self._server, self._server.proxy
        connection = Connection(loop, self._all)
        if proxy is None:
            tls = self._context() if server.secure else None
            try:
                await loop.create_connection(
                    lambda: connection,
                    server.host,
                    server.port,
                    ssl=tls,
                    happy_eyeballs_delay=None if _is_address(server.host) else _NEXT,
                )
            except (ssl.SSLError, socket.gaierror):
                raise
            except OSError as error:
                raise Unreachable(cause_of(error)) from error
        else:
            await self._connect_through(proxy, loop, connection)
        return connection

    async def _connect_through(
        self, proxy: SplitResult, loop: asyncio.AbstractEventLoop, connection: Connection
    ) -> None:
        first = Tunnel(loop) if self._server.secure else connection
        tls = self._context() if proxy.scheme == "https" else None
        port = proxy.port or (443 if tls else 80)
        try:
            transport, _ = await loop.create_connection(
                lambda: first, proxy.hostname or "", port, ssl=tls
            )
            if isinstance(first, Tunnel):
                host = bracketed(self._server.host)
                await first.open(f"{host}:{self._server.port}", proxy_authorization(proxy))
        except OSError as error:
            raise ProxyFailed(cause_of(error)) from error
        if not isinstance(first, Tunnel):
            return
        try:
            inner = await loop.start_tls(
                transport, connection, self._context(), server_hostname=self._server.host
            )
        except BaseException as error:
            transport.abort()
            if isinstance(error, OSError) and not isinstance(error, ssl.SSLError):
                raise Unreachable(cause_of(error)) from error
            raise
        if inner is None:
            raise Unreachable("the proxy closed the connection")
        connection.connection_made(inner)

    def _context(self) -> ssl.SSLContext:
        """Trusts whom the system trusts, or the file and folder of SSL_CERT_FILE and _DIR."""
        if self._tls is None:
            self._tls = ssl.create_default_context()
            self._tls.set_alpn_protocols(["http/1.1"])
        return self._tls


async def _in_time(work: Awaitable[T], seconds: float, *, sent: bool = True) -> T:
    try:
        async with asyncio.timeout(seconds):
            return await work
    except TimeoutError:
        raise TimedOut(f"{seconds:g}", sent=sent) from None


def _is_address(host: str) -> bool:
    try:
        return bool(ip_address(host))
    except ValueError:
        return False


def bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host else host


_MOST_OF_PROXY = 2**20  # bytes of a proxy's answer


class Tunnel(asyncio.Protocol):
    """Asks a proxy to let everything through to another server."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._answer: asyncio.Future[bytes] = loop.create_future()
        self._received = b""

    async def open(self, target: str, authorization: str) -> None:
        head = f"CONNECT {target} HTTP/1.1\r\nHost: {target}\r\n{authorization}\r\n"
        self._transport.write(head.encode())
        try:
            line = (await self._answer).split(b"\r\n", 1)[0]
        except BaseException:
            self._transport.abort()
            raise
        status = line.split(b" ")[1:2]
        if status != [b"200"]:
            self._transport.abort()
            raise OSError(f"HTTP {b''.join(status).decode(errors='replace')}")

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)

    def data_received(self, data: bytes) -> None:
        self._received += data
        if not self._answer.done() and (
            b"\r\n\r\n" in self._received or len(self._received) > _MOST_OF_PROXY
        ):
            self._answer.set_result(self._received)

    def connection_lost(self, exc: Exception | None) -> None:
        if not self._answer.done():
            self._answer.set_exception(exc or ConnectionResetError("closed"))


def proxy_authorization(proxy: SplitResult) -> str:
    """The header line for a proxy that wants a name and a password; else nothing."""
    return f"Proxy-Authorization: {basic(proxy)}\r\n" if proxy.username else ""


def secrets_of(url: SplitResult) -> tuple[str, ...]:
    """What of a URL must stay secret: its password, as written and as sent, and its query."""
    password = url.password or ""
    sent = basic(url).removeprefix("Basic ") if url.username else ""
    return password, unquote(password), sent, url.query


def basic(url: SplitResult) -> str:
    """Name and password of a URL as basic authentication."""
    pair = f"{unquote(url.username or '')}:{unquote(url.password or '')}"
    return f"Basic {b64encode(pair.encode()).decode()}"
