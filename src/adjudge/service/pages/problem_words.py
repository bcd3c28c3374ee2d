"""What went wrong, in the reader's language as far as its words are known; else in English."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from adjudge.reports.phrases import Phrases
from adjudge.reports.strings import Strings
from adjudge.service.strings import strings


@dataclass(frozen=True, slots=True)
class Line:
    """`lang` is "en" for English on a page of another language, "" for the language of the page."""

    text: str
    lang: str = ""


def problem_lines(say: Strings, message: str, kind: str = "") -> list[Line]:
    """The lines of the message. Before English that has to stay, a sentence of the page's language
    says what it is about: `kind` is the kind of a Problem, "" where that is not known."""
    if say.language == "en":
        return [Line(line) for line in message.splitlines()]
    lines = [_line(say, each) for each in message.splitlines()]
    if not any(line.lang for line in lines):
        return lines
    about = f"problem.about.{kind or 'any'}"
    return [Line(say(about if about in say else "problem.about.any")), *lines]


def _line(say: Strings, english: str) -> Line:
    words = english.strip()
    if not words:
        return Line("")
    told = _known().told(say, words)
    if told is None:
        return Line(english, "en")
    return Line(english[: len(english) - len(english.lstrip())] + told)


@cache
def _known() -> Phrases:
    return Phrases(strings("en"), "problem.said", naming="problem.said")
