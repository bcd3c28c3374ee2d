"""Tokens: `adj_<id>_<secret>`. The id finds what is kept of one; only its hash is.

They are made, found and revoked here, for the command line and for the API alike. Whoever signs in
on the pages with one has a session: a signed cookie with the token's id, never the token itself.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
import time
from dataclasses import asdict, replace
from typing import Any, NamedTuple

from adjudge.core.reason import Reason
from adjudge.errors import UnknownName, UsageError
from adjudge.stores import KeptToken, Store, TokenScope
from adjudge.stores.codec import now

_FORM = re.compile(r"adj_([0-9a-f]{8})_[A-Za-z0-9_-]{43}")


def new_token(name: str, scope: TokenScope, rate: int | None = None) -> tuple[str, KeptToken]:
    """The token, to be shown once, and what is kept of it. `rate` is in requests per minute."""
    token_id = secrets.token_hex(4)
    token = f"adj_{token_id}_{secrets.token_urlsafe(32)}"
    return token, KeptToken(id=token_id, name=name, hash=_hash(token), scope=scope, rate=rate)


def id_in(token: str) -> str | None:
    """The id that the token says it has; None where it is no token at all."""
    match = _FORM.fullmatch(token)
    return match[1] if match else None


def is_token(token: str, kept: KeptToken) -> bool:
    """Takes the same time whether a token is nearly right or not at all."""
    return hmac.compare_digest(_hash(token), kept.hash)


def _hash(token: str) -> str:
    # No salt and no slow hash: 256 random bits are not to be guessed.
    return hashlib.sha256(token.encode()).hexdigest()


LONGEST_NAME = 100  # characters
MOST_A_MINUTE = 1_000_000_000  # requests


def create_token(
    store: Store, name: str, scope: TokenScope, rate: int | None
) -> tuple[str, KeptToken]:
    """The token, to be shown once, and what is kept of it; Conflict for a name that is taken."""
    if not name.strip() or len(name) > LONGEST_NAME or not name.isprintable():
        raise UsageError(Reason("token.name", name=name, most=LONGEST_NAME))
    if rate is not None and not 1 <= rate <= MOST_A_MINUTE:
        raise UsageError(Reason("token.rate", most=MOST_A_MINUTE).at_option("rate", rate))
    token, kept = new_token(name, scope, rate)
    kept = replace(kept, created=now())
    store.tokens.put(kept)
    return token, kept


def find_token(store: Store, token_id: str) -> KeptToken:
    """By its id; revoked ones too."""
    tokens = store.tokens.all()
    for token in tokens:
        if token.id == token_id:
            return token
    if token_id.startswith("adj_"):
        raise UnknownName(Reason("token.id_alone"))
    known = tuple(f"{token.id} ({token.name})" for token in tokens if not token.revoked)
    raise UnknownName(Reason("token.unknown", id=token_id, where=store.where, known=known))


def token_dict(token: KeptToken) -> dict[str, Any]:
    """Without the hash: whoever reads this has no use for it."""
    return {name: value for name, value in asdict(token).items() if name != "hash"}


SESSION_SECONDS = 12 * 3600  # seconds

_COOKIE = re.compile(r"([0-9a-f]{8})\.(\d{1,12})\.([0-9a-f]{64})")


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
        match = _COOKIE.fullmatch(value)
        if not match:
            return None
        token_id, end, sign = match.groups()
        if not hmac.compare_digest(sign, self._sign(f"{token_id}.{end}")):
            return None
        session = LoginSession(token_id, int(end))
        return None if session.is_over else session

    def _sign(self, payload: str) -> str:
        return hmac.digest(self._key, payload.encode(), "sha256").hex()
