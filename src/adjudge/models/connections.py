"""HTTP/1.1 to one server: connections that are kept alive, through a proxy where one is named.

What goes over them is the caller's business; so is how many requests run at once. No redirect is
followed and no cookie kept. A failure is an ssl.SSLError, a socket.gaierror or a NoAnswer.
"""

from __future__ import annotations

import asyncio
import os
import re
import socket
import ssl
import zlib
from base64 import b64encode
from collections.abc import AsyncGenerator, Awaitable, Iterator, Mapping
from dataclasses import dataclass
from ipaddress import ip_address
from typing import TypeVar, cast
from urllib.parse import SplitResult, unquote

from httptools import HttpParserError, HttpParserUpgrade, HttpResponseParser

T = TypeVar("T")

MOST = 64 * 2**20  # bytes of an answer, or of one line of a long one: more is no answer to a prompt
_PIECE = 2**20  # bytes that are sent, or kept of a long answer, before the other side keeps up
_IDLE = 15.0  # seconds; servers drop connections that nobody uses, the hastiest after a few
_NEXT = 0.25  # seconds until the next address of a host is tried as well: IPv6 may lead nowhere
_ERRNO = re.compile(r"\[Errno (\d+)\]")


class NoAnswer(Exception):  # noqa: N818 - says what is the case
    """No whole answer came. `sent` says that the server may have worked on the request."""

    def __init__(self, why: str = "", *, sent: bool = True) -> None:
        super().__init__(why)
        self.sent = sent


class Late(NoAnswer):
    """Says after how many seconds."""


class Unreachable(NoAnswer):
    def __init__(self, why: str) -> None:
        super().__init__(why, sent=False)


class ProxyFailed(Unreachable):
    pass


class Broken(NoAnswer):
    pass


class TooLarge(NoAnswer):
    pass


class Headers(Mapping[str, str]):
    """The fields of an answer, found in any case of letters."""

    __slots__ = ("_fields",)

    def __init__(self, fields: Mapping[bytes, bytes]) -> None:
        self._fields = fields  # by names in small letters

    def __getitem__(self, name: str) -> str:
        return self._fields[name.lower().encode()].decode("latin-1")

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and name.lower().encode() in self._fields

    def __iter__(self) -> Iterator[str]:
        return (name.decode("latin-1") for name in self._fields)

    def __len__(self) -> int:
        return len(self._fields)


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
        self._free: list[_Connection] = []
        self._all: set[_Connection] = set()

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
            late = loop.call_at(ends, connection.give_up, seconds)
            try:
                await connection.exchange(head, body)
            except Broken:
                if again and connection.stale:
                    continue
                raise
            finally:
                late.cancel()
            self._keep(connection, loop)
            return connection.status, Headers(connection.fields), connection.whole()

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

    async def _pieces(self, connection: _Connection, seconds: float) -> AsyncGenerator[bytes, None]:
        kept = False
        try:
            unpack = _Unpacked(connection.fields)
            while piece := await _in_time(connection.read(), seconds):
                for part in unpack.parts(piece):
                    yield part
            unpack.end()
            self._keep(connection, asyncio.get_running_loop())
            kept = True
        finally:
            if not kept:
                connection.transport.abort()

    async def _connection(self, loop: asyncio.AbstractEventLoop, seconds: float) -> _Connection:
        if loop is not self._loop:  # connections belong to the loop that they were made in
            self._loop, self._free, self._all = loop, [], set()
        while self._free:
            connection = self._free.pop()
            if not connection.transport.is_closing():
                if loop.time() - connection.free_since < _IDLE:
                    return connection
                connection.transport.abort()
        return await _in_time(self._connect(loop), seconds, sent=False)

    def _keep(self, connection: _Connection, loop: asyncio.AbstractEventLoop) -> None:
        if connection.keeps:
            connection.used = True
            connection.free_since = loop.time()
            self._free.append(connection)
        else:
            connection.transport.abort()

    async def _connect(self, loop: asyncio.AbstractEventLoop) -> _Connection:
        server, proxy = self._server, self._server.proxy
        connection = _Connection(loop, self._all)
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
                raise Unreachable(cause(error)) from error
        else:
            await self._connect_through(proxy, loop, connection)
        return connection

    async def _connect_through(
        self, proxy: SplitResult, loop: asyncio.AbstractEventLoop, connection: _Connection
    ) -> None:
        first = _Tunnel(loop) if self._server.secure else connection
        tls = self._context() if proxy.scheme == "https" else None
        port = proxy.port or (443 if tls else 80)
        try:
            transport, _ = await loop.create_connection(
                lambda: first, proxy.hostname or "", port, ssl=tls
            )
            if isinstance(first, _Tunnel):
                host = bracketed(self._server.host)
                await first.open(f"{host}:{self._server.port}", proxy_authorization(proxy))
        except OSError as error:
            raise ProxyFailed(cause(error)) from error
        if not isinstance(first, _Tunnel):
            return
        try:
            inner = await loop.start_tls(
                transport, connection, self._context(), server_hostname=self._server.host
            )
        except BaseException as error:
            transport.abort()
            if isinstance(error, OSError) and not isinstance(error, ssl.SSLError):
                raise Unreachable(cause(error)) from error
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


