"""Where the service may listen."""

from __future__ import annotations

import ipaddress
import socket

from adjudge.errors import UsageError
from adjudge.stores.base import Store


def is_loopback(host: str) -> bool:
    """Whether only this machine reaches the address or name."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        pass
    try:
        found = socket.getaddrinfo(host or "0.0.0.0", None, type=socket.SOCK_STREAM)  # noqa: S104
    except (OSError, UnicodeError):
        return False
    return all(ipaddress.ip_address(str(address[0])).is_loopback for *_, address in found)


def check_address(host: str, store: Store) -> None:
    """UsageError for an address that others reach, as long as there is no token to ask them for."""
    if is_loopback(host) or any(token.revoked is None for token in store.tokens.all()):
        return
    raise UsageError(
        f"--host {host}: others can reach this address, and there is no token yet to tell them"
        f" apart. Make one first: adjudge tokens new NAME --store {store.where}"
    )
