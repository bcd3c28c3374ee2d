"""The names that the service is reached by.

A page elsewhere can let its own name point to this machine (DNS rebinding). Its requests are then
same-origin to the browser, but they still carry that name.
"""

from __future__ import annotations

import ipaddress
import re
import socket
from collections.abc import Sequence

from adjudge.core.reason import Reason
from adjudge.errors import UsageError
from adjudge.stores import Store

_LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
_HOST = re.compile(r"(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::\d{1,5})?")
_NAME = re.compile(r"[a-z0-9]([a-z0-9._-]*[a-z0-9])?")


class Hosts:
    """`bound` is the address that the service listens on, `allowed` what `--allow-host` names."""

    def __init__(self, bound: str, allowed: Sequence[str] = ()) -> None:
        self._names = _LOOPBACK | {bound.casefold(), *map(_checked, allowed)}
        self._loopback_alone = is_loopback(bound)

    def serves(self, header: str) -> bool:
        """`header` is the Host of a request. Its port does not count: it may be forwarded."""
        host = host_in(header)
        if host is None:
            return False
        # An address is not a name that somebody could let point elsewhere.
        return host in self._names or (not self._loopback_alone and _is_address(host))


def host_in(header: str) -> str | None:
    """`[::1]:80` → `::1`; None where it is no host."""
    match = _HOST.fullmatch(header.casefold())
    return match[1].strip("[]").removesuffix(".") if match else None


def is_local(header: str) -> bool:
    """Whether a Host means the machine itself."""
    host = host_in(header)
    return host in _LOOPBACK or (host is not None and _is_address(host) and is_loopback(host))


def _is_address(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


def _checked(name: str) -> str:
    host = name.strip().casefold().removesuffix(".")
    if not _is_address(host) and not _NAME.fullmatch(host):
        raise UsageError(Reason("host.name").at_option("allow-host", name))
    return host


def is_loopback(host: str) -> bool:
    """Whether only this machine reaches the address or name."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        pass
    try:
        addresses = socket.getaddrinfo(host or "0.0.0.0", None, type=socket.SOCK_STREAM)  # noqa: S104
    except (OSError, UnicodeError):
        return False
    return all(ipaddress.ip_address(str(address[0])).is_loopback for *_, address in addresses)


def check_address(host: str, store: Store) -> None:
    """UsageError for an address that others reach, as long as there is no token to ask them for."""
    if is_loopback(host) or any(token.revoked is None for token in store.tokens.all()):
        return
    raise UsageError(Reason("host.no_token", where=store.where).at_option("host", host))
