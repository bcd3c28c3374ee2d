"""One connection: a request and its answer, then the next; packed answers and large ones."""

from __future__ import annotations

import asyncio
import threading
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from typing import cast

from httptools import HttpParserError, HttpParserUpgrade, HttpResponseParser

from . import failures
from .failures import Broken, NoAnswer, TimedOut, TooLarge, cause_of

# Bytes sent, or kept of a long answer, before the other side keeps up; or unpacked at once.
_PIECE = 2**20


class Connection(asyncio.Protocol):
    """One request after the other; httptools calls the `on_…` methods."""

    transport: asyncio.Transport

    def __init__(self, loop: asyncio.AbstractEventLoop, opened: set[Connection]) -> None:
        self._loop = loop
        self._opened = opened  # all that are open, this one too while it is
        self._waiter: asyncio.Future[None] | None = None  # who waits for something to come
        self._room: asyncio.Future[None] | None = None  # who waits until more can be sent
        self._error: NoAnswer | MemoryError | None = None
        self._streams = self._busy = self._until_closed = False
        self._received = self._held = 0
        self._body = bytearray()
        self.status = 0
        self.fields: dict[bytes, bytes] = {}
        self.used = self.keep_alive = False
        self.free_since = 0.0
        self._seconds = self._ends = 0.0  # what the exchange may take, and until when
        self._clock: asyncio.TimerHandle | None = None

    @property
    def stale(self) -> bool:
        """Whether it was kept open and then brought nothing: the server had closed it already."""
        return self.used and not self._received

    async def exchange(self, head: bytes, body: bytes, seconds: float, ends: float) -> None:
        """Returns when the answer is whole; TimedOut where it is not at that time of the loop, when
        so many seconds will be over."""
        try:
            self._end_at(seconds, ends)
            self._begin(streams=False)
            if len(body) <= _PIECE:
                self.transport.write(head + body)
            else:
                await self._send_pieces(head, body)
            await self._wait()
        except BaseException:
            self.transport.abort()
            raise
        finally:
            if self._held:
                self._held = 0
                # Later: the caller makes a reply of the body first, which is then freed.
                self._loop.call_soon(ANSWERS.release, self)
                if not self.transport.is_closing():
                    self.transport.resume_reading()  # its last piece may have made it wait

    def take_body(self) -> bytes:
        """The body of a complete answer; it can be taken once."""
        body, self._body = bytes(self._body), bytearray()
        return decompressed(self.fields, body) if b"content-encoding" in self.fields else body

    async def begin_stream(self, head: bytes) -> None:
        """Returns when the headers are there."""
        try:
            self._stop_clock()  # who reads a stream looks at the time by himself
            self._begin(streams=True)
            self.transport.write(head)
            while not self.status:
                await self._wait()
        except BaseException:
            self.transport.abort()
            raise

    async def read(self) -> bytes:
        """What has arrived of a streamed body; empty at its end."""
        while not self._body and (self._busy or self._error):
            await self._wait()
        piece = bytes(self._body)
        self._body.clear()
        if self._busy:
            self.transport.resume_reading()
        return piece

    def _begin(self, *, streams: bool) -> None:
        self._streams, self._busy, self._until_closed = streams, True, False
        self._received = self.status = 0
        self._body.clear()
        self.fields = {}
        self.keep_alive = False

    async def _wait(self) -> None:
        """Waits until the answer is complete; of a streamed one, until more of it has arrived."""
        if not self._busy and not self._error:
            return
        self._waiter = self._loop.create_future()
        if self._error:
            self._waiter.set_exception(self._error)
        try:
            await self._waiter
        except BaseException:
            # A raised error knows the frames it went through, and so this object and the request:
            # if this object knew the error, all of that would stay until a look for garbage.
            self._error = self._waiter = None
            raise

    async def _send_pieces(self, head: bytes, body: bytes) -> None:
        """Sends as fast as the other side takes it; ends early if that has answered already."""
        self.transport.write(head)
        for start in range(0, len(body), _PIECE):
            if not self._busy:
                self.keep_alive = False  # what is missing would be read as the next request
                return
            self.transport.write(body[start : start + _PIECE])
            if self._room:
                await self._room

    def _wake(self) -> None:
        for waiter in (self._waiter, self._room):
            if waiter and not waiter.done():
                waiter.set_result(None)

    def _end_at(self, seconds: float, ends: float) -> None:
        """A clock that was set for an earlier request looks again when it rings. One per request
        would nearly always be stopped."""
        self._seconds, self._ends = seconds, ends
        if self._clock and ends < self._clock.when():
            self._stop_clock()
        if self._clock is None:
            self._clock = self._loop.call_at(ends, self._ring)

    def _stop_clock(self) -> None:
        if self._clock:
            self._clock.cancel()
            self._clock = None

    def _ring(self) -> None:
        self._clock = None
        if self._busy and self._loop.time() < self._ends:
            self._clock = self._loop.call_at(self._ends, self._ring)
        elif self._busy:
            self._fail(TimedOut(f"{self._seconds:g}"))

    def _fail(self, error: NoAnswer | MemoryError) -> None:
        self._error = error
        self._busy = False
        self._body = bytearray()  # it is not read any more; errors may keep this object for a while
        if self._waiter and not self._waiter.done():
            self._waiter.set_exception(error)
        self._wake()
        self.transport.abort()

    # What asyncio calls.

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast(asyncio.Transport, transport)
        self._opened.add(self)
        # The two know each other, so this lasts no longer than the connection does.
        self._parser = HttpResponseParser(self)
        # As browsers do: some servers are careless about the ends of lines and headers.
        self._parser.set_dangerous_leniencies(
            lenient_headers=True, lenient_optional_cr_before_lf=True
        )

    def data_received(self, data: bytes) -> None:
        if not self._busy:  # not asked for: it must not be taken for the next answer
            self.transport.abort()
            return
        self._received += len(data)
        if self._received > (failures.MOST if self.status else _PIECE) and not (
            self._streams and self.status
        ):
            self._fail(TooLarge())
            return
        try:
            self._parser.feed_data(data)
        except (HttpParserError, HttpParserUpgrade) as error:
            if self._busy:
                self._fail(Broken(f"no HTTP: {error}"))
            self.transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_clock()
        if self in self._opened:  # else it was lost within a proxy, before it was made
            self._opened.remove(self)
            del self._parser
        if self._busy and self._until_closed and exc is None:
            self._finish()
        elif self._busy and isinstance(exc, MemoryError):
            self._fail(exc)
        elif self._busy:
            why = (
                cause_of(exc) if isinstance(exc, OSError) else "closed before the answer was whole"
            )
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
            self.keep_alive = False
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
        self.keep_alive = self._parser.should_keep_alive()
        if self._streams:
            self._wake()

    def on_body(self, data: bytes) -> None:
        try:
            self._body += data
        except MemoryError as error:  # the parser would hide which error it was
            self._fail(error)
            raise
        if self._streams:
            if len(self._body) > _PIECE:
                self.transport.pause_reading()
            self._wake()
        elif len(self._body) > SMALL_ANSWER:
            size, self._held = len(self._body) - self._held, len(self._body)
            if not ANSWERS.add(self, size, self._resume_reading):
                self.transport.pause_reading()

    def _resume_reading(self) -> None:
        """Called in any thread, perhaps after this loop has ended."""
        with suppress(RuntimeError):
            self._loop.call_soon_threadsafe(self.transport.resume_reading)

    def on_message_complete(self) -> None:
        if self.status:
            self._finish()
        else:  # "100 Continue" and the like: the answer is still to come
            self.fields = {}

    def _finish(self) -> None:
        self._busy = False
        self._wake()


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


