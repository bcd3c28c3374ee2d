"""Whom a request is counted to where there is no token yet to tell."""

from __future__ import annotations

import ipaddress

from starlette.types import Scope

from .asking import Asking

_NETWORK = 64  # bits of an IPv6 address; the rest is everybody's own to choose


def address_of(scope: Scope) -> str:
    """The client's address, that of its network where it is IPv6; "" where there is none.

    A proxy on this machine says in `X-Forwarded-For`, last, for whom it asks. Anybody else who
    sends that header could name a new address each time.
    """
    peer = _address((scope.get("client") or ("",))[0])
    if peer is not None and peer.is_loopback:
        named = Asking.of(scope).header(b"x-forwarded-for").rpartition(",")[2]
        peer = _address(named.strip()) or peer
    if isinstance(peer, ipaddress.IPv6Address):
        return str(ipaddress.ip_network((peer, _NETWORK), strict=False))
    return str(peer or "")


def _address(text: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    """IPv4 that is written as IPv6 is what it is."""
    try:
        found = ipaddress.ip_address(text)
    except ValueError:
        return None
    return getattr(found, "ipv4_mapped", None) or found
