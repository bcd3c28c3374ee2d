"""Reply → Reading: the way from a model's text to values, flags and feedback."""

from __future__ import annotations

import re
from dataclasses import replace

from adjudge.core.judge import Judge
from adjudge.core.reply import Reply
from adjudge.core.rubric import Criterion
from adjudge.core.scale import Category, NotAValue, OffScale, folded
from adjudge.core.score import Outcome

from . import json_reply, text_reply
from .found import Found, Reading
from .place import Place
from .reasoning import without_reasoning
from .refusal import is_refusal
from .stated import relabelled, stated_in
from .written import holds_value, leading_number, value_of


def read(judge: Judge, criteria: tuple[str, ...], reply: Reply) -> Reading:
    """What the reply says about the criteria that were asked. Never raises on any text.

    JSON is looked for first, then labelled lines, whatever the judge asked for: models do not
    always keep to the form, and a score in its named place is a score in either.
    """
    if reply.finish == "refused":
        return _nothing(criteria, Outcome.REFUSED, reply.refusal or "the provider refused")
    text = without_reasoning(reply.text)
    cut_off = reply.finish == "length"
    if not text.strip():
        why = "the reply was cut off before an answer" if cut_off else "the reply is empty"
        return _nothing(criteria, Outcome.TRUNCATED if cut_off else Outcome.UNREADABLE, why)
    # What a cut-off reply ends with may be half a number, so nothing is mended there.
    obj = json_reply.find_object(text, repair=not cut_off)
    reading = _from_json(judge, criteria, obj, text) if obj else None
    if reading is None or not any(f.value is not None for f in reading.scores.values()):
        from_text = _from_text(judge, criteria, text, cut_off=cut_off)
        if reading is None or from_text.complete:
            reading = from_text
    return reading if reading.complete else _name_the_reason(reading, text, cut_off=cut_off)


def _nothing(criteria: tuple[str, ...], outcome: Outcome, why: str) -> Reading:
    found = Found(outcome=outcome, why=why)
    return Reading(scores=dict.fromkeys(criteria, found), structured=False)


def _from_json(
    judge: Judge, criteria: tuple[str, ...], obj: json_reply.Object, text: str
) -> Reading:
    alone = len(criteria) == 1
    feedback = json_reply.feedback_of(obj, judge)
    scores = {}
    named = text_reply.names_of_criteria(judge, criteria)
    for position, (name, names) in enumerate(named.items()):
        criterion = judge.rubric.criteria[name]
        explanation = json_reply.explanation_of(obj, criterion, names, position, len(criteria))
        found = json_reply.score_of(obj, criterion, names, alone=alone)
        place = None
        if found:
            raw, path = found
            span = json_reply.span_of(text, path, raw)
            place = Place(raw, f"JSON key {'.'.join(path)}", span)
        scores[name] = _found(criterion, place, explanation, feedback)
    flags = [rule.flag for rule in judge.rubric.flags_of(criteria)]
    return Reading(scores=scores, flags=json_reply.flags_of(obj, flags), feedback=feedback)


def _from_text(judge: Judge, criteria: tuple[str, ...], text: str, *, cut_off: bool) -> Reading:
    parts = text_reply.find_parts(_without_code(text), judge, criteria)
    feedback = text_reply.feedback_in(parts, judge)
    scores = {}
    for name in criteria:
        criterion = judge.rubric.criteria[name]
        place = text_reply.score_in(parts, judge, name)
        if cut_off and place and place.span and not text[place.span[1] :].strip():
            place = None  # the last that came before the cut may be half a number
        labelled = place is not None and holds_value(criterion.scale, place.raw)
        if labelled and place and place.span and len(criteria) == 1:
            place = relabelled(criterion.scale, text, place.span[1]) or place
        if not labelled and len(criteria) == 1 and not cut_off:
            other = _unlabelled(criterion, text, by_sentence=judge.reply == "text")
            place = other if place is None or (other and _yields(place, other)) else place
        explanation = text_reply.explanation_in(parts, judge, name)
        if explanation is None and len(criteria) == 1 and not feedback:
            explanation = _before(text, place)
        scores[name] = _found(criterion, place, explanation, feedback)
    return Reading(
        scores=scores,
        flags=text_reply.flags_in(parts),
        feedback=feedback,
        structured=bool(parts.parts),
    )


