"""A template, what it is given, and the words of the reader's language → a page."""

from __future__ import annotations

import gc
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import Any, Generic, TypeVar

import jinja2
from jinja2.runtime import Context
from starlette.requests import Request
from starlette.responses import HTMLResponse

from adjudge.core.reason import Reason
from adjudge.service.state import service_of
from adjudge.strings import LANGUAGES, strings_for

from .filters import FILTERS
from .language import language_of
from .problem_words import ProblemLine, problem_lines

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
def _problem_lines(context: Context, problem: Reason | str) -> list[ProblemLine]:
    reason = Reason.of(problem) if isinstance(problem, str) else problem
    return problem_lines(context["t"], reason)


def prepare() -> None:
    """Reads all templates and words, and loads what plots and statistics are made with, which takes
    a while: the first to ask should not wait."""
    environment = _environment()
    for language in LANGUAGES:
        strings_for(language)
    for name in environment.list_templates(["j2"]):
        environment.get_template(name)
    for name in _LARGE:
        import_module(name)
    # All of it stays: looking through it for garbage would hold up requests again and again.
    gc.collect()
    gc.freeze()


def page(request: Request, template: str, status: int = 200, /, **values: Any) -> HTMLResponse:
    """The page of `templates/<template>.html.j2`; `t` in it says a string, `here` is the path."""
    language = language_of(request)
    text = (
        _environment()
        .get_template(f"{template}.html.j2")
        .render(
            t=strings_for(language),
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


T = TypeVar("T")
_DIGITS = 10  # enough to be beyond any list; Python refuses to read thousands


@dataclass(frozen=True, slots=True)
class Paged(Generic[T]):
    """`shown` is the page `number`, from 1 to `pages`; a list without entries has one page."""

    shown: Sequence[T]
    number: int
    pages: int
    total: int


def paged(request: Request, every: Sequence[T], size: int) -> Paged[T]:
    """The page that the address names; the last where it is beyond it, the first where it is no
    number: a list has shrunk, or somebody mistyped."""
    pages = max(1, -(-len(every) // size))
    number = min(max(1, _number(request.query_params.get("page", ""))), pages)
    return Paged(every[(number - 1) * size : number * size], number, pages, len(every))


def _number(text: str) -> int:
    return int(text[:_DIGITS]) if text.isascii() and text.isdigit() else 1