class _Connection(asyncio.Protocol):
    """One request after the other; httptools calls the `on_…` methods."""

    transport: asyncio.Transport

    def __init__(self, loop: asyncio.AbstractEventLoop, opened: set[_Connection]) -> None:
        self._loop = loop
        self._opened = opened  # all that are open, this one too while it is
        self._parser = HttpResponseParser(self)
        # As browsers do: home-made servers are sloppy about the ends of lines and headers.
        self._parser.set_dangerous_leniencies(
            lenient_headers=True, lenient_optional_cr_before_lf=True
        )
        self._waiter: asyncio.Future[None] | None = None  # who waits for something to come
        self._room: asyncio.Future[None] | None = None  # who waits until more can be sent
        self._error: NoAnswer | None = None
        self._streams = self._busy = self._until_closed = False
        self._came = 0
        self._body = bytearray()
        self.status = 0
        self.fields: dict[bytes, bytes] = {}
        self.used = self.keeps = False
        self.free_since = 0.0

    @property
    def stale(self) -> bool:
        """Whether it was kept, and then brought nothing more: the server had closed it by then."""
        return self.used and not self._came

    async def exchange(self, head: bytes, body: bytes) -> None:
        """Returns when the answer is whole."""
        try:
            self._begin(streams=False)
            if len(body) <= _PIECE:
                self.transport.write(head + body)
            else:
                await self._send_pieces(head, body)
            await self._come()
        except BaseException:
            self.transport.abort()
            raise

    def whole(self) -> bytes:
        """The body of an answer that is whole."""
        body = bytes(self._body)
        return _unpacked(self.fields, body) if b"content-encoding" in self.fields else body

    async def begin_stream(self, head: bytes) -> None:
        """Returns when the headers have come."""
        try:
            self._begin(streams=True)
            self.transport.write(head)
            while not self.status:
                await self._come()
        except BaseException:
            self.transport.abort()
            raise

    async def read(self) -> bytes:
        """What has come of a streamed body; nothing at its end."""
        while not self._body and (self._busy or self._error):
            await self._come()
        piece = bytes(self._body)
        self._body.clear()
        if self._busy:
            self.transport.resume_reading()
        return piece

    def _begin(self, *, streams: bool) -> None:
        self._streams, self._busy, self._until_closed = streams, True, False
        self._came = self.status = 0
        self._body.clear()
        self.fields = {}
        self.keeps = False

    async def _come(self) -> None:
        """Waits until the answer is whole; of a streamed one, until more of it has come."""
        if self._error:
            raise self._error
        if self._busy:
            self._waiter = self._loop.create_future()
            await self._waiter

    async def _send_pieces(self, head: bytes, body: bytes) -> None:
        """Sends as fast as the other side takes it; ends early if that has answered already."""
        self.transport.write(head)
        for start in range(0, len(body), _PIECE):
            if not self._busy:
                self.keeps = False  # what is missing would be read as the next request
                return
            self.transport.write(body[start : start + _PIECE])
            if self._room:
                await self._room

    def _wake(self) -> None:
        for waiter in (self._waiter, self._room):
            if waiter and not waiter.done():
                waiter.set_result(None)

    def give_up(self, seconds: float) -> None:
        """The deadline has come."""
        self._fail(Late(f"{seconds:g}"))

    def _fail(self, error: NoAnswer) -> None:
        self._error = error
        self._busy = False
        if self._waiter and not self._waiter.done():
            self._waiter.set_exception(error)
        self._wake()
        self.transport.abort()

    # What asyncio calls.

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast(asyncio.Transport, transport)
        self._opened.add(self)

    def data_received(self, data: bytes) -> None:
        if not self._busy:  # nobody asked for it: it must not pass for the next answer
            self.transport.abort()
            return
        self._came += len(data)
        if self._came > (MOST if self.status else _PIECE) and not (self._streams and self.status):
            self._fail(TooLarge())
            return
        try:
            self._parser.feed_data(data)
        except (HttpParserError, HttpParserUpgrade) as error:
            if self._busy:
                self._fail(Broken(f"no HTTP: {error}"))
            self.transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        self._opened.discard(self)
        if self._busy and self._until_closed and exc is None:
            self._ended()
        elif self._busy:
            why = cause(exc) if isinstance(exc, OSError) else "closed before the answer was whole"
            self._fail(Broken(why))

    def pause_writing(self) -> None:
        self._room = self._loop.create_future()

    def resume_writing(self) -> None:
        if self._room and not self._room.done():
            self._room.set_result(None)
        self._room = None

    # What httptools calls.

    def on_message_begin(self) -> None:
        if not self._busy:  # a second answer right behind the first
            self.keeps = False
            raise Broken("two answers to one request")

    def on_header(self, name: bytes, value: bytes) -> None:
        self.fields[name.lower()] = value

    def on_headers_complete(self) -> None:
        status = self._parser.get_status_code()
        if status < 200:
            return
        fields = self.fields
        self.status = status
        self._until_closed = not (b"content-length" in fields or b"transfer-encoding" in fields)
        self.keeps = self._parser.should_keep_alive()
        if self._streams:
            self._wake()

    def on_body(self, data: bytes) -> None:
        self._body += data
        if self._streams:
            if len(self._body) > _PIECE:
                self.transport.pause_reading()
            self._wake()

    def on_message_complete(self) -> None:
        if self.status:
            self._ended()
        else:  # "100 Continue" and the like: the answer is still to come
            self.fields = {}

    def _ended(self) -> None:
        self._busy = False
        self._wake()


