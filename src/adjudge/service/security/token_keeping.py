"""Tokens are made, found and revoked here, for the command line and for the API alike."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from adjudge.errors import UnknownName, UsageError
from adjudge.stores.base import Store
from adjudge.stores.records import KeptToken, Scope
from adjudge.stores.times import now

from .tokens import new_token

LONGEST_NAME = 100  # characters
MOST_A_MINUTE = 1_000_000_000  # requests


def make(store: Store, name: str, scope: Scope, rate: int | None) -> tuple[str, KeptToken]:
    """The token, to be shown once, and what is kept of it; Conflict for a name that is taken."""
    if not name.strip() or len(name) > LONGEST_NAME or not name.isprintable():
        raise UsageError(
            f"{name!r}: name a token by whom or what it is for, on one line of at most"
            f" {LONGEST_NAME} characters."
        )
    if rate is not None and not 1 <= rate <= MOST_A_MINUTE:
        raise UsageError(f"--rate {rate}: from 1 to {MOST_A_MINUTE:,} requests a minute.")
    token, kept = new_token(name, scope, rate)
    kept = replace(kept, created=now())
    store.tokens.put(kept)
    return token, kept


def find(store: Store, token_id: str) -> KeptToken:
    """By its id; revoked ones too."""
    tokens = store.tokens.all()
    for token in tokens:
        if token.id == token_id:
            return token
    if token_id.startswith("adj_"):
        raise UnknownName("Name the token by its id alone: the part between adj_ and the next _.")
    known = ", ".join(f"{token.id} ({token.name})" for token in tokens if not token.revoked)
    raise UnknownName(
        f"There is no token {token_id!r} in {store.where}. Valid ones: {known or 'none'}."
        " `adjudge tokens list` shows them."
    )


def told(token: KeptToken) -> dict[str, Any]:
    """Without the hash: whoever reads this has no use for it."""
    return {
        "id": token.id,
        "name": token.name,
        "scope": token.scope,
        "rate": token.rate,
        "created": token.created,
        "revoked": token.revoked,
    }
