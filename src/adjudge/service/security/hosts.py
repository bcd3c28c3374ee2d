"""The names that the service is reached by.

A page elsewhere can let its own name point to this machine (DNS rebinding). Its requests are then
same-origin to the browser, but they still carry that name.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Sequence

from adjudge.errors import UsageError

from .bind import is_loopback

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
    found = _HOST.fullmatch(header.casefold())
    return found[1].strip("[]").removesuffix(".") if found else None


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
        raise UsageError(
            f"--allow-host {name}: write a name alone, without https://, port or path,"
            " e.g. judge.example.com."
        )
    return host
