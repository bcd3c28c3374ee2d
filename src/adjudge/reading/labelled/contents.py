"""What the labelled parts of a reply say: scores, explanations, flags and feedback."""

from __future__ import annotations

import re

from adjudge.core.judge import Judge
from adjudge.core.reason import Reason
from adjudge.core.rubric import Criterion
from adjudge.core.scale import Category, NotAValue, Scale, as_truth
from adjudge.core.score import Quotation

from ..parts import read_checklist_answers, read_listed
from ..readings import (
    CriterionReading,
    ScorePlace,
    Span,
    is_not_applicable,
    split_entries,
    without_fillers,
)
from ..values import holds_value, parse_value
from ..vocabulary import OTHER_LABELS, names_of, normal
from .brackets import bracketed
from .parts import LONGEST_ANSWER, LabelledPart, LabelledParts, PartKind

# In a line as long as a sentence only a number near the label can be meant for a value.
_SENTENCE, _NEAR = 60, 25


def labelled_score(
    parts: LabelledParts, scale: Scale, name: str, *, may_not_apply: bool = False
) -> ScorePlace | None:
    """What stands in the criterion's last score line, and which line that is.

    A line under the criterion's own name counts when a value stands in it ("Tone: 7"), or that
    there is none to give ("Tone: N/A"), and is a heading or an explanation otherwise ("Tone: rather
    cold").
    """
    seen: dict[str, ScorePlace | None] = {}
    doubtful: ScorePlace | None = None
    candidates = parts.of(name, "score", "criterion")
    if isinstance(scale, Category) and (form := _sent_back(scale, candidates)):
        return form
    for part in reversed(candidates):
        first = part.text.split("\n", 1)[0]
        if first not in seen:
            seen[first] = _value_in(scale, part, first)
        held = seen[first]
        if held is not None:
            return _value_in(scale, part, first)
        if may_not_apply and first and is_not_applicable(first):
            return _labelled_line(part, first, first)
        if part.kind == "criterion" or not first:
            continue
        line = _labelled_line(part, first, first[:30])
        near = first[:_NEAR] if len(first) > _SENTENCE else first
        if any(sign.isdigit() for sign in near):
            return line  # what could be a number casts doubt on every earlier value
        doubtful = line  # a heading or prose
    return doubtful


# "Tone: friendly throughout. 8/10": the reason, then the value out of its scale
_BEHIND = re.compile(
    r"[.!?。;,–—-]\s{1,3}[(*_]{0,3}(?P<value>\d{1,4}(?:[.,]\d)?\s?/\s?\d{1,4})[)*_]{0,3}\.?$"
)
# A label that the judge does not know, below one that it does: "Rating:\nGroundedness: 0"
_UNKNOWN = re.compile(
    r"(?:[-*•]\s)?[*_]{0,2}(?P<label>[^\W\d][^:：\n]{0,40}?)[*_]{0,2}\s?[:：]\s?(?=\S)"
)


_GAP = 24  # characters between two lines, or an "or" between them


def _sent_back(scale: Scale, parts: list[LabelledPart]) -> ScorePlace | None:
    """Several verdicts with the same label right behind each other, as a form lists them: none."""
    lines = [(part, part.text.split("\n", 1)[0]) for part in parts]
    first = len(lines) - 1
    while first > 0 and _are_neighbours(*lines[first - 1], parts[first]):
        first -= 1
    verdicts = {line for part, line in lines[first:] if _value_in(scale, part, line)}
    if len(verdicts) < 2:
        return None
    several = sorted(verdicts)
    return ScorePlace(several, Reason("at.line", text=" / ".join(several)[:40]))


def _are_neighbours(part: LabelledPart, line: str, following: LabelledPart) -> bool:
    gap = following.label - part.start - len(line)
    return part.kind == following.kind and gap <= _GAP


def _value_in(scale: Scale, part: LabelledPart, first: str) -> ScorePlace | None:
    """The value that the part's first line holds."""
    inside = bracketed(first) if "[[" in first else None
    if inside and inside.span and holds_value(scale, str(inside.raw)):
        return _place_in(part, inside.span, inside.raw, inside.where)
    if holds_value(scale, first):
        return _labelled_line(part, first, first[:30])
    behind = _BEHIND.search(first) if part.kind == "criterion" else None
    if behind and holds_value(scale, behind["value"]):
        value = behind["value"]
        where = Reason("at.label", label=part.name, text=f"… {value}")
        return _place_in(part, behind.span("value"), value, where)
    unknown = _UNKNOWN.match(first)
    if part.kind == "score" and unknown and _alone_below(part.text, unknown["label"]):
        rest = first[unknown.end() :]
        if holds_value(scale, rest):
            where = Reason("at.line", text=first[:40])
            return _place_in(part, (unknown.end(), len(first)), rest, where)
    return None


