"""The questions that ask a model again, in the language of the judge."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from adjudge.core.judge import Judge
from adjudge.core.rubric import Criterion, Rule
from adjudge.core.score import SETTLED, Outcome

from .parts import without_verdict
from .readings import CriterionReading, Reading


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
    wanted = {
        name: score
        for name, score in scores.items()
        if score.outcome not in SETTLED or lacks_quotations(judge, name, score)
    }
    lines = _lines(judge, wanted, unreported, headed=len(scores) > 1)
    return f"{question} {phrases['repair_lines']}\n{lines}"


def _problems(judge: Judge, reading: Reading, unreported: list[Rule]) -> Iterator[str]:
    phrases, missing = judge.wording.phrases, []
    for name, score in reading.scores.items():
        criterion = judge.rubric.criteria[name]
        if lacks_quotations(judge, name, score):
            yield _about_quotations(judge, criterion, score)
        elif score.outcome is Outcome.UNREADABLE and criterion.lists:
            severities = ", ".join(criterion.errors.severities) if criterion.errors else ""
            problem = judge.wording.rich["problem_errors" if criterion.errors else "problem_claims"]
            yield problem.format(name=name, severities=severities)
        elif score.outcome is Outcome.UNREADABLE and score.parts:
            numbers = without_verdict(score.parts)
            yield judge.wording.rich["problem_questions"].format(name=name, numbers=numbers)
        elif score.outcome is Outcome.UNREADABLE:
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


def lacks_quotations(judge: Judge, name: str, score: CriterionReading) -> bool:
    """Whether to ask for them once more: some are missing, or are not in the texts."""
    return score.unsupported and bool(judge.rubric.criteria[name].quotes)


_SHOWN = 5  # quotations that a question names


def _about_quotations(judge: Judge, criterion: Criterion, score: CriterionReading) -> str:
    rich = judge.wording.rich
    inputs = ", ".join(judge.inputs[name].title for name in criterion.quotes)
    quoted = [*score.evidence, *(part.quotation for part in score.parts if part.quotation)]
    wrong = [quotation.quote for quotation in quoted if not quotation.supported]
    if wrong:
        quotes = "; ".join(f"“{quote[:200]}”" for quote in wrong[:_SHOWN])
        return rich["problem_quotes"].format(inputs=inputs, quotes=quotes)
    least = criterion.evidence.least if criterion.evidence else 1
    return rich["problem_few_quotes"].format(name=criterion.name, inputs=inputs, least=least)


def _lines(
    judge: Judge,
    wanted: Mapping[str, CriterionReading],
    unreported: list[Rule],
    *,
    headed: bool,
) -> str:
    """What a reply in text has to hold, in the form of the prompt; a verbatim prompt
    names the criteria itself."""
    phrases, rows = judge.wording.phrases, []
    rows += [f"{rule.flag}: <{phrases['yes_or_no']}>" for rule in unreported]
    for name, score in wanted.items():
        criterion = judge.rubric.criteria[name]
        label, scale = phrases["score_label"], criterion.scale.words(phrases)
        if headed and judge.verbatim:
            label = criterion.title
        elif headed:
            rows.append(f"### {criterion.title}")
        if criterion.evidence is not None:
            rows += [f"{judge.wording.rich['quotes_label']}:", "- <…>"]
        if criterion.claims is not None:
            rows.append(f"{judge.wording.rich['claim_label']}: <…> | <…> | <…> | <…>")
        elif criterion.errors is not None:
            rows.append(f"{judge.wording.rich['error_label']}: <…> | <…> | <…>")
        elif criterion.checklist is not None:
            numbers = range(1, len(score.parts) + 1)
            rows += [f"Q{number}: <{phrases['yes_or_no']}>" for number in numbers]
        else:
            rows.append(f"{label}: <{scale}>")
    return "\n".join(rows)


def language_question(judge: Judge, detected: str) -> str:
    """Asks for the explanations in the right language."""
    wording = judge.wording
    seen = wording.languages.get(detected, wording.phrases["another_language"])
    wanted = wording.name_of(judge.explain_in)
    return wording.phrases["repair_language"].format(language=wanted, detected=seen)
