"""Tokens: `adj_<id>_<secret>`. The id finds what is kept of one; only its hash is.

They are made, found and revoked here, for the command line and for the API alike.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
from dataclasses import replace
from typing import Any

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
    return {
        "id": token.id,
        "name": token.name,
        "scope": token.scope,
        "rate": token.rate,
        "created": token.created,
        "revoked": token.revoked,
    }
