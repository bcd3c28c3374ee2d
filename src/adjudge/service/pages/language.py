"""Choosing the language of the pages."""

from __future__ import annotations

from fastapi import APIRouter
from starlette.responses import RedirectResponse

from adjudge.service.strings import LANGUAGES

from .rendering import LANGUAGE_COOKIE

router = APIRouter(include_in_schema=False)
_YEAR = 365 * 24 * 3600


@router.get("/language/{language}")
def choose(language: str, back: str = "/") -> RedirectResponse:
    """Keeps the choice in a cookie, and goes back to the page."""
    # A path of this site alone: `//host` and `/\host` lead elsewhere.
    here = back.startswith("/") and not back.startswith(("//", "/\\"))
    answer = RedirectResponse(back if here else "/", 303)
    if language in LANGUAGES:
        answer.set_cookie(LANGUAGE_COOKIE, language, max_age=_YEAR, httponly=True, samesite="lax")
    return answer
