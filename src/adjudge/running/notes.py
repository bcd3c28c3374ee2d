"""What is odd about a verdict without touching its scores."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from adjudge.core.judge import Feedback, Judge
from adjudge.core.score import Outcome, Score


def notes_on(
    judge: Judge,
    scores: Mapping[str, Score],
    feedback: Mapping[str, str | tuple[str, ...]],
    wrong: Mapping[str, str],
) -> tuple[str, ...]:
    """One sentence each; empty when the verdict is as the judge asked for it."""
    return tuple(_notes(judge, scores, feedback, wrong))


def _notes(
    judge: Judge,
    scores: Mapping[str, Score],
    feedback: Mapping[str, str | tuple[str, ...]],
    wrong: Mapping[str, str],
) -> Iterator[str]:
    for where, seen in wrong.items():
        wanted = judge.explain_in
        yield f"{Outcome.WRONG_LANGUAGE}: {where} should be in {wanted} but reads as {seen}"
    if all(score.outcome is not Outcome.SCORED for score in scores.values()):
        return
    for name, score in scores.items():
        scored = score.outcome is Outcome.SCORED
        if scored and judge.rubric.criteria[name].explain is True and not score.explanation:
            yield f"no explanation for {name}"
    for section in judge.feedback.values():
        given = feedback.get(section.name)
        if not given:
            yield f"no {section.name} in the reply"
        elif isinstance(given, tuple) and not _within(section, len(given)):
            yield f"{len(given)} {section.name} instead of {_wanted(section)}"


def _wanted(section: Feedback) -> str:
    if section.least is None or section.most is None:
        return f"at most {section.most}" if section.least is None else f"at least {section.least}"
    return f"{section.least} to {section.most}"


def _within(section: Feedback, count: int) -> bool:
    low = section.least if section.least is not None else 0
    return low <= count and (section.most is None or count <= section.most)