# Bytes of large answers; beyond them one goes on coming in, and others wait.
MOST_IN_MEMORY = 64 * 2**20
SMALL_ANSWER = 2**16  # bytes of an answer that are not counted: hardly any reply has more


class AnswerMemory:
    """Counts what large answers hold. Above `MOST_IN_MEMORY` all that come in wait but the oldest.

    The oldest one ends: it is complete, too large or late. So nothing waits without end, and all
    together hold at most that and one more answer. May be used from several loops at once.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._held: dict[object, int] = {}  # the oldest first
        self._waiting: dict[object, Callable[[], object]] = {}
        self.used = 0

    def add(self, who: object, size: int, resume: Callable[[], object]) -> bool:
        """Counts these bytes; when False, reading has to wait until `resume` is called.

        That may happen in any thread.
        """
        with self._lock:
            self._held[who] = self._held.get(who, 0) + size
            self.used += size
            if self.used <= MOST_IN_MEMORY or who is next(iter(self._held)):
                return True
            self._waiting[who] = resume
            return False

    def release(self, who: object) -> None:
        """All that this one holds; nothing where it holds none."""
        with self._lock:
            self.used -= self._held.pop(who, 0)
            self._waiting.pop(who, None)
            free = list(self._waiting) if self.used <= MOST_IN_MEMORY else list(self._held)[:1]
            going = [
                self._waiting.pop(connection) for connection in free if connection in self._waiting
            ]
        for resume in going:
            resume()


ANSWERS = AnswerMemory()


class Decompressor:
    """Undoes gzip and deflate. Neither is asked for, but some gateways compress anyway."""

    def __init__(self, fields: Mapping[bytes, bytes]) -> None:
        self._coding = fields.get(b"content-encoding", b"identity").strip().lower()
        self._packed = self._coding in (b"gzip", b"x-gzip", b"deflate")
        if not self._packed and self._coding != b"identity":
            raise Broken(f"packed as {self._coding.decode('latin-1')}, which was not asked for")
        self._unpack = zlib.decompressobj(zlib.MAX_WBITS | 32)  # finds out which of the two it is

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


def decompressed(fields: Mapping[bytes, bytes], body: bytes) -> bytes:
    unpack, whole = Decompressor(fields), bytearray()
    for part in unpack.parts(body):
        whole += part
        if len(whole) > failures.MOST:
            raise TooLarge
    unpack.end()
    return bytes(whole)
