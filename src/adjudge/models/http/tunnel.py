"""Through a proxy."""

from __future__ import annotations

import asyncio
from base64 import b64encode
from typing import cast
from urllib.parse import SplitResult, unquote

_MOST = 2**20  # bytes of a proxy's answer


class Tunnel(asyncio.Protocol):
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
        if not self._answer.done() and (b"\r\n\r\n" in self._came or len(self._came) > _MOST):
            self._answer.set_result(self._came)

    def connection_lost(self, exc: Exception | None) -> None:
        if not self._answer.done():
            self._answer.set_exception(exc or ConnectionResetError("closed"))


def proxy_authorization(proxy: SplitResult) -> str:
    """The header line for a proxy that wants a name and a password; else nothing."""
    return f"Proxy-Authorization: {basic(proxy)}\r\n" if proxy.username else ""


def secrets_of(url: SplitResult) -> tuple[str, ...]:
    """What of a URL nobody may see: its password, as written and as sent, and its query."""
    password = url.password or ""
    sent = basic(url).removeprefix("Basic ") if url.username else ""
    return password, unquote(password), sent, url.query


def basic(url: SplitResult) -> str:
    """Name and password of a URL as basic authentication."""
    pair = f"{unquote(url.username or '')}:{unquote(url.password or '')}"
    return f"Basic {b64encode(pair.encode()).decode()}"
