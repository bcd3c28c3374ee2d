"""HTTP for providers: requests to one server, and what their failures mean.

A provider builds the body and reads the answer; an `Endpoint` carries it and turns every failure,
of the network or told by the server, into a ProviderError of one line that never holds the key.
"""

from __future__ import annotations

import math
import re
import socket
import ssl
import time
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import Any, NamedTuple
from urllib.parse import SplitResult, quote, urlsplit
from urllib.request import getproxies, proxy_bypass

import orjson

from adjudge.errors import ModelUnavailable, ProviderError, UsageError

from .http import failures
from .http.connections import Connections, Server, bracketed
from .http.failures import NoAnswer, cause
from .http.tunnel import basic, proxy_authorization

_SLOWEST = 2**18  # bytes a second that a large body is sent at, at the least
_RETRYABLE = frozenset({408, 409, 425, 429})
_LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
_TOO_LONG = re.compile(
    r"context.{0,3}(length|window|size)|maximum prompt length|(prompt|input) is too (long|large)"
    r"|input tokens exceed|request too large|range of input length"
    r"|inputs?\W+(must have less|tokens \+)",
    re.IGNORECASE,
)
_NO_MODEL = re.compile(
    r"model_not_found|not a valid model|model\W.{0,80}(not found|does ?n.t exist|not exist)",
    re.IGNORECASE,
)
# Looked for in the code alone: some servers word a passing rate limit as a quota.
_NO_CREDIT = re.compile(r"insufficient_(quota|balance|credits)|billing", re.IGNORECASE)
_FLAGGED = re.compile(r"flagged|moderation", re.IGNORECASE)
_SPAN = re.compile(r"([\d.]+)(ms|[dhms])")
_LIMITS = ("requests", "tokens")
_REMAINING = tuple(f"x-ratelimit-remaining-{limit}" for limit in _LIMITS)
_SECONDS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}


class Answer(NamedTuple):
    """An HTTP answer, whatever its status. `headers` are found in any case of letters."""

    status: int
    headers: Mapping[str, str]
    body: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Complaint:
    """An error that the server reports.

    `code` joins what it gives as code and type, `param` is the field that it blames. Both are empty
    when it does not say. `retry_after` is in seconds.
    """

    status: int
    message: str
    code: str = ""
    param: str = ""
    retry_after: float | None = None

    @property
    def too_long(self) -> bool:
        """Whether the prompt does not fit the model."""
        text = f"{self.code} {self.message}"
        return self.status == 413 or "exceed_context" in text or bool(_TOO_LONG.search(text))


@dataclass(frozen=True, slots=True, kw_only=True)
class Remedies:
    """What the user can do about a refused key and about a wrong address."""

    key: str
    address: str


class Endpoint:
    """A server's API below `base`, and the path there that takes the prompts.

    The headers go with every request; a name and password in `base` go before an Authorization
    among them. `secret` is blotted out of whatever the server says.
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
        url = _checked(base)
        server = _server(url)
        host, usual = bracketed(server.host), 443 if server.secure else 80
        named = host if server.port == usual else f"{host}:{server.port}"
        self.place = f"{host}:{server.port}"
        self._prefix, self._query = url.path.rstrip("/"), url.query
        # With the path, by which gateways tell their models apart, and without what is secret.
        self.address = f"{url.scheme}://{named}{self._prefix}{path}"
        self._secret = secret
        self._timeout = timeout
        self._remedies = remedies
        self._proxy = server.proxy
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
            raise self._network_failure(error) from error

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
            raise self._network_failure(error) from error

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
            raise self._network_failure(error) from error

    async def aclose(self) -> None:
        await self._connections.aclose()

    def failure(self, told: Complaint) -> ProviderError:
        """The error that stands for what the server reported."""
        status, message = told.status, self._clean(told.message)
        head = f"{self.place} answered HTTP {status}"
        if status == 401 or (status == 403 and not _FLAGGED.search(message)):
            # Servers quote a part of a wrong key in their message; the code says enough.
            why = self._clean(told.code) if status == 401 else message
            head += f" ({why})" if why else ""
            return ProviderError(f"{head}: {self._remedies.key}", status=status, fatal=True)
        if told.too_long:
            return ProviderError(f"the prompt is too long for the model: {message}", status=413)
        if status == 402 or _NO_CREDIT.search(told.code):
            return ProviderError(
                f"{head}: {message}; add credit to the account or use another key",
                status=status,
                fatal=True,
            )
        if 300 <= status < 400 or status in (404, 405) or _NO_MODEL.search(told.code + message):
            text = f"{head}: {message}; check the model's name and {self._remedies.address}"
            return ProviderError(text, status=status, fatal=True)
        retryable = status in _RETRYABLE or status >= 500
        wait = told.retry_after if retryable else None
        return ProviderError(
            f"{head}: {message}", status=status, retryable=retryable, retry_after=wait
        )

    def malformed(self, body: bytes) -> ProviderError:
        """The error for an answer that is not what the protocol promises."""
        start = self._clean(one_line(body[:200].decode(errors="replace")))
        return ProviderError(
            f"{self.place} sent no chat completion but: {start or 'nothing'}",
            retryable=True,
            status=200,
            sent=True,
        )

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

    def _network_failure(self, error: NoAnswer | OSError) -> ProviderError:
        place, address = self.place, self._remedies.address
        why = cause(error) if isinstance(error, OSError) else str(error)
        match error:
            case failures.Late():
                text = f"no answer from {place} within {why} s; --timeout allows more"
            case ssl.SSLError():
                text = (
                    f"no secure connection to {place} ({why}): check {address}; "
                    "SSL_CERT_FILE can name your own authority's certificates"
                )
                return ProviderError(text, fatal=True)
            case failures.ProxyFailed():
                proxy = self._proxy.hostname if self._proxy else None
                text = f"the proxy {proxy} does not lead to {place} ({why})"
            case socket.gaierror():
                text = f"no host is called {place}: check the network and {address}"
            case failures.Unreachable():
                text = f"nothing answers at {place} ({why}): start it, or check {address}"
            case failures.TooLarge():
                text = f"{place} sent more than {failures.MOST >> 20} MB, which is no answer"
            case _:
                text = f"the connection to {place} broke ({why})"
        sent = isinstance(error, NoAnswer) and error.sent
        return ProviderError(self._clean(text), retryable=True, sent=sent)

    def _clean(self, text: str) -> str:
        text = text.replace(self._secret, "[key]") if self._secret else text
        return text if len(text) <= 300 else text[:300] + "…"


def complaint_of(answer: Answer, data: object) -> Complaint:
    """What the server complains about, in any of the shapes in use.

    Known: `{"error": {…}}`, `{"error": "text"}`, the fields at the top, `detail` with one or many
    faults, and a body that is no JSON. A status 200 gives way to the code inside the error.
    """
    told: Any = data.get("error", data) if isinstance(data, dict) else data
    if not isinstance(told, dict):
        told = {
            "message": told if told is not None else answer.body[:2000].decode(errors="replace")
        }
    message = told.get("message") or told.get("detail") or told
    inner = told.get("metadata")
    if isinstance(inner, dict) and inner.get("raw"):
        message = f"{message}: {inner['raw']}"  # a gateway passes on what its own provider said
    status = answer.status
    if status == 200:
        code = told.get("code")
        status = code if isinstance(code, int) and 400 <= code < 600 else 502
    return Complaint(
        status=status,
        message=one_line(message if isinstance(message, str) else orjson.dumps(message).decode()),
        code=f"{told.get('code') or ''} {told.get('type') or ''}".strip(),
        param=str(told.get("param") or ""),
        retry_after=retry_after(answer.headers),
    )


def pause_of(headers: Mapping[str, str]) -> float | None:
    """Seconds that no further request makes sense, when a limit is used up by this one."""
    for name in _REMAINING:
        if name in headers:
            return _used_up(headers)
    return None


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds to wait as the server's headers say, None when they do not."""
    waits = [_number(headers.get("retry-after-ms"), 0.001), _wait(headers.get("Retry-After"))]
    known = [wait for wait in waits if wait is not None]
    return known[0] if known else _reset(headers)


