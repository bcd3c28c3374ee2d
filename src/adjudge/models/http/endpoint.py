"""Requests to one server, and what their failures mean.

A provider builds the body and reads the answer; an `Endpoint` carries it and turns every failure,
of the network or reported by the server, into a ProviderError of one line that never holds the key.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from time import perf_counter
from urllib.parse import SplitResult, quote, urlsplit
from urllib.request import getproxies, proxy_bypass

from adjudge.core.reason import Reason
from adjudge.errors import ModelUnavailable, UsageError
from adjudge.settings.secrets import without_secrets

from . import failures
from .complaints import HttpAnswer, complaint_of, decode
from .connections import Connections, Server, basic, bracketed, proxy_authorization, secrets_of
from .failures import NoAnswer, Remedies, ServerErrors

_SLOWEST = 2**18  # bytes per second that a large body is sent at, at the least


class Endpoint:
    """A server's API below `base`, and the path there that takes the prompts.

    The headers go with every request; a name and password in `base` go before an Authorization
    among them. `secret` is removed from whatever the server says, and so are the passwords of
    `base` and of the proxy. `failure`, `malformed` and `clean` are those of `ServerErrors`.
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
        url = split_base_url(base)
        server = server_at(url)
        host, usual = bracketed(server.host), 443 if server.secure else 80
        named = host if server.port == usual else f"{host}:{server.port}"
        self.place = f"{host}:{server.port}"
        self._prefix, self._query = url.path.rstrip("/"), url.query
        # With the path, by which gateways choose the model, and without what is secret.
        self.address = f"{url.scheme}://{named}{self._prefix}{path}"
        self._timeout = timeout
        proxy = server.proxy.hostname if server.proxy else None
        hidden = (secret, *secrets_of(url), *(secrets_of(server.proxy) if server.proxy else ()))
        errors = ServerErrors(self.place, remedies, hidden, proxy)
        self.failure, self.malformed, self.clean = errors.reported, errors.malformed, errors.clean
        self._network_error = errors.network
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

    async def post(self, body: bytes) -> HttpAnswer:
        """The answer to a prompt, of any status; ProviderError when there is none."""
        return await self._exchange(self._post + _length(body), body, self._timeout, again=True)

    async def call(
        self,
        method: str,
        path: str,
        body: bytes | None = None,
        content_type: str = "application/json",
        *,
        seconds: float | None = None,
    ) -> HttpAnswer:
        """The answer to any other request below the base, of any status.

        It may take the `seconds`, else the timeout, and longer if the body is large.
        """
        if body is None:
            head = self._head(method, path) + b"\r\n"
        else:
            head = self._head(method, path, content_type) + _length(body)
        body = body or b""
        limit = seconds or self._timeout + len(body) // _SLOWEST
        return await self._exchange(head, body, limit, again=method == "GET")

    async def _exchange(
        self, head: bytes, body: bytes, seconds: float, *, again: bool
    ) -> HttpAnswer:
        started = perf_counter()
        try:
            status, headers, content = await self._connections.exchange(
                head, body, seconds, again=again
            )
        except (NoAnswer, OSError) as error:
            raise self._network_error(error) from error
        return HttpAnswer(status, headers, content, (perf_counter() - started) * 1000)

    async def lines(self, path: str) -> AsyncGenerator[bytes, None]:
        """The lines of a file below the base, however long it is; empty ones are left out.

        The timeout is for each part of it. ProviderError at any point, for another status too.
        """
        head = self._head("GET", path) + b"\r\n"
        try:
            status, headers, pieces = await self._connections.stream(head, self._timeout)
            async with aclosing(pieces):
                if status != 200:
                    body = b""
                    async for piece in pieces:
                        body += piece
                        if len(body) > _SLOWEST:  # more than any error needs
                            break
                    raise self.failure(
                        complaint_of(HttpAnswer(status, headers, body), decode(body))
                    )
                async for line in _lines(pieces):
                    yield line
        except (NoAnswer, OSError) as error:
            raise self._network_error(error) from error

    async def aclose(self) -> None:
        await self._connections.aclose()

    def _head(self, method: str, path: str, content_type: str = "") -> bytes:
        """All that goes before the body, except for its length."""
        target = self._prefix + path
        if self._query:
            target += f"{'&' if '?' in path else '?'}{self._query}"
        # Nothing that would end the line.
        target = quote(target, safe="/?&=%:@!$'()*+,;~-._")
        kind = f"Content-Type: {_one_field(content_type)}\r\n" if content_type else ""
        return f"{method} {self._origin}{target} HTTP/1.1\r\n{self._fields}{kind}".encode()


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
    """The value of a header, which must not contain another one."""
    if not (value.isascii() and value.isprintable()):
        raise ModelUnavailable(Reason("model.odd_header"))
    return value


_LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})


def split_base_url(base: str) -> SplitResult:
    """The parts of a base URL; UsageError when it is none."""
    try:
        url = urlsplit(base)
        if url.scheme in ("http", "https") and url.hostname and url.port != 0:
            return url
    except ValueError:  # a broken address or port
        pass
    raise UsageError(Reason("model.no_base_url", text=without_secrets(base)))


def server_at(url: SplitResult) -> Server:
    secure = url.scheme == "https"
    host = url.hostname or ""
    try:
        ascii_host = host if host.isascii() else host.encode("idna").decode()
    except UnicodeError:
        raise UsageError(Reason("model.odd_host", host=host)) from None
    return Server(secure, ascii_host, url.port or (443 if secure else 80), _proxy_for(url))


def _proxy_for(url: SplitResult) -> SplitResult | None:
    """The proxy that the environment names for this URL; none for the machine itself."""
    host = url.hostname or ""
    proxy = getproxies().get(url.scheme)
    if not proxy or host in _LOOPBACK or proxy_bypass(host):
        return None
    address = urlsplit(proxy if "://" in proxy else f"http://{proxy}")
    if address.scheme not in ("http", "https") or not address.hostname:
        raise ModelUnavailable(
            Reason("model.odd_proxy", scheme=url.scheme, kind=address.scheme, host=host)
        )
    return address