def _labelled_line(part: LabelledPart, first: str, shown: str) -> ScorePlace:
    """The place of a first line as a whole, which a reader is told of as `shown`."""
    label = "Score" if part.kind == "score" else part.name
    return _place_in(part, (0, len(first)), first, Reason("at.label", label=label, text=shown))


def _place_in(part: LabelledPart, inside: Span, raw: object, where: Reason) -> ScorePlace:
    """A value's place, from where it stands in the text of its part."""
    span = (part.start + inside[0], part.start + inside[1])
    return ScorePlace(raw, where, span, part.label, form="label")


def _alone_below(text: str, label: str) -> bool:
    """Whether no other label follows, whose value could as well be the one."""
    below = text.split("\n", 2)[1:]
    return normal(label) not in OTHER_LABELS and not any(_UNKNOWN.match(line) for line in below)


# What some prompts let a reply end with, behind the reason: "[RESULT] 4"
_RESULT = re.compile(r"\s*+\[RESULT\][\s:]{0,3}[\[(]{0,2}[^\s\[\]()]{1,20}[\])]{0,2}\.?\s*+\Z")
# "7 - friendly and calm", "yes, since it greets": the value, then the reason
_VALUE = re.compile(r"^\W{0,9}(?:\d[\d.,/]*+\W{0,9}|[^\n,.;:(–—-]{1,60}(?:[\n,.;:(–—-]\W{0,9}|\Z))")


def labelled_explanation(parts: LabelledParts, scale: Scale, name: str) -> str | None:
    """The criterion's explanation, or what is written below or behind its score line."""
    for part in reversed(parts.of(name, "explanation")):
        reason = _RESULT.sub("", part.shown).strip()
        if reason and not (len(reason) <= LONGEST_ANSWER and holds_value(scale, reason)):
            return reason
    seen: set[str] = set()
    for own in parts.of(name, "criterion"):
        text = own.shown
        if text in seen:
            continue
        seen.add(text)
        try:
            parse_value(scale, own.text.split("\n", 1)[0])
        except NotAValue:
            if text:
                return text
        else:
            behind = _VALUE.sub("", text, count=1).strip()
            if len(behind) > 2:
                return behind
    return None


def labelled_flags(parts: LabelledParts) -> dict[str, bool]:
    flags: dict[str, bool] = {}
    for part in parts.parts:
        if part.kind == "flag":
            bare = part.text[:80].strip("*_` ")
            truth = as_truth(re.split(r"[\s.,;(–—-]", bare, maxsplit=1)[0])
            if truth is not None:
                flags[part.name] = truth
    return flags


def labelled_parts(parts: LabelledParts, criterion: Criterion) -> CriterionReading:
    """The score that the answered questions, or the lines with claims or errors, come to."""
    explanation = labelled_explanation(parts, criterion.scale, criterion.name)
    if criterion.lists:
        kind: PartKind = "claim" if criterion.claims is not None else "error"
        lines = [part.shown.split("\n", 1)[0] for part in parts.of(criterion.name, kind)]
        return read_listed(criterion, lines or None, explanation)
    answers: dict[int, object] = {}
    for part in parts.of(criterion.name, "answer"):
        answers[part.number] = part.text.split("\n", 1)[0]
    return read_checklist_answers(criterion, answers, explanation)


def labelled_quotes(parts: LabelledParts, name: str) -> tuple[Quotation, ...]:
    """The quotations below the last label for them, one per line."""
    own = parts.of(name, "quotes")
    return tuple(Quotation(text) for text in split_entries(own[-1].shown)) if own else ()


def labelled_feedback(parts: LabelledParts, judge: Judge) -> dict[str, str | tuple[str, ...]]:
    out: dict[str, str | tuple[str, ...]] = {}
    for section in judge.feedback.values():
        own = parts.of(section.name, "feedback")
        if own and own[-1].shown:
            text, names = own[-1].shown, names_of(section.name, section.title)
            content = without_fillers(split_entries(text), names) if section.list else text
            if content:
                out[section.name] = content
    return out
