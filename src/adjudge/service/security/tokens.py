"""Tokens: `adj_<id>_<secret>`. The id finds what is kept of one; only its hash is."""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets

from adjudge.stores.records import KeptToken, Scope

_FORM = re.compile(r"adj_([0-9a-f]{8})_[A-Za-z0-9_-]{43}")


def new_token(name: str, scope: Scope, rate: int | None = None) -> tuple[str, KeptToken]:
    """The token, to be shown once, and what is kept of it. `rate` is in requests a minute."""
    token_id = secrets.token_hex(4)
    token = f"adj_{token_id}_{secrets.token_urlsafe(32)}"
    return token, KeptToken(id=token_id, name=name, hash=_hash(token), scope=scope, rate=rate)


def id_in(token: str) -> str | None:
    """The id that the token says it has; None where it is no token at all."""
    found = _FORM.fullmatch(token)
    return found[1] if found else None


def is_token(token: str, kept: KeptToken) -> bool:
    """Takes the same time whether a token is nearly right or not at all."""
    return hmac.compare_digest(_hash(token), kept.hash)


def _hash(token: str) -> str:
    # No salt and no slow hash: 256 random bits are not to be guessed.
    return hashlib.sha256(token.encode()).hexdigest()
