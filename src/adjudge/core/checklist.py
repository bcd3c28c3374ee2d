"""Lists of questions that are answered with yes or no, also those that come with an item.

Data has such lists in several forms: plain texts, a text with a bullet per line, objects with
points (HealthBench), objects with a nested text (Google's per-case rubrics).
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from .reason import Reason, ReasonError

MOST_QUESTIONS = 200
# Where the text of an entry stands, and what it is worth; the first that is there counts.
_TEXTS = ("criterion", "question", "text", "requirement", "rubric", "description", "title", "name")
_NESTED = ("rubric_content", "content", "property", "text_property")
_POINTS = ("points", "point", "weight", "score", "value")
_REQUIRED = ("required", "mandatory", "must", "essential", "critical")
_BULLET = re.compile(r"^\s{0,20}(?:[-*•·]|\[[ xX]?\]|\d{1,3}[.)])\s{1,10}")


@dataclass(frozen=True, slots=True, kw_only=True)
class ChecklistQuestion:
    """What is asked, what a yes is worth, and whether a no makes the whole list worth nothing.

    Points below 0 are for what an answer should not do.
    """

    text: str
    points: float = 1.0
    required: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Checklist:
    """Questions that one call asks together.

    `column` is the input that brings them with each item. The score is the points of all that is
    answered with yes: as a `share` of the points that can be had, or as their `sum`. A share lies
    below 0 where points below 0 prevail, unless it is to be `clip`ped.
    """

    questions: tuple[ChecklistQuestion, ...] = ()
    column: str | None = None
    score: Literal["share", "sum"] = "share"
    clip: bool = False


class NoChecklist(ReasonError):  # noqa: N818 - says what a text is not; shown with its row
    """The text holds no list of questions."""


def read_checklist(text: str) -> tuple[ChecklistQuestion, ...]:
    """The questions of a cell; NoChecklist where there are none, or one that cannot be used."""
    questions = tuple(_questions(text))
    if not questions:
        raise NoChecklist(Reason("checklist.empty"))
    if len(questions) > MOST_QUESTIONS:
        raise NoChecklist(Reason("checklist.long", count=len(questions), most=MOST_QUESTIONS))
    if not any(question.points > 0 for question in questions):
        raise NoChecklist(Reason("checklist.no_points"))
    return questions


def _questions(text: str) -> Iterator[ChecklistQuestion]:
    entries: Any = None
    if text.lstrip()[:1] in {"[", "{"}:
        try:
            entries = json.loads(text)
        except (ValueError, RecursionError):
            entries = None
    if isinstance(entries, Mapping):
        lists = [value for value in entries.values() if isinstance(value, list)]
        entries = lists[0] if len(lists) == 1 else [entries]
    if not isinstance(entries, list):
        rows = (_BULLET.sub("", row) for row in text.splitlines())
        entries = [row for row in rows if row.strip()]
    for number, entry in enumerate(entries, 1):
        yield _question(entry, number)


def _question(entry: object, number: int) -> ChecklistQuestion:
    if isinstance(entry, str) and entry.strip():
        return ChecklistQuestion(text=one_line(entry))
    if not isinstance(entry, Mapping):
        raise NoChecklist(Reason("checklist.no_text", number=number))
    text = _text(entry)
    if not text:
        raise NoChecklist(Reason("checklist.no_text", number=number))
    points = next((entry[key] for key in _POINTS if entry.get(key) is not None), 1.0)
    is_number = isinstance(points, int | float) and not isinstance(points, bool)
    if not is_number or not math.isfinite(points) or not points:
        raise NoChecklist(Reason("checklist.points", number=number, points=str(points)))
    required = any(entry.get(key) is True for key in _REQUIRED)
    return ChecklistQuestion(text=one_line(text), points=float(points), required=required)


def _text(entry: Mapping[str, object]) -> str:
    """The text of an entry, at the top or inside the objects that Google's rubrics have."""
    for key in (*_TEXTS, *_NESTED):
        value = entry.get(key)
        if isinstance(value, str) and value.strip():
            return value
        if isinstance(value, Mapping) and (inner := _text(value)):
            return inner
    return ""


def one_line(text: str) -> str:
    """Without line breaks, which would make two questions of one."""
    return " ".join(text.split())


def points_range(questions: Sequence[ChecklistQuestion]) -> tuple[float, float]:
    """The fewest and the most points that answers can bring."""
    points = [question.points for question in questions]
    return sum(p for p in points if p < 0), sum(p for p in points if p > 0)
