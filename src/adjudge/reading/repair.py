"""The questions that ask a model again, in the language of the judge."""

from __future__ import annotations

from adjudge.core.judge import Judge
from adjudge.core.rubric import Rule
from adjudge.core.score import Outcome

from .found import Reading


def repair_question(judge: Judge, reading: Reading, unreported: list[Rule]) -> str | None:
    """What was wrong with the reply and what is wanted; None when nothing was.

    Refusals are not argued with, and a reply that ran into the token limit would do so again.
    """
    phrases, problems = judge.wording.phrases, []
    missing = []
    for name, found in reading.scores.items():
        if found.outcome in {Outcome.REFUSED, Outcome.TRUNCATED}:
            return None
        if found.outcome is Outcome.UNREADABLE:
            missing.append(name)
        elif found.outcome is Outcome.OUT_OF_RANGE:
            scale = judge.rubric.criteria[name].scale.words(phrases)
            given = "?" if found.given is None else found.given
            problems.append(
                phrases["problem_off_scale"].format(name=name, scale=scale, given=given)
            )
    if missing and not reading.structured and judge.reply == "json":
        problems.append(phrases["problem_no_json"])
    elif missing:
        problems.append(phrases["problem_missing"].format(names=", ".join(missing)))
    if unreported:
        names = ", ".join(rule.flag for rule in unreported)
        problems.append(phrases["problem_flags"].format(names=names))
    return phrases["repair"].format(problem=" ".join(problems)) if problems else None


def language_question(judge: Judge, detected: str) -> str:
    """Asks for the explanations in the right language."""
    wording = judge.wording
    seen = wording.languages.get(detected, wording.phrases["another_language"])
    wanted = wording.name_of(judge.explain_in)
    return wording.phrases["repair_language"].format(language=wanted, detected=seen)
