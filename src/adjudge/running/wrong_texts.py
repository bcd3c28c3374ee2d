"""Explanations and feedback in another language than the one asked for."""

from __future__ import annotations

from collections.abc import Iterator

from adjudge.core.judge import Judge
from adjudge.reading.found import Reading
from adjudge.reading.language import wrong_language


def wrong_texts(judge: Judge, reading: Reading) -> dict[str, str]:
    """Where a text is in another language than the one asked for, and in which."""
    if judge.explain_in == "any":
        return {}
    seen = {where: wrong_language(text, judge.explain_in) for where, text in _texts(judge, reading)}
    return {where: language for where, language in seen.items() if language}


def _texts(judge: Judge, reading: Reading) -> Iterator[tuple[str, str]]:
    for name, found in reading.scores.items():
        if found.explanation and judge.rubric.criteria[name].explain is True:
            yield f"scores.{name}", found.explanation
    for name, text in reading.feedback.items():
        yield f"feedback.{name}", text if isinstance(text, str) else "\n".join(text)
