"""How an exchange over HTTP can fail."""

from __future__ import annotations

import os
import re
import socket
import ssl

MOST = 64 * 2**20  # bytes of an answer, or of one line of a long one: more is no answer to a prompt
_ERRNO = re.compile(r"\[Errno (\d+)\]")


class NoAnswer(Exception):  # noqa: N818 - says what is the case
    """No whole answer came. `sent` says that the server may have worked on the request."""

    def __init__(self, why: str = "", *, sent: bool = True) -> None:
        super().__init__(why)
        self.sent = sent


class Late(NoAnswer):
    """Says after how many seconds."""


class Unreachable(NoAnswer):
    def __init__(self, why: str) -> None:
        super().__init__(why, sent=False)


class ProxyFailed(Unreachable):
    pass


class Broken(NoAnswer):
    pass


class TooLarge(NoAnswer):
    pass


def cause(error: OSError) -> str:
    """What lies beneath, in the words of the system; else what the error says."""
    if isinstance(error, ssl.SSLError):
        return error.reason or type(error).__name__
    if isinstance(error, socket.gaierror):
        return error.strerror or "unknown host"
    # Several addresses were tried: asyncio tells their errors in one text.
    found = error.errno or next(map(int, _ERRNO.findall(str(error))), None)
    return os.strerror(found) if found else str(error) or type(error).__name__
