"""A template, what it is given, and the words of the reader's language → a page."""

from __future__ import annotations

import gc
from functools import cache
from importlib import import_module
from typing import Any

import jinja2
from jinja2.runtime import Context
from starlette.requests import Request
from starlette.responses import HTMLResponse

from adjudge.service.state import service_of
from adjudge.service.strings import LANGUAGES, preferred, strings

from .figures import FILTERS
from .problem_words import Line, problem_lines

LANGUAGE_COOKIE = "adjudge_language"
_LARGE = ("matplotlib.backends.backend_svg", "scipy.sparse", "scipy.stats")


@cache
def _environment() -> jinja2.Environment:
    # Escaped: a judged text must never act as markup.
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("adjudge.service"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(FILTERS, problem_lines=_problem_lines)
    return environment


@jinja2.pass_context
def _problem_lines(context: Context, message: str) -> list[Line]:
    return problem_lines(context["t"], message)


def prepare() -> None:
    """Reads all templates and words, and loads what plots and statistics are made with, which takes
    a while: the first to ask should not wait."""
    environment = _environment()
    for language in LANGUAGES:
        strings(language)
    for name in environment.list_templates(["j2"]):
        environment.get_template(name)
    for name in _LARGE:
        import_module(name)
    # All of it stays: looking through it for garbage would hold up requests again and again.
    gc.collect()
    gc.freeze()


def language_of(request: Request) -> str:
    cookie = request.cookies.get(LANGUAGE_COOKIE)
    return preferred(cookie, request.headers.get("accept-language", ""))


def page(request: Request, template: str, status: int = 200, /, **values: Any) -> HTMLResponse:
    """The page of `templates/<template>.html.j2`; `t` in it says a string, `here` is the path."""
    language = language_of(request)
    text = (
        _environment()
        .get_template(f"{template}.html.j2")
        .render(
            t=strings(language),
            language=language,
            languages=LANGUAGES,
            here=request.url.path,
            query=request.url.query,
            csrf=getattr(request.state, "csrf", ""),
            access=getattr(request.state, "access", None),
            offered=service_of(request).judges.judges,
            **values,
        )
    )
    return HTMLResponse(text.replace("\0", "\u2400"), status)  # no page may hold a NUL
