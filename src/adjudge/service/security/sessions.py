"""Who has signed in on the pages: a signed cookie with the token's id, never the token itself."""

from __future__ import annotations

import hmac
import re
import time
from typing import NamedTuple

LASTS = 12 * 3600  # seconds

_FORM = re.compile(r"([0-9a-f]{8})\.(\d{1,12})\.([0-9a-f]{64})")


class Session(NamedTuple):
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
        said = f"{token_id}.{int(time.time()) + LASTS}"
        return f"{said}.{self._sign(said)}"

    def read(self, value: str) -> Session | None:
        """The session in a cookie; None for one that is forged or over."""
        found = _FORM.fullmatch(value)
        if not found:
            return None
        token_id, end, sign = found.groups()
        if not hmac.compare_digest(sign, self._sign(f"{token_id}.{end}")):
            return None
        session = Session(token_id, int(end))
        return None if session.is_over else session

    def _sign(self, said: str) -> str:
        return hmac.digest(self._key, said.encode(), "sha256").hex()
