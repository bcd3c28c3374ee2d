"""An error as the page tells it on which it came up."""

from __future__ import annotations

from typing import NamedTuple

from starlette.requests import Request

from adjudge.errors import AdjudgeError
from adjudge.service.api.problems import of_error
from adjudge.strings import strings_for

from .language import language_of
from .problem_words import FormFields, ProblemLine, problem_lines


class Refusal(NamedTuple):
    status: int
    lines: list[ProblemLine]


def refusal(request: Request, error: AdjudgeError, *, in_form: bool = False) -> Refusal:
    """`in_form`: options go by the titles of the fields of the form for a new run."""
    problem = of_error(error)
    say = strings_for(language_of(request))
    fields = FormFields(say) if in_form else None
    lines = problem_lines(say, problem.reason, problem.kind, fields)
    return Refusal(problem.status, lines + (fields.left_out() if fields else []))
