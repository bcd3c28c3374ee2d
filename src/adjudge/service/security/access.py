"""Who is asking, and whether they may."""

from __future__ import annotations

from dataclasses import dataclass

from starlette.exceptions import HTTPException
from starlette.requests import Request

from adjudge.stores.records import SCOPES, Scope

from .sessions import Session


@dataclass(frozen=True, slots=True)
class Access:
    """`token_id` and `name` are "" for whoever asks on this machine without a token.

    `session` is there for those who have signed in on the pages: with it the access ends.
    """

    token_id: str
    name: str
    scope: Scope
    session: Session | None = None

    def allows(self, needed: Scope) -> bool:
        return SCOPES.index(self.scope) >= SCOPES.index(needed)


LOCAL = Access("", "", "admin")
CHALLENGE = {"WWW-Authenticate": 'Bearer realm="adjudge"'}


class SignInNeeded(Exception):  # noqa: N818 - says what is the case
    """A page was asked for without access: the way leads over /login."""


@dataclass(frozen=True, slots=True)
class Needs:
    """A FastAPI dependency that only lets those through whose scope is wide enough."""

    scope: Scope

    async def __call__(self, request: Request) -> Access:
        access = access_of(request)
        if access is None:
            # The guard refuses such requests before any route: this is for a route left open there.
            raise HTTPException(401, "This needs a token.", CHALLENGE)
        if not access.allows(self.scope):
            raise HTTPException(
                403,
                f"This needs a token of scope {self.scope}; yours is {access.scope}."
                f" Make one: adjudge tokens new NAME --scope {self.scope}",
            )
        return access


def needs(scope: Scope) -> Needs:
    """`dependencies=[Depends(needs("judge"))]`: 401 without access, 403 below that scope."""
    return Needs(scope)


def access_of(request: Request) -> Access | None:
    """None for a request to an open address without a token."""
    access = getattr(request.state, "access", None)
    return access if isinstance(access, Access) else None
