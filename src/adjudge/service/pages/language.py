"""Choosing the language of the pages."""

from __future__ import annotations

from fastapi import APIRouter
from starlette.responses import RedirectResponse

from adjudge.service.security.local_path import local_path
from adjudge.service.strings import LANGUAGES

from .rendering import LANGUAGE_COOKIE

router = APIRouter(include_in_schema=False)
_YEAR = 365 * 24 * 3600


@router.get("/language/{language}")
def choose(language: str, back: str = "/") -> RedirectResponse:
    """Keeps the choice in a cookie, and goes back to the page."""
    answer = RedirectResponse(local_path(back), 303)
    if language in LANGUAGES:
        answer.set_cookie(LANGUAGE_COOKIE, language, max_age=_YEAR, httponly=True, samesite="lax")
    return answer
