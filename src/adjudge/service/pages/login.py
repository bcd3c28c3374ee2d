"""What a browser keeps of its user: a session for who signs in with a token, and the language."""

from __future__ import annotations

import re
from typing import Annotated

from fastapi import APIRouter, Form
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from adjudge.service.security.access import CHALLENGE
from adjudge.service.security.tokens import SESSION_SECONDS, Sessions
from adjudge.service.state import service_of
from adjudge.strings import LANGUAGES

from .rendering import LANGUAGE_COOKIE, page

router = APIRouter(include_in_schema=False)
YEAR = 365 * 24 * 3600  # seconds


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
    kept = await service_of(request).sign_in.valid(token.strip(), request)
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


@router.get("/language/{language}")
def choose_language(language: str, back: str = "/") -> RedirectResponse:
    """Keeps the choice in a cookie, and goes back to the page."""
    answer = RedirectResponse(local_path(back), 303)
    if language in LANGUAGES:
        answer.set_cookie(LANGUAGE_COOKIE, language, max_age=YEAR, httponly=True, samesite="lax")
    return answer


# No control characters and no backslash: browsers drop or turn them, and `/\host` leads elsewhere.
_PATH = re.compile(r"/(?![/\\])[^\x00-\x20\x7f\\]*")


def local_path(path: str, otherwise: str = "/") -> str:
    """`path` where it is a path of this site, else `otherwise`."""
    return path if _PATH.fullmatch(path) else otherwise
