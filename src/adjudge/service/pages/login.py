"""Signing in with a token, for those who use the pages from another machine."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Form
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from adjudge.service.security.access import CHALLENGE, sign_in_of
from adjudge.service.security.sessions import SESSION_SECONDS, Sessions, local_path
from adjudge.service.state import service_of

from .rendering import page

router = APIRouter(include_in_schema=False)


@router.get("/login")
def form(request: Request, next: str = "/") -> Response:  # noqa: A002 - the name in the URL
    return page(request, "login", next=local_path(next), wrong=False)


@router.post("/login")
async def sign_in(
    request: Request,
    token: Annotated[str, Form(max_length=1000)] = "",
    next: Annotated[str, Form(max_length=10_000)] = "/",  # noqa: A002 - the name in the form
) -> Response:
    """Keeps who it was in a signed cookie; the token itself is not kept."""
    kept = await sign_in_of(request).valid(token.strip(), request)
    if kept is None:
        shown = page(request, "login", 401, next=local_path(next), wrong=True)
        shown.headers.update(CHALLENGE)
        return shown
    sessions = Sessions(service_of(request).store.secret)
    answer = RedirectResponse(local_path(next), 303)
    answer.set_cookie(
        sessions.cookie,
        sessions.value(kept.id),
        max_age=SESSION_SECONDS,
        httponly=True,
        samesite="strict",
        secure=request.state.https,
    )
    return answer


@router.post("/logout")
def sign_out(request: Request) -> Response:
    answer = RedirectResponse("/login", 303)
    answer.delete_cookie(Sessions(service_of(request).store.secret).cookie)
    return answer