class _Tunnel(asyncio.Protocol):
    """Asks a proxy to let everything through to another server."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._answer: asyncio.Future[bytes] = loop.create_future()
        self._came = b""

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
        self._came += data
        if not self._answer.done() and (b"\r\n\r\n" in self._came or len(self._came) > _PIECE):
            self._answer.set_result(self._came)

    def connection_lost(self, exc: Exception | None) -> None:
        if not self._answer.done():
            self._answer.set_exception(exc or ConnectionResetError("closed"))


class _Unpacked:
    """Undoes gzip and deflate. Neither is asked for, but some gateways pack all the same."""

    def __init__(self, fields: Mapping[bytes, bytes]) -> None:
        self._coding = fields.get(b"content-encoding", b"identity").strip().lower()
        self._packed = self._coding in (b"gzip", b"x-gzip", b"deflate")
        if not self._packed and self._coding != b"identity":
            raise Broken(f"packed as {self._coding.decode('latin-1')}, which was not asked for")
        self._unpack = zlib.decompressobj(zlib.MAX_WBITS | 32)  # tells gzip from deflate

    def parts(self, piece: bytes) -> Iterator[bytes]:
        """The content of a piece, in parts that fit in memory."""
        if not self._packed:
            yield piece
            return
        try:
            while piece:
                yield self._unpack.decompress(piece, _PIECE)
                piece = self._unpack.unconsumed_tail
        except zlib.error as error:
            raise Broken(str(error)) from None

    def end(self) -> None:
        if self._packed and not self._unpack.eof:
            raise Broken("the packed answer is cut off")


async def _in_time(work: Awaitable[T], seconds: float, *, sent: bool = True) -> T:
    try:
        async with asyncio.timeout(seconds):
            return await work
    except TimeoutError:
        raise Late(f"{seconds:g}", sent=sent) from None


def _unpacked(fields: Mapping[bytes, bytes], body: bytes) -> bytes:
    unpack, whole = _Unpacked(fields), bytearray()
    for part in unpack.parts(body):
        whole += part
        if len(whole) > MOST:
            raise TooLarge
    unpack.end()
    return bytes(whole)


def proxy_authorization(proxy: SplitResult) -> str:
    """The header line for a proxy that wants a name and a password; else nothing."""
    return f"Proxy-Authorization: {basic(proxy)}\r\n" if proxy.username else ""


def basic(url: SplitResult) -> str:
    """Name and password of a URL as basic authentication."""
    pair = f"{unquote(url.username or '')}:{unquote(url.password or '')}"
    return f"Basic {b64encode(pair.encode()).decode()}"


def _is_address(host: str) -> bool:
    try:
        return bool(ip_address(host))
    except ValueError:
        return False


def bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host else host


def cause(error: OSError) -> str:
    """What lies beneath, in the words of the system; else what the error says."""
    if isinstance(error, ssl.SSLError):
        return error.reason or type(error).__name__
    if isinstance(error, socket.gaierror):
        return error.strerror or "unknown host"
    # Several addresses were tried: asyncio tells their errors in one text.
    found = error.errno or next(map(int, _ERRNO.findall(str(error))), None)
    return os.strerror(found) if found else str(error) or type(error).__name__
