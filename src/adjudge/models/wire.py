"""HTTP for providers: one POST, and what its failures mean.

A provider builds the body and reads the answer; an `Endpoint` carries it and turns every failure,
of the network or told by the server, into a ProviderError of one line that never holds the key.
"""

from __future__ import annotations

import io
import math
import os
import re
import ssl
import time
from collections.abc import Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import Any
from urllib.request import getproxies, proxy_bypass

import aiohttp
import orjson
from yarl import URL

from adjudge.errors import ModelUnavailable, ProviderError

_LARGE = 2**20  # bytes; aiohttp wants larger bodies as a stream, to leave the loop time for others
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
_SECONDS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}


@dataclass(frozen=True, slots=True)
class Answer:
    """An HTTP answer, whatever its status. `headers` are found in any case."""

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
    """One URL that takes JSON. `secret` is blotted out of whatever the server says."""

    def __init__(
        self, url: URL, headers: Mapping[str, str], secret: str, timeout: float, remedies: Remedies
    ) -> None:
        self.place = f"{url.host_subcomponent}:{url.port}"
        # With the path, by which gateways tell their models apart, and without what is secret.
        self.address = str(url.with_user(None).with_query(None))
        self._url = url
        self._headers = {"Content-Type": "application/json", "User-Agent": "adjudge", **headers}
        self._secret = secret
        self._timeout = timeout
        self._remedies = remedies
        self._proxy = _proxy_for(url)
        self._session: aiohttp.ClientSession | None = None

    async def post(self, body: bytes) -> Answer:
        """The answer of any status; ProviderError when there is none."""
        session = self._session or self._open()
        data = body if len(body) <= _LARGE else io.BytesIO(body)
        try:
            # A followed redirect would turn the POST into a GET and carry the key elsewhere.
            async with session.post(self._url, data=data, allow_redirects=False) as response:
                return Answer(response.status, response.headers, await response.read())
        except (aiohttp.ClientError, OSError) as error:
            raise self._network_failure(error) from error

    async def aclose(self) -> None:
        if self._session is not None:
            await self._session.close()
            self._session = None

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
        )

    def _open(self) -> aiohttp.ClientSession:
        self._session = aiohttp.ClientSession(
            # How many requests run at once is the caller's to bound.
            connector=aiohttp.TCPConnector(limit=0),
            cookie_jar=aiohttp.DummyCookieJar(),
            headers=self._headers,
            timeout=aiohttp.ClientTimeout(total=self._timeout),
            proxy=self._proxy,
        )
        return self._session

    def _network_failure(self, error: Exception) -> ProviderError:
        place, address = self.place, self._remedies.address
        match error:
            case TimeoutError():
                text = f"no answer from {place} within {self._timeout:g} s; --timeout allows more"
            case aiohttp.ClientConnectorCertificateError() | aiohttp.ClientConnectorSSLError():
                text = (
                    f"no secure connection to {place} ({_cause(error)}): check {address}; "
                    "SSL_CERT_FILE can name your own authority's certificates"
                )
                return ProviderError(text, fatal=True)
            case aiohttp.ClientProxyConnectionError() | aiohttp.ClientHttpProxyError():
                proxy = self._proxy.host if self._proxy else None
                text = f"the proxy {proxy} does not lead to {place} ({_cause(error)})"
            case aiohttp.ClientConnectorDNSError():
                text = f"no host is called {place}: check the network and {address}"
            case aiohttp.ClientConnectorError():
                text = f"nothing answers at {place} ({_cause(error)}): start it, or check {address}"
            case _:
                text = f"the connection to {place} broke ({_cause(error)})"
        return ProviderError(self._clean(text), retryable=True)

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


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds to wait as the server's headers say, None when they do not."""
    waits = [_number(headers.get("retry-after-ms"), 0.001), _wait(headers.get("Retry-After"))]
    known = [wait for wait in waits if wait is not None]
    return known[0] if known else _reset(headers)


def one_line(text: str) -> str:
    return " ".join(text[:2000].split())


def _reset(headers: Mapping[str, str]) -> float | None:
    """The wait until a rate limit is whole again; the longest of those that are used up."""
    limits = ("requests", "tokens")
    waits = {limit: _span(headers.get(f"x-ratelimit-reset-{limit}")) for limit in limits}
    known = {limit: wait for limit, wait in waits.items() if wait is not None}
    used_up = [known[it] for it in known if headers.get(f"x-ratelimit-remaining-{it}") == "0"]
    return max(used_up) if used_up else min(known.values(), default=None)


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


def _cause(error: Exception) -> str:
    """What lies beneath, in the words of whoever found it; else the kind of error."""
    inner = getattr(error, "certificate_error", None) or getattr(error, "os_error", error)
    if isinstance(inner, ssl.SSLError):
        return inner.reason or type(inner).__name__
    if isinstance(inner, OSError) and inner.errno:
        return os.strerror(inner.errno)
    status = getattr(error, "status", None)
    return f"HTTP {status}" if status else type(error).__name__


def _proxy_for(url: URL) -> URL | None:
    """The proxy that the environment names for this URL; none for the machine itself."""
    host = url.host or ""
    proxy = getproxies().get(url.scheme)
    if not proxy or host in _LOOPBACK or proxy_bypass(host):
        return None
    found = URL(proxy)
    if found.scheme not in ("http", "https"):
        raise ModelUnavailable(
            f"{url.scheme}_proxy names a {found.scheme} proxy, which is not supported: "
            f"name an HTTP proxy, or add {host} to no_proxy"
        )
    return found
