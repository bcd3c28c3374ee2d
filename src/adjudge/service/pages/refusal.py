"""An error as the page tells it on which it came up."""

from __future__ import annotations

from typing import NamedTuple

from starlette.requests import Request

from adjudge.errors import AdjudgeError, StoreError
from adjudge.service.api.problems import of_error
from adjudge.service.strings import strings

from .problem_words import Line, problem_lines
from .rendering import language_of


class Refusal(NamedTuple):
    status: int
    lines: list[Line]


def refusal(request: Request, error: AdjudgeError) -> Refusal:
    problem = of_error(error)
    # What is wrong with the store is nobody's business, but the log's.
    said = problem.detail if isinstance(error, StoreError) else str(error)
    say = strings(language_of(request))
    return Refusal(problem.status, problem_lines(say, said, problem.kind))
