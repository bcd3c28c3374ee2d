"""The questions that ask a model again, in the language of the judge."""

from __future__ import annotations

from collections.abc import Iterator

from adjudge.core.judge import Judge
from adjudge.core.rubric import Rule
from adjudge.core.score import Outcome

from .readings import Reading


def repair_question(judge: Judge, reading: Reading, unreported: list[Rule]) -> str | None:
    """What was wrong with the reply and what is wanted; None when nothing was.

    Refusals are not argued with, and a reply that ran into the token limit would do so again.
    """
    scores = reading.scores
    if any(score.outcome in {Outcome.REFUSED, Outcome.TRUNCATED} for score in scores.values()):
        return None
    problems = list(_problems(judge, reading, unreported))
    if not problems:
        return None
    phrases = judge.wording.phrases
    question = phrases["repair"].format(problem=" ".join(problems))
    if judge.reply == "json":
        return question
    wanted = [name for name, score in scores.items() if score.outcome is not Outcome.SCORED]
    lines = _lines(judge, wanted, unreported, headed=len(scores) > 1)
    return f"{question} {phrases['repair_lines']}\n{lines}"


def _problems(judge: Judge, reading: Reading, unreported: list[Rule]) -> Iterator[str]:
    phrases, missing = judge.wording.phrases, []
    for name, score in reading.scores.items():
        if score.outcome is Outcome.UNREADABLE:
            missing.append(name)
        elif score.outcome is Outcome.OUT_OF_RANGE:
            scale = judge.rubric.criteria[name].scale.words(phrases)
            value = "?" if score.raw is None else score.raw
            yield phrases["problem_off_scale"].format(name=name, scale=scale, given=value)
    if missing and not reading.structured and judge.reply == "json":
        yield phrases["problem_no_json"]
    elif missing:
        yield phrases["problem_missing"].format(names=", ".join(missing))
    if unreported:
        names = ", ".join(rule.flag for rule in unreported)
        yield phrases["problem_flags"].format(names=names)


def _lines(judge: Judge, wanted: list[str], unreported: list[Rule], *, headed: bool) -> str:
    """What a reply in text has to hold, in the form of the prompt; a verbatim prompt
    names the criteria itself."""
    phrases, rows = judge.wording.phrases, []
    rows += [f"{rule.flag}: <{phrases['yes_or_no']}>" for rule in unreported]
    for name in wanted:
        criterion = judge.rubric.criteria[name]
        label, scale = phrases["score_label"], criterion.scale.words(phrases)
        if headed and judge.verbatim:
            label = criterion.title
        elif headed:
            rows.append(f"### {criterion.title}")
        rows.append(f"{label}: <{scale}>")
    return "\n".join(rows)


def language_question(judge: Judge, detected: str) -> str:
    """Asks for the explanations in the right language."""
    wording = judge.wording
    seen = wording.languages.get(detected, wording.phrases["another_language"])
    wanted = wording.name_of(judge.explain_in)
    return wording.phrases["repair_language"].format(language=wanted, detected=seen)
