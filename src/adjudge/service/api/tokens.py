"""Tokens over HTTP: listed, made, revoked."""

from __future__ import annotations

from fastapi import APIRouter, Request
from starlette.responses import Response

from adjudge.service.security import token_keeping
from adjudge.service.state import service_of

from .audit import audit
from .json_route import ADMIN, PREFIX, Json, JsonRoute
from .schemas.tokens import TokenMade, TokenRequest, TokensTold, TokenTold

# Below admin a token could make one that may do more than itself.
router = APIRouter(prefix=PREFIX, route_class=JsonRoute, dependencies=[ADMIN])


@router.get("/tokens", response_model=TokensTold, summary="The tokens, without their secrets")
def tokens(request: Request) -> Response:
    kept = service_of(request).store.tokens.all()
    return Json({"tokens": [token_keeping.told(each) for each in kept]})


@router.post("/tokens", status_code=201, response_model=TokenMade, summary="Make a token")
def make_token(request: Request, body: TokenRequest) -> Response:
    """It is valid at once. A name that a valid token has is not given twice (409)."""
    store = service_of(request).store
    token, kept = token_keeping.make(store, body.name, body.scope, body.rate)
    audit(request, "token made", target=kept.id, scope=kept.scope)
    return Json(token_keeping.told(kept) | {"token": token}, 201)


@router.delete("/tokens/{token}", response_model=TokenTold, summary="Revoke a token")
def revoke_token(request: Request, token: str) -> Response:
    """It is let in no longer than five seconds from now. The last one of scope admin stays (409):
    without it nobody could make another over HTTP. `adjudge tokens revoke` takes that one too."""
    store = service_of(request).store
    found = token_keeping.find(store, token)
    store.tokens.revoke(found.id, leave_an_admin=True)
    audit(request, "token revoked", target=found.id, scope=found.scope)
    return Json(token_keeping.told(token_keeping.find(store, found.id)))
