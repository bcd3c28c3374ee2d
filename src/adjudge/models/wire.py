"""HTTP for providers: requests to one server, and what their failures mean.

A provider builds the body and reads the answer; an `Endpoint` carries it and turns every failure,
of the network or told by the server, into a ProviderError of one line that never holds the key.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from urllib.parse import quote

import orjson

from adjudge.errors import ModelUnavailable, ProviderError

from .complaints import Answer, Complaint, complaint_of, one_line
from .faults import Faults, Remedies
from .http import failures
from .http.address import parts_of, server_of
from .http.connections import Connections, bracketed
from .http.failures import NoAnswer
from .http.tunnel import basic, proxy_authorization, secrets_of
from .waits import pause_of, retry_after

__all__ = [
    "Answer",
    "Complaint",
    "Endpoint",
    "Remedies",
    "complaint_of",
    "one_line",
    "pause_of",
    "retry_after",
]

_SLOWEST = 2**18  # bytes a second that a large body is sent at, at the least


class Endpoint:
    """A server's API below `base`, and the path there that takes the prompts.

    The headers go with every request; a name and password in `base` go before an Authorization
    among them. `secret` is blotted out of whatever the server says, and so are the passwords of
    `base` and of the proxy.
    """

    def __init__(
        self,
        base: str,
        path: str,
        headers: Mapping[str, str],
        secret: str,
        timeout: float,
        remedies: Remedies,
    ) -> None:
        url = parts_of(base)
        server = server_of(url)
        host, usual = bracketed(server.host), 443 if server.secure else 80
        named = host if server.port == usual else f"{host}:{server.port}"
        self.place = f"{host}:{server.port}"
        self._prefix, self._query = url.path.rstrip("/"), url.query
        # With the path, by which gateways tell their models apart, and without what is secret.
        self.address = f"{url.scheme}://{named}{self._prefix}{path}"
        self._timeout = timeout
        proxy = server.proxy.hostname if server.proxy else None
        hidden = (secret, *secrets_of(url), *(secrets_of(server.proxy) if server.proxy else ()))
        self._faults = Faults(self.place, remedies, hidden, proxy)
        lines = {"Host": named, "User-Agent": "adjudge", "Accept-Encoding": "identity", **headers}
        if url.username:
            lines["Authorization"] = basic(url)
        self._fields = "".join(f"{name}: {_one_field(lines[name])}\r\n" for name in lines)
        self._origin = ""
        if server.proxy and not server.secure:  # a proxy wants to know where plain requests go
            self._origin = f"http://{named}"
            self._fields += proxy_authorization(server.proxy)
        self._post = self._head("POST", path, "application/json")
        self._connections = Connections(server)

    async def post(self, body: bytes) -> Answer:
        """The answer to a prompt, of any status; ProviderError when there is none."""
        try:
            return Answer(
                *await self._connections.exchange(
                    self._post + _length(body), body, self._timeout, again=True
                )
            )
        except (NoAnswer, OSError) as error:
            raise self._faults.network(error) from error

    async def call(
        self,
        method: str,
        path: str,
        body: bytes | None = None,
        content_type: str = "application/json",
        *,
        seconds: float | None = None,
    ) -> Answer:
        """The answer to any other request below the base, of any status.

        It may take the `seconds`, else the timeout, and longer if the body is large.
        """
        if body is None:
            head = self._head(method, path) + b"\r\n"
        else:
            head = self._head(method, path, content_type) + _length(body)
        body = body or b""
        limit = seconds or self._timeout + len(body) // _SLOWEST
        try:
            return Answer(
                *await self._connections.exchange(head, body, limit, again=method == "GET")
            )
        except (NoAnswer, OSError) as error:
            raise self._faults.network(error) from error

    async def lines(self, path: str) -> AsyncGenerator[bytes, None]:
        """The lines of a file below the base, however long it is; empty ones are left out.

        The timeout is for each part of it. ProviderError at any point, for another status too.
        """
        head = self._head("GET", path) + b"\r\n"
        try:
            status, headers, pieces = await self._connections.stream(head, self._timeout)
            async with aclosing(pieces):
                if status != 200:
                    told = b""
                    async for piece in pieces:
                        told += piece
                        if len(told) > _SLOWEST:  # more than any error needs
                            break
                    raise self._refused(Answer(status, headers, told))
                async for line in _lines(pieces):
                    yield line
        except (NoAnswer, OSError) as error:
            raise self._faults.network(error) from error

    async def aclose(self) -> None:
        await self._connections.aclose()

    def failure(self, told: Complaint) -> ProviderError:
        """The error that stands for what the server reported."""
        return self._faults.told(told)

    def malformed(self, body: bytes) -> ProviderError:
        """The error for an answer that is not what the protocol promises."""
        return self._faults.malformed(body)

    def clean(self, text: str) -> str:
        """What the server said, without the key and not too long."""
        return self._faults.clean(text)

    def _head(self, method: str, path: str, content_type: str = "") -> bytes:
        """All that goes before the body, but for its length."""
        target = self._prefix + path
        if self._query:
            target += f"{'&' if '?' in path else '?'}{self._query}"
        # Nothing that would end the line.
        target = quote(target, safe="/?&=%:@!$'()*+,;~-._")
        kind = f"Content-Type: {_one_field(content_type)}\r\n" if content_type else ""
        return f"{method} {self._origin}{target} HTTP/1.1\r\n{self._fields}{kind}".encode()

    def _refused(self, answer: Answer) -> ProviderError:
        try:
            data = orjson.loads(answer.body)
        except orjson.JSONDecodeError:
            data = None
        return self.failure(complaint_of(answer, data))


def _length(body: bytes) -> bytes:
    """The end of the head."""
    return b"Content-Length: %d\r\n\r\n" % len(body)


async def _lines(pieces: AsyncGenerator[bytes, None]) -> AsyncGenerator[bytes, None]:
    rest = b""
    async for piece in pieces:
        *whole, rest = (rest + piece).split(b"\n")
        for line in whole:
            if line.strip():
                yield line
        if len(rest) > failures.MOST:
            raise failures.TooLarge
    if rest.strip():
        yield rest


def _one_field(value: str) -> str:
    """The value of a header, which must not smuggle in another one."""
    if not (value.isascii() and value.isprintable()):
        raise ModelUnavailable("a header holds characters that cannot be sent")
    return value
