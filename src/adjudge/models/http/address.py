"""Where a server is: the parts of a base URL, and the proxy that leads there."""

from __future__ import annotations

from urllib.parse import SplitResult, urlsplit
from urllib.request import getproxies, proxy_bypass

from adjudge.errors import ModelUnavailable, UsageError
from adjudge.settings.secrets import without_secrets

from .connections import Server

_LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})


def parts_of(base: str) -> SplitResult:
    """The parts of a base URL; UsageError when it is none."""
    try:
        url = urlsplit(base)
        if url.scheme in ("http", "https") and url.hostname and url.port != 0:
            return url
    except ValueError:  # a broken address or port
        pass
    shown = without_secrets(base)
    raise UsageError(f"{shown!r} is no base URL: write it like http://localhost:8000/v1")


def server_of(url: SplitResult) -> Server:
    secure = url.scheme == "https"
    host = url.hostname or ""
    try:
        ascii_host = host if host.isascii() else host.encode("idna").decode()
    except UnicodeError:
        raise UsageError(f"{host!r} is no name of a host") from None
    return Server(secure, ascii_host, url.port or (443 if secure else 80), _proxy_for(url))


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
