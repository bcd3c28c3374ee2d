"""What a request says about itself, taken out of its headers once."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass

from starlette.requests import cookie_parser
from starlette.types import Scope

_SAFE = frozenset({"GET", "HEAD", "OPTIONS"})
# Proxies say for whom they ask. Whoever is behind one is not on this machine.
_FORWARDED = frozenset({b"forwarded", b"x-forwarded-for", b"x-forwarded-host", b"x-real-ip"})


@dataclass(frozen=True, slots=True)
class RequestHead:
    """`hosts` counts the Host headers: only one of them could be right."""

    path: str
    method: str
    headers: dict[bytes, bytes]
    hosts: int

    @classmethod
    def of(cls, scope: Scope) -> RequestHead:
        headers: dict[bytes, bytes] = {}
        hosts = 0
        for name, value in scope["headers"]:
            hosts += name == b"host"
            # Browsers may send several Cookie headers; of others the last one counts.
            joined = name == b"cookie" and name in headers
            headers[name] = headers[name] + b"; " + value if joined else value
        return cls(scope["path"], scope["method"], headers, hosts)

    def header(self, name: bytes) -> str:
        """ "" where it is not there."""
        return self.headers.get(name, b"").decode("latin-1")

    @property
    def host(self) -> str:
        """ "" also where there are several."""
        return self.header(b"host") if self.hosts == 1 else ""

    @property
    def is_safe(self) -> bool:
        return self.method in _SAFE

    @property
    def is_forwarded(self) -> bool:
        return not _FORWARDED.isdisjoint(self.headers)

    @property
    def comes_over_a_link(self) -> bool:
        """From a page of another site or port, so that the browser leaves strict cookies out."""
        site, mode = self.header(b"sec-fetch-site"), self.header(b"sec-fetch-mode")
        return site in {"cross-site", "same-site"} and mode == "navigate" and self.method == "GET"

    @property
    def content_type(self) -> str:
        """Without its parameters, in small letters."""
        return self.header(b"content-type").partition(";")[0].strip().casefold()

    @property
    def bearer(self) -> str | None:
        """The token in the header; None where there is no such header."""
        scheme, _, token = self.header(b"authorization").partition(" ")
        return token.strip() if scheme.casefold() == "bearer" else None

    def cookie(self, name: str) -> str:
        """ "" where it is not there."""
        header = self.header(b"cookie")
        return cookie_parser(header).get(name, "") if name in header else ""


_NETWORK = 64  # bits of an IPv6 address; the rest is everybody's own to choose


def client_address(scope: Scope) -> str:
    """The client's address, that of its network where it is IPv6; "" where there is none.

    A proxy on this machine says in `X-Forwarded-For`, last, for whom it asks. Anybody else who
    sends that header could name a new address each time.
    """
    peer = _address((scope.get("client") or ("",))[0])
    if peer is not None and peer.is_loopback:
        named = RequestHead.of(scope).header(b"x-forwarded-for").rpartition(",")[2]
        peer = _address(named.strip()) or peer
    if isinstance(peer, ipaddress.IPv6Address):
        return str(ipaddress.ip_network((peer, _NETWORK), strict=False))
    return str(peer or "")


def _address(text: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    """IPv4 that is written as IPv6 is what it is."""
    try:
        address = ipaddress.ip_address(text)
    except ValueError:
        return None
    return getattr(address, "ipv4_mapped", None) or address
