"""Reply → Reading: the way from a model's text to values, flags and feedback."""

from __future__ import annotations

from adjudge.core.judge import Judge
from adjudge.core.reply import Reply
from adjudge.core.score import Outcome

from . import json_reply, text_reply
from .found import Found, Reading
from .json_find import JsonFound, find_objects
from .json_keys import Keys
from .outcome import found_in
from .place import Place, withdrawn
from .quoted import blank, without_blockquotes, without_code
from .reasoning import without_reasoning
from .refusal import is_refusal
from .revised import taken_back
from .unlabelled import place_of_one


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
    objects = find_objects(text, repair=not cut_off)
    reading = _from_objects(judge, criteria, objects, text)
    if reading is None or not any(found.value is not None for found in reading.scores.values()):
        from_text = _from_text(judge, criteria, _outside(objects, text), cut_off=cut_off)
        if reading is None or from_text.complete:
            reading = from_text
    return reading if reading.complete else _name_the_reason(reading, text, cut_off=cut_off)


def _nothing(criteria: tuple[str, ...], outcome: Outcome, why: str) -> Reading:
    found = Found(outcome=outcome, why=why)
    return Reading(scores=dict.fromkeys(criteria, found), structured=False)


def _from_objects(
    judge: Judge, criteria: tuple[str, ...], objects: list[JsonFound], text: str
) -> Reading | None:
    """From the last JSON object that holds a value, or else from the last one; None without any."""
    last: Reading | None = None
    for found in objects:
        reading = _from_object(judge, criteria, found, text)
        if any(score.value is not None for score in reading.scores.values()):
            return reading
        last = last or reading
    return last


def _from_object(judge: Judge, criteria: tuple[str, ...], found: JsonFound, text: str) -> Reading:
    keys = Keys(found.obj)
    alone = len(criteria) == 1
    regretted = alone and taken_back(text, found.end) is not None
    feedback = json_reply.feedback_of(keys, judge)
    scores = {}
    named = text_reply.names_of_criteria(judge, criteria)
    for position, (name, names) in enumerate(named.items()):
        criterion = judge.rubric.criteria[name]
        explanation = json_reply.explanation_of(keys, criterion, names, position, len(criteria))
        place = json_reply.score_of(found, text, keys, criterion, names, alone=alone)
        place = withdrawn(place) if regretted and place else place
        scores[name] = found_in(criterion, place, explanation, feedback)
    flags = [rule.flag for rule in judge.rubric.flags_of(criteria)]
    return Reading(scores=scores, flags=json_reply.flags_of(keys, flags), feedback=feedback)


def _outside(objects: list[JsonFound], text: str) -> str:
    """The text without the JSON that could be parsed: what it holds, its keys have told."""
    for found in objects:
        if not found.mended:
            text = blank(text, found.begin, found.end)
    return text


def _from_text(judge: Judge, criteria: tuple[str, ...], text: str, *, cut_off: bool) -> Reading:
    text = without_blockquotes(text)
    parts = text_reply.find_parts(without_code(text), judge, criteria)
    feedback = text_reply.feedback_in(parts, judge)
    scores = {}
    for name in criteria:
        criterion = judge.rubric.criteria[name]
        place = text_reply.score_in(parts, criterion.scale, name)
        if cut_off and place and place.span and not text[place.span[1] :].strip():
            place = None  # the last that came before the cut may be half a number
        if len(criteria) == 1:
            place = place_of_one(judge, criterion, text, place, cut_off=cut_off)
        explanation = text_reply.explanation_in(parts, criterion.scale, name)
        if explanation is None and len(criteria) == 1 and not feedback:
            explanation = _before(text, place)
        scores[name] = found_in(criterion, place, explanation, feedback)
    return Reading(
        scores=scores,
        flags=text_reply.flags_in(parts),
        feedback=feedback,
        structured=bool(parts.parts),
    )


def _before(text: str, place: Place | None) -> str | None:
    """What stands before the score's line in a reply about one criterion: the reason for it."""
    if place is None or place.span is None:
        return None
    marked = text.rfind("[RESULT]", 0, place.span[0]) if "[RESULT]" in place.words else -1
    begin = marked if marked >= 0 else text.rfind("\n", 0, place.span[0]) + 1
    reason = text[:begin].strip()
    return reason if len(reason) >= 15 else None


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