_CODE = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)


def _before(text: str, place: Place | None) -> str | None:
    """What stands before the score's line in a reply about one criterion: the reason for it."""
    if place is None or place.span is None:
        return None
    begin = text.rfind("\n", 0, place.span[0]) + 1
    reason = text[:begin].strip()
    return reason if len(reason) >= 15 else None


def _without_code(text: str) -> str:
    """Code blanked out, whose assignments look like labels, unless there is nothing else."""
    plain = _CODE.sub(lambda found: " " * len(found[0]), text)
    return plain if plain.strip() else text


def _unlabelled(criterion: Criterion, text: str, *, by_sentence: bool) -> Place | None:
    """For one criterion: a [[value]], a reply that is nothing but the value, or a plain statement.

    A place that holds no value yields to the next one, but is what an unreadable reply is told by.
    """
    bare = text.strip()
    begin = text.find(bare)
    whole = Place(bare, "the whole reply", (begin, begin + len(bare)))
    places = [
        text_reply.bracketed(text),
        stated_in(criterion.scale, text) if by_sentence else None,
        whole if len(bare) <= 60 and "\n" not in bare else None,
    ]
    there = [_third_for_tie(criterion, place) for place in places if place]
    readable = (place for place in there if holds_value(criterion.scale, place.raw))
    return next(readable, next(iter(there), None))


def _third_for_tie(criterion: Criterion, place: Place) -> Place:
    """[[C]] is how comparing prompts write a tie between A and B."""
    scale = criterion.scale
    if isinstance(scale, Category) and place.raw == "C" and len(scale.options) == 3:
        first, second, third = scale.options
        if [folded(first), folded(second)] == ["a", "b"] and folded(third) != "c":
            return replace(place, raw=third)
    return place


def _yields(label: Place, other: Place) -> bool:
    """Whether a label without a value gives way: to [[…]], and to a sentence in its own line."""
    if other.words.startswith("[["):
        return True
    inside = label.span is not None and other.span is not None
    return inside and label.span[0] <= other.span[0] < label.span[1]  # type: ignore[index]


def _found(
    criterion: Criterion,
    place: Place | None,
    explanation: str | None,
    feedback: dict[str, str | tuple[str, ...]],
) -> Found:
    if isinstance(criterion.explain, str):
        section = feedback.get(criterion.explain)
        explanation = "\n".join(section) if isinstance(section, tuple) else section
    if place is None:
        return Found(
            outcome=Outcome.UNREADABLE,
            why=f"no value for {criterion.name} in the reply",
            explanation=explanation,
        )
    raw, where = place.raw, place.words
    try:
        value = value_of(criterion.scale, raw)
    except OffScale as error:
        given = raw if isinstance(raw, int | float) else _number_or_none(criterion, raw)
        return Found(
            outcome=Outcome.OUT_OF_RANGE,
            given=given,
            why=f"{error} ({where})",
            explanation=explanation,
            span=place.span,
        )
    except NotAValue as error:
        why = f"{error} ({where})"
        return Found(outcome=Outcome.UNREADABLE, why=why, explanation=explanation)
    return Found(
        outcome=Outcome.SCORED,
        value=value,
        given=value,
        explanation=explanation,
        place=where,
        span=place.span,
    )


def _number_or_none(criterion: Criterion, raw: object) -> float | None:
    try:
        return leading_number(str(raw).strip(), criterion.scale)
    except NotAValue:
        return None


def _name_the_reason(reading: Reading, text: str, *, cut_off: bool) -> Reading:
    """A missing value in a cut-off reply is `truncated`; a reply that declines is `refused`."""
    if cut_off:
        outcome, why = Outcome.TRUNCATED, "the reply was cut off at the token limit"
    elif not reading.structured and is_refusal(text):
        outcome, why = Outcome.REFUSED, f"the model declined: {text.strip()[:120]}"
    else:
        return reading
    scores = {
        name: Found(outcome=outcome, why=why, explanation=found.explanation)
        if found.outcome is Outcome.UNREADABLE
        else found
        for name, found in reading.scores.items()
    }
    return Reading(scores=scores, flags=reading.flags, feedback=reading.feedback)
