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
from adjudge.models.registry import profile_of
from adjudge.reports.renderers.page import macros
from adjudge.reports.words import Words
from adjudge.service.caches import AGAIN
from adjudge.service.state import service_of
from adjudge.strings import LANGUAGES, OptionNames, Strings, strings_for

from .filters import FILTERS

_USUAL = "openai/any"  # what it loads, the providers of most runs share
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
        auto_reload=False,
    )
    environment.filters.update(FILTERS, problem_lines=_problem_lines)
    return environment


@jinja2.pass_context
def _problem_lines(context: Context, problem: Reason | str) -> list[ProblemLine]:
    reason = Reason.of(problem) if isinstance(problem, str) else problem
    return problem_lines(context["t"], reason)


def prepare() -> None:
    """Reads all templates and words, so that nobody who asks for a page waits for them."""
    environment = _environment()
    for language in LANGUAGES:
        strings_for(language)
    for name in environment.list_templates(["j2"]):
        environment.get_template(name)
    macros()
    profile_of(_USUAL)


def load_large() -> None:
    """What plots and statistics are made with; loading it takes about a second."""
    for name in _LARGE:
        import_module(name)
    # All of it stays: looking through it for garbage would hold up requests again and again.
    gc.collect()
    gc.freeze()


def page(
    request: Request, template: str, status: int = 200, /, refresh: bool = False, **values: Any
) -> HTMLResponse:
    """The page of `templates/<template>.html.j2`; `t` in it says a string, `here` is the path. The
    browser asks again for one that is to `refresh`: figures of it are still worked out."""
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
            wordings=service_of(request).judges.wordings,
            **values,
        )
    )
    headers = {"Refresh": str(AGAIN)} if refresh else {}
    # No page may hold a NUL or half a character: what people write has both.
    sent = text.replace("\0", "\u2400").encode(errors="replace")
    return HTMLResponse(sent, status, headers)


T = TypeVar("T")
_DIGITS = 9  # enough to be beyond any list; Python refuses to read thousands


def whole_number(text: str) -> int | None:
    """What an address or a form says; None where that is no number, or one beyond any list."""
    plain = text.strip()
    fits = plain.isascii() and plain.isdigit() and len(plain) <= _DIGITS
    return int(plain) if fits else None


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
    number = min(whole_number(request.query_params.get("page", "")[:_DIGITS]) or 1, pages)
    return Paged(every[(number - 1) * size : number * size], number, pages, len(every))


LANGUAGE_COOKIE = "adjudge_language"


def language_of(request: Request) -> str:
    cookie = request.cookies.get(LANGUAGE_COOKIE)
    return preferred_language(cookie, request.headers.get("accept-language", ""))


def strings_of(request: Request) -> Strings:
    """The words of the reader's language."""
    return strings_for(language_of(request))


def words_of(request: Request) -> Words:
    """How findings speak to the reader."""
    return Words(strings_of(request), narrow="narrow" in request.query_params)


def preferred_language(cookie: str | None, header: str) -> str:
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


# Option → the title of its field in the form for a new run.
_FIELDS = {
    "map": "new_run.columns_of",
    "skip-bad-rows": "new_run.skip_bad_rows",
    "keep-texts": "new_run.no_texts",
    "limit": "new_run.limit",
    "repeat": "new_run.repeat",
    "explain-in": "new_run.explain_in",
    "budget": "new_run.budget",
}


@dataclass(frozen=True, slots=True)
class ProblemLine:
    """`lang` is "en" for English on a page of another language, "" for the language of the page."""

    text: str
    lang: str = ""


def problem_lines(
    say: Strings, problem: Reason, kind: str = "", options: OptionNames | None = None
) -> list[ProblemLine]:
    """The lines of the problem. Before English that has to stay, a sentence of the page's language
    says what it is about: `kind` is the kind of an HttpProblem, "" where that is not known."""
    lines = say.reason(problem, options).splitlines()
    if say.language == "en" or not _is_text(problem):
        return [ProblemLine(line) for line in lines]
    about = f"problem.about.{kind or 'any'}"
    lead = ProblemLine(say(about if about in say else "problem.about.any"))
    return [lead, *(ProblemLine(line, "en" if line.strip() else "") for line in lines)]


def _is_text(problem: Reason) -> bool:
    """Whether it is known as a mere text, in whatever place."""
    while problem.code.startswith("place.") and isinstance(why := problem.fields["why"], Reason):
        problem = why
    return not problem.code


class FormFields(OptionNames):
    """Options by the titles of their fields in the form for a new run; `absent` has those that the
    form does not have."""

    def __init__(self, say: Strings) -> None:
        self._say = say
        self.absent: dict[str, None] = {}

    def __getitem__(self, name: str) -> str:
        if name in _FIELDS:
            return f"“{self._say(_FIELDS[name])}”"
        self.absent[f"--{name}"] = None
        return f"--{name}"

    def value(self, name: str, value: object) -> object:
        """A field of its own takes the column of an input: there is nothing to be written."""
        field, is_column, _ = str(value).partition("=COLUMN")
        return f"› {field}" if name == "map" and is_column else value

    def left_out(self) -> list[ProblemLine]:
        """That the form does not have them, if there are any."""
        if not self.absent:
            return []
        return [ProblemLine(self._say("new_run.not_here", flags=", ".join(self.absent)))]
