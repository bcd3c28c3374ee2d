"""Who has signed in on the pages: a signed cookie with the token's id, never the token itself."""

from __future__ import annotations

import hmac
import re
import time
from typing import NamedTuple

SESSION_SECONDS = 12 * 3600  # seconds

_FORM = re.compile(r"([0-9a-f]{8})\.(\d{1,12})\.([0-9a-f]{64})")


class LoginSession(NamedTuple):
    """`token_id` is that of the token that was shown, `end` the time in seconds of the epoch."""

    token_id: str
    end: int

    @property
    def is_over(self) -> bool:
        return time.time() >= self.end


class Sessions:
    """Signed with a key made from the store's secret.

    The cookie's name is the store's own: browsers share cookies among all ports of a machine.
    """

    def __init__(self, secret: bytes) -> None:
        self._key = hmac.digest(secret, b"adjudge: sessions", "sha256")
        self.cookie = f"adjudge_session_{hmac.digest(self._key, b'name', 'sha256').hex()[:8]}"

    def value(self, token_id: str) -> str:
        """The cookie for somebody who has shown the token of this id."""
        payload = f"{token_id}.{int(time.time()) + SESSION_SECONDS}"
        return f"{payload}.{self._sign(payload)}"

    def read(self, value: str) -> LoginSession | None:
        """The session in a cookie; None for one that is forged or over."""
        match = _FORM.fullmatch(value)
        if not match:
            return None
        token_id, end, sign = match.groups()
        if not hmac.compare_digest(sign, self._sign(f"{token_id}.{end}")):
            return None
        session = LoginSession(token_id, int(end))
        return None if session.is_over else session

    def _sign(self, payload: str) -> str:
        return hmac.digest(self._key, payload.encode(), "sha256").hex()


# No control characters and no backslash: browsers drop or turn them, and `/\host` leads elsewhere.
_PATH = re.compile(r"/(?![/\\])[^\x00-\x20\x7f\\]*")


def local_path(path: str, otherwise: str = "/") -> str:
    """`path` where it is a path of this site, else `otherwise`."""
    return path if _PATH.fullmatch(path) else otherwise
