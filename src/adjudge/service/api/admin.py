"""What those who run the service use: tokens, health, metrics."""

from __future__ import annotations

from fastapi import APIRouter, Request
from prometheus_client import CONTENT_TYPE_LATEST
from starlette.responses import PlainTextResponse, Response

from adjudge import __version__
from adjudge.service.observability import audit
from adjudge.service.security.access import ADMIN, READ
from adjudge.service.security.tokens import create_token, find_token, token_dict
from adjudge.service.state import service_of

from .bodies import PREFIX, JsonResponse, JsonRoute
from .request_models import TokenRequest
from .response_models import Health, NewToken, TokenInfo, TokenList

# Below admin a token could make one that may do more than itself.
router = APIRouter(prefix=PREFIX, route_class=JsonRoute, dependencies=[ADMIN])
health = APIRouter()
metrics = APIRouter(dependencies=[READ])


@router.get("/tokens", response_model=TokenList, summary="The tokens, without their secrets")
def tokens(request: Request) -> Response:
    kept = service_of(request).store.tokens.all()
    return JsonResponse({"tokens": [token_dict(token) for token in kept]})


@router.post("/tokens", status_code=201, response_model=NewToken, summary="Make a token")
def make_token(request: Request, body: TokenRequest) -> Response:
    """It is valid at once. A name that a valid token has is not given twice (409)."""
    store = service_of(request).store
    token, kept = create_token(store, body.name, body.scope, body.rate)
    audit(request, "token made", target=kept.id, scope=kept.scope)
    return JsonResponse(token_dict(kept) | {"token": token}, 201)


@router.delete("/tokens/{token}", response_model=TokenInfo, summary="Revoke a token")
def revoke_token(request: Request, token: str) -> Response:
    """It is let in no longer than five seconds from now. The last one of scope admin stays (409):
    without it nobody could make another over HTTP. `adjudge tokens revoke` takes that one too."""
    store = service_of(request).store
    kept = find_token(store, token)
    store.tokens.revoke(kept.id, leave_an_admin=True)
    audit(request, "token revoked", target=kept.id, scope=kept.scope)
    return JsonResponse(token_dict(find_token(store, kept.id)))


@health.get("/healthz", response_model=Health, summary="Whether the store can be read")
def healthz(request: Request) -> Response:
    """Open to everybody; says nothing about what the store holds."""
    service_of(request).store.jobs.find("")
    return JsonResponse({"status": "ok", "version": __version__})


@metrics.get("/metrics", response_class=PlainTextResponse, summary="Figures for Prometheus")
def figures(request: Request) -> Response:
    return Response(service_of(request).metrics.text(), media_type=CONTENT_TYPE_LATEST)
