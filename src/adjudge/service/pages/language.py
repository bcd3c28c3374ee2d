"""The language of the pages: the one chosen before, else one that the browser asks for."""

from __future__ import annotations

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import RedirectResponse

from adjudge.service.security.sessions import local_path
from adjudge.strings import LANGUAGES

router = APIRouter(include_in_schema=False)
LANGUAGE_COOKIE = "adjudge_language"
_YEAR = 365 * 24 * 3600


@router.get("/language/{language}")
def choose(language: str, back: str = "/") -> RedirectResponse:
    """Keeps the choice in a cookie, and goes back to the page."""
    answer = RedirectResponse(local_path(back), 303)
    if language in LANGUAGES:
        answer.set_cookie(LANGUAGE_COOKIE, language, max_age=_YEAR, httponly=True, samesite="lax")
    return answer


def language_of(request: Request) -> str:
    cookie = request.cookies.get(LANGUAGE_COOKIE)
    return preferred(cookie, request.headers.get("accept-language", ""))


def preferred(cookie: str | None, header: str) -> str:
    """The language chosen before, else the first that the browser accepts and we have."""
    if cookie is not None and cookie in LANGUAGES:
        return cookie
    wishes = []
    for part in header.split(","):
        tag, _, quality = part.strip().partition(";q=")
        try:
            wishes.append((-float(quality or 1), tag.partition("-")[0].casefold()))
        except ValueError:
            continue
    return next((tag for _, tag in sorted(wishes, key=lambda w: w[0]) if tag in LANGUAGES), "en")
