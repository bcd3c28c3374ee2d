"""Who is asking, and whether they may: access, scopes, tokens looked up in the store, sign-in."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from time import monotonic

from fastapi import Depends
from starlette.exceptions import HTTPException
from starlette.requests import HTTPConnection, Request

from adjudge.stores import TOKEN_SCOPES, KeptToken, Store, TokenScope

from .limits import RateLimiter
from .request_head import client_address
from .tokens import LoginSession, id_in, is_token


@dataclass(frozen=True, slots=True)
class Access:
    """`token_id` and `name` are "" for whoever asks on this machine without a token.

    `session` is there for those who have signed in on the pages: with it the access ends.
    """

    token_id: str
    name: str
    scope: TokenScope
    session: LoginSession | None = None

    def allows(self, needed: TokenScope) -> bool:
        return TOKEN_SCOPES.index(self.scope) >= TOKEN_SCOPES.index(needed)


LOCAL = Access("", "", "admin")
CHALLENGE = {"WWW-Authenticate": 'Bearer realm="adjudge"'}


class SignInNeeded(Exception):  # noqa: N818 - says what is the case
    """A page was asked for without access: the way leads over /login."""


@dataclass(frozen=True, slots=True)
class NeedsScope:
    """A FastAPI dependency that only lets those through whose scope is wide enough."""

    scope: TokenScope

    async def __call__(self, request: Request) -> Access:
        access = access_of(request)
        if access is None:
            # `request_checks` refuses them before any route: this is for a route left open there.
            raise HTTPException(401, "This needs a token.", CHALLENGE)
        if not access.allows(self.scope):
            raise HTTPException(
                403,
                f"This needs a token of scope {self.scope}; yours is {access.scope}."
                f" Make one: adjudge tokens new NAME --scope {self.scope}",
            )
        return access


# What routes depend on: 401 without access, 403 below that scope.
READ, JUDGE, ADMIN = (Depends(NeedsScope(scope)) for scope in TOKEN_SCOPES)


def access_of(request: Request) -> Access | None:
    """None for a request to an open address without a token."""
    access = getattr(request.state, "access", None)
    return access if isinstance(access, Access) else None


def token_id_of(request: Request) -> str:
    """Of the token that was shown; "" for whoever asks without one."""
    access = access_of(request)
    return access.token_id if access else ""


# A token that was made since the last lookup works at once; but wrong ones can make us look only
# so often.
_LOOKS_A_MINUTE = 300
_NOBODY = KeptToken(id="", name="", hash="0" * 64, scope="read")


class TokenCache:
    """One for all requests: one more would look into the store as often again. Revoked tokens are
    not in it. A lookup in the store holds for so many seconds."""

    def __init__(self, store: Store, holds: float) -> None:
        self._store, self.holds = store, holds
        self._tokens: Mapping[str, KeptToken] = {}
        self._looked: float | None = None
        self._looking = asyncio.Lock()
        self._looks = RateLimiter(_LOOKS_A_MINUTE)

    async def valid(self, token: str) -> KeptToken | None:
        """What is kept of the token; None for one that is wrong or revoked."""
        token_id = id_in(token)
        kept = await self.by_id(token_id) if token_id is not None else None
        right = is_token(token, kept or _NOBODY)  # in any case: the time it takes says nothing
        return kept if right else None

    async def by_id(self, token_id: str) -> KeptToken | None:
        await self._look(self.holds)
        if token_id not in self._tokens and not self._looks.take("", None):
            await self._look(0.0)
        return self._tokens.get(token_id)

    async def _look(self, holds: float) -> None:
        if self._is_fresh(holds):
            return
        async with self._looking:
            if not self._is_fresh(holds):  # another request may have looked meanwhile
                began = monotonic()
                kept = await asyncio.to_thread(self._store.tokens.all)
                self._tokens = {token.id: token for token in kept if token.revoked is None}
                self._looked = began

    def _is_fresh(self, holds: float) -> bool:
        return self._looked is not None and monotonic() - self._looked < holds


WRONG_A_MINUTE = 10


class SignIn:
    """One for all requests. `tokens` looks into the store only so often."""

    def __init__(self, tokens: TokenCache) -> None:
        self._tokens = tokens
        self._attempts = RateLimiter(WRONG_A_MINUTE)

    async def valid(self, token: str, request: HTTPConnection) -> KeptToken | None:
        """What is kept of the token; None for a wrong one, 429 for one too many of them."""
        address = client_address(request.scope)
        # Taken before the token is looked at: many that come at once are counted all the same.
        wait = self._attempts.take(address, None)
        if wait:
            detail = f"Too many wrong tokens from your address; go on in {wait} s."
            raise HTTPException(429, detail, {"Retry-After": str(wait)})
        kept = await self._tokens.valid(token)
        if kept is not None:
            self._attempts.give_back(address)
        return kept
