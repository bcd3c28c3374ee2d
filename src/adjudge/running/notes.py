"""What is unusual about a verdict without touching its scores."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from adjudge.core.judge import Feedback, Judge
from adjudge.core.reason import Reason
from adjudge.core.score import SETTLED, Outcome, Score


def notes_on(
    judge: Judge,
    scores: Mapping[str, Score],
    feedback: Mapping[str, str | tuple[str, ...]],
    wrong: Mapping[str, str],
) -> tuple[Reason, ...]:
    """Empty when the verdict is as the judge asked for it."""
    return tuple(_notes(judge, scores, feedback, wrong))


def _notes(
    judge: Judge,
    scores: Mapping[str, Score],
    feedback: Mapping[str, str | tuple[str, ...]],
    wrong: Mapping[str, str],
) -> Iterator[Reason]:
    for where, seen in wrong.items():
        yield Reason("note.wrong_language", where=where, wanted=judge.explain_in, seen=seen)
    if all(score.outcome not in SETTLED for score in scores.values()):
        return
    for name, score in scores.items():
        scored = score.outcome is Outcome.SCORED
        if scored and judge.rubric.criteria[name].explain is True and not score.explanation:
            yield Reason("note.no_explanation", criterion=name)
    for section in judge.feedback.values():
        text = feedback.get(section.name)
        if not text:
            yield Reason("note.no_section", section=section.name)
        elif isinstance(text, tuple) and not _within(section, len(text)):
            yield Reason("note.entries", n=len(text), section=section.name, wanted=_wanted(section))


def _wanted(section: Feedback) -> Reason:
    if section.least is None:
        return Reason("range.at_most", n=section.most)
    if section.most is None:
        return Reason("range.at_least", n=section.least)
    return Reason("range.numbers", low=section.least, high=section.most)


def _within(section: Feedback, count: int) -> bool:
    low = section.least if section.least is not None else 0
    return low <= count and (section.most is None or count <= section.most)