def one_line(text: str) -> str:
    return " ".join(text[:2000].split())


def _reset(headers: Mapping[str, str]) -> float | None:
    """The wait until a rate limit is whole again; the longest of those that are used up."""
    used_up = _used_up(headers)
    if used_up is not None:
        return used_up
    waits = [_span(headers.get(f"x-ratelimit-reset-{limit}")) for limit in _LIMITS]
    return min((wait for wait in waits if wait is not None), default=None)


def _used_up(headers: Mapping[str, str]) -> float | None:
    """The longest wait for a rate limit of which nothing remains."""
    waits = [
        _span(headers.get(f"x-ratelimit-reset-{limit}"))
        for limit, remaining in zip(_LIMITS, _REMAINING, strict=True)
        if headers.get(remaining) == "0"
    ]
    return max((wait for wait in waits if wait is not None), default=None)


def _wait(value: str | None) -> float | None:
    """Seconds from a number or an HTTP date."""
    seconds = _number(value)
    if seconds is None and value:
        try:
            return max(0.0, parsedate_to_datetime(value).timestamp() - time.time())
        except ValueError:
            return None
    return seconds


def _span(value: str | None) -> float | None:
    """Seconds from "6m0s", "20ms" or a bare number."""
    seconds = _number(value)
    if seconds is None and value:
        parts = _SPAN.findall(value)
        return sum(float(number) * _SECONDS[unit] for number, unit in parts) if parts else None
    return seconds


def _number(value: str | None, unit: float = 1.0) -> float | None:
    try:
        seconds = float(value or "") * unit
    except ValueError:
        return None
    return max(0.0, seconds) if math.isfinite(seconds) else None


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


def _checked(base: str) -> SplitResult:
    """The parts of a base URL."""
    try:
        url = urlsplit(base)
        if url.scheme in ("http", "https") and url.hostname and url.port != 0:
            return url
    except ValueError:  # a broken address or port
        pass
    raise UsageError(f"{base!r} is no base URL: write it like http://localhost:8000/v1")


def _server(url: SplitResult) -> Server:
    secure = url.scheme == "https"
    host = url.hostname or ""
    try:
        ascii_host = host if host.isascii() else host.encode("idna").decode()
    except UnicodeError:
        raise UsageError(f"{host!r} is no name of a host") from None
    return Server(secure, ascii_host, url.port or (443 if secure else 80), _proxy_for(url))


def _one_field(value: str) -> str:
    """The value of a header, which must not smuggle in another one."""
    if not (value.isascii() and value.isprintable()):
        raise ModelUnavailable("a header holds characters that cannot be sent")
    return value


def _proxy_for(url: SplitResult) -> SplitResult | None:
    """The proxy that the environment names for this URL; none for the machine itself."""
    host = url.hostname or ""
    proxy = getproxies().get(url.scheme)
    if not proxy or host in _LOOPBACK or proxy_bypass(host):
        return None
    found = urlsplit(proxy if "://" in proxy else f"http://{proxy}")
    if found.scheme not in ("http", "https") or not found.hostname:
        raise ModelUnavailable(
            f"{url.scheme}_proxy names a {found.scheme} proxy, which is not supported: "
            f"name an HTTP proxy, or add {host} to no_proxy"
        )
    return found
