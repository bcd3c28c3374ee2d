"""Scores that code makes of parts: answers to a checklist, claims, and errors that are marked.

A checklist's score is the points of all questions that are answered with yes: their sum, or that
over the sum of all points above 0. Points below 0 count where their question is answered with yes,
so that a share can lie below 0 (as HealthBench has it). Questions that do not apply are left out on
both sides. The score of claims is a share of their number, that of errors 0 less what they cost.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from adjudge.core.checklist import Checklist, points_range
from adjudge.core.reason import Reason
from adjudge.core.rubric import CLAIM_VERDICTS, Criterion, ErrorSpans
from adjudge.core.scale import as_truth, folded
from adjudge.core.score import Outcome, Quotation, ScorePart

from .evidence import locate
from .readings import CriterionReading, Reading, is_not_applicable, unreadable

_SUPPORTED = frozenset({"supported", "support", "supports", "entailed", "yes"})
_CONTRADICTED = frozenset({"contradicted", "contradicts", "contradiction", "refuted", "no"})
_MOST_CLAIMS = 500
# The keys of what an entry holds, in the order in which a line has it.
_OF_A_CLAIM = (
    "claim, text, statement, 주장, khẳng định",
    "verdict, label, 판정, kết luận",
    "quote, quotation, evidence, 인용, trích dẫn",
    "source, source_number, 출처, nguồn",
)
_OF_AN_ERROR = (
    "span, quote, text, passage, error, 구절, đoạn",
    "category, type, kind, 유형, loại",
    "severity, level, 심각도, mức độ",
)
_NO_ERROR = frozenset({"none", "no errors", "no error", "n/a", "없음", "오류 없음", "không có",
                       "không có lỗi"})  # fmt: skip


def read_checklist_answers(
    criterion: Criterion, answers: Mapping[int, object], explanation: str | None
) -> CriterionReading:
    """The score of a checklist from what stands under each number, counted from 1."""
    checklist = criterion.checklist
    assert checklist is not None  # noqa: S101 - asked for only of those that have one
    if not checklist.questions:
        why = Reason("checklist.none_here", criterion=criterion.name)
        return CriterionReading(outcome=Outcome.NOT_APPLICABLE, why=why, explanation=explanation)
    parts = tuple(
        ScorePart(
            text=question.text,
            verdict=_answer(criterion, answers.get(number, "")),
            points=question.points,
            required=question.required,
        )
        for number, question in enumerate(checklist.questions, 1)
    )
    if missing := without_verdict(parts):
        why = Reason("checklist.unanswered", criterion=criterion.name, numbers=missing)
        return replace(unreadable(why, explanation), parts=parts)
    return _of_answers(checklist, parts, explanation)


def without_verdict(parts: Sequence[ScorePart]) -> str:
    """The numbers of those without a verdict."""
    return ", ".join(str(number) for number, part in enumerate(parts, 1) if not part.verdict)


def _scored(
    value: float, parts: tuple[ScorePart, ...], explanation: str | None
) -> CriterionReading:
    value = round(value, 10)
    return CriterionReading(
        outcome=Outcome.SCORED, value=value, raw=value, explanation=explanation, parts=parts
    )


def _answer(criterion: Criterion, raw: object) -> str:
    if isinstance(raw, Mapping):  # {"answer": true, "why": …}
        raw = next((value for value in raw.values() if as_truth(value) is not None), "")
    if criterion.may_not_apply and is_not_applicable(raw):
        return "n/a"
    truth = as_truth(raw)
    if truth is None and isinstance(raw, str):  # "yes, in the second sentence"
        truth = as_truth(re.split(r"[\s.,;:(–—-]", raw.strip("*_` "), maxsplit=1)[0])
    return "" if truth is None else "yes" if truth else "no"


def _of_answers(
    checklist: Checklist, parts: tuple[ScorePart, ...], explanation: str | None
) -> CriterionReading:
    counted = [part for part in parts if part.verdict != "n/a"]
    asked = [
        question
        for question, part in zip(checklist.questions, parts, strict=True)
        if part.verdict != "n/a"
    ]
    achieved = sum(part.points or 0.0 for part in counted if part.verdict == "yes")
    possible = points_range(asked)[1]
    if not counted or (checklist.score == "share" and not possible):
        return CriterionReading(
            outcome=Outcome.NOT_APPLICABLE, explanation=explanation, parts=parts
        )
    value = achieved if checklist.score == "sum" else achieved / possible
    if checklist.clip:
        value = min(max(value, 0.0), 1.0) if checklist.score == "share" else max(value, 0.0)
    return _scored(value, parts, explanation)


def read_listed(
    criterion: Criterion, entries: Sequence[object] | None, explanation: str | None
) -> CriterionReading:
    """The score of a list of claims or of errors; quotations are looked for later."""
    if criterion.errors is not None:
        return _of_errors(criterion, criterion.errors, entries, explanation)
    claims = criterion.claims
    assert claims is not None  # noqa: S101 - asked for only of those that have them
    parts = tuple(_claim(entry) for entry in (entries or ())[:_MOST_CLAIMS])
    if not parts and entries is not None and criterion.may_not_apply:
        return CriterionReading(outcome=Outcome.NOT_APPLICABLE, explanation=explanation)
    if not parts:
        return unreadable(Reason("claims.none", criterion=criterion.name), explanation)
    if unclear := without_verdict(parts):
        why = Reason("claims.unclear", criterion=criterion.name, numbers=unclear)
        return replace(unreadable(why, explanation), parts=parts)
    credited = {"supported"} if claims.credit == "supported" else {"supported", "not_mentioned"}
    value = sum(part.verdict in credited for part in parts) / len(parts)
    return _scored(value, parts, explanation)


def _of_errors(
    criterion: Criterion,
    asked: ErrorSpans,
    entries: Sequence[object] | None,
    explanation: str | None,
) -> CriterionReading:
    if entries is None:
        return unreadable(Reason("errors.none", criterion=criterion.name), explanation)
    parts = tuple(_error(asked, entry) for entry in entries[:_MOST_CLAIMS] if not _says_none(entry))
    if unclear := without_verdict(parts):
        why = Reason("errors.unclear", criterion=criterion.name, numbers=unclear)
        return replace(unreadable(why, explanation), parts=parts)
    return _scored(sum(part.points or 0.0 for part in parts), parts, explanation)


def _says_none(entry: object) -> bool:
    return isinstance(entry, str) and folded(entry.strip(" .*_`-–<>()")) in _NO_ERROR


def _error(asked: ErrorSpans, entry: object) -> ScorePart:
    if isinstance(entry, Mapping):
        span, category, severity = _cells(entry, _OF_AN_ERROR)
    else:
        cells = [cell.strip() for cell in str(entry).split("|")]
        span, category, severity = cells if len(cells) == 3 else (str(entry), "", "")
    known = {folded(name): name for name in asked.severities}
    verdict = known.get(folded(_bare(severity or "")), "")
    quote = str(span or "").strip()
    return ScorePart(
        text=quote,
        verdict=verdict,
        points=-asked.severities[verdict] if verdict else None,
        quotation=_quotation(quote),
        category=_bare(category or "") or "other",
    )


def _claim(entry: object) -> ScorePart:
    """`the claim | supported | the passage | 2`; with more bars it is not clear which is which."""
    if isinstance(entry, Mapping):
        cells = _cells(entry, _OF_A_CLAIM)
    else:
        cells = [cell.strip() for cell in entry.split("|")] if isinstance(entry, str) else []
        if not 2 <= len(cells) <= 4:
            return ScorePart(text=str(entry).strip(), verdict="")
    text, verdict, quote, source = [*cells, "", ""][:4]
    number = re.search(r"\d{1,6}", str(source))
    said = claim_verdict(verdict)
    # Of what is not mentioned there is nothing to quote.
    quote = str(quote or "").strip()
    quoted = said != "not_mentioned" and not is_not_applicable(quote)
    return ScorePart(
        text=str(text or "").strip(),
        verdict=said,
        source=int(number[0]) or None if number else None,
        quotation=_quotation(quote) if quoted else None,
    )


def _cells(entry: Mapping[Any, Any], columns: Sequence[str]) -> list[Any]:
    """What stands under the first known key of each, "" under none."""
    named = {folded(str(key)): value for key, value in entry.items()}
    return [
        next((named[key] for key in keys.split(", ") if named.get(key) is not None), "")
        for keys in columns
    ]


def _bare(word: object) -> str:
    return str(word).strip(" .*_`\"'<>[]")


def _quotation(quote: str) -> Quotation | None:
    return Quotation(quote) if quote.strip("\"'<> ") else None


def claim_verdict(raw: object) -> str:
    """One of `CLAIM_VERDICTS`, "" for what is none of them."""
    word = re.sub(r"[\s_-]+", " ", folded(_bare(raw)))
    if word in _SUPPORTED:
        return CLAIM_VERDICTS[0]
    if word in _CONTRADICTED:
        return CLAIM_VERDICTS[1]
    return CLAIM_VERDICTS[2] if word in {"not mentioned", "neutral", "unsupported"} else ""


def with_quotations(
    criteria: Mapping[str, Criterion], reading: Reading, texts: Mapping[str, str]
) -> Reading:
    """The reading with each quotation's place in the texts.

    A score whose required quotations are missing is unreadable.
    """
    scores = dict(reading.scores)
    for name, score in reading.scores.items():
        criterion = criteria[name]
        if not criterion.quotes:
            continue
        sources = {source: texts.get(source, "") for source in criterion.quotes}
        if criterion.lists:
            parts = tuple(_placed(part, sources) for part in score.parts)
            score = replace(score, parts=parts)  # noqa: PLW2901 - the same score, with places
        else:
            quotations = tuple(locate(quotation.quote, sources) for quotation in score.evidence)
            score = replace(score, evidence=quotations)  # noqa: PLW2901
        scores[name] = _or_unsupported(criterion, score)
    return replace(reading, scores=scores)


def _placed(part: ScorePart, texts: Mapping[str, str]) -> ScorePart:
    if part.quotation is None:
        return part
    return replace(part, quotation=locate(part.quotation.quote, texts, part.source))


def lacks_evidence(criterion: Criterion, score: CriterionReading) -> bool:
    """Whether quotations are missing, or one is not in the texts."""
    if score.outcome is not Outcome.SCORED:
        return False
    if criterion.lists:
        shown = [part for part in score.parts if part.verdict != "not_mentioned"]
        return not all(part.quotation and part.quotation.supported for part in shown)
    evidence = criterion.evidence
    if evidence is None:
        return False
    supported = sum(quotation.supported for quotation in score.evidence)
    return supported < max(evidence.least, len(score.evidence))


def _or_unsupported(criterion: Criterion, score: CriterionReading) -> CriterionReading:
    if not lacks_evidence(criterion, score):
        return score
    asked = criterion.claims or criterion.errors or criterion.evidence
    if not (asked and asked.required):
        return replace(score, unsupported=True)
    lost = unreadable(Reason("evidence.missing", criterion=criterion.name), score.explanation)
    return replace(
        lost, raw=score.raw, parts=score.parts, evidence=score.evidence, unsupported=True
    )
