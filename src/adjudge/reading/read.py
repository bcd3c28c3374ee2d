"""Reply → Reading: the way from a model's text to values, flags and feedback.

A score is read from a place, not found by searching. The places, in the order in which they count:

1. A reply that is JSON as a whole is that JSON and nothing else.
2. Where the judge asks for JSON: the object that holds most of what was asked for.
3. Labelled lines, table rows and tags: the judge's own last one.
4. Where the judge asks for text: a JSON object that stands alone.
5. For a criterion asked alone: [[…]], a plain statement, a reply that is nothing but the value.

What a reply quotes is not the judge's own word: code, block quotes, quotation marks, and whatever
repeats the judged texts. docs/reading.md says the same for users.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import NamedTuple

from adjudge.core.judge import Judge
from adjudge.core.prompt import Prompt
from adjudge.core.reason import Reason
from adjudge.core.reply import Reply
from adjudge.core.scale import Value
from adjudge.core.score import SETTLED, Outcome

from .json import (
    JsonKeys,
    JsonObject,
    find_objects,
    json_explanation,
    json_feedback,
    json_flags,
    json_parts,
    json_quotes,
    json_score,
    whole_object,
)
from .judged_text import judged_texts, read_own_words, values_of
from .labelled import (
    criterion_names,
    find_parts,
    labelled_explanation,
    labelled_feedback,
    labelled_flags,
    labelled_parts,
    labelled_quotes,
    labelled_score,
)
from .parts import with_quotations
from .probabilities import likelihood_reading
from .quotations import (
    blank,
    quotations,
    unfenced,
    without_blockquotes,
    without_code,
    without_quotations,
)
from .readings import CriterionReading, Reading, ScorePlace, read_place, unreadable, withdrawn
from .reasoning import without_reasoning
from .sentences import find_retraction
from .values import holds_value


def read(
    judge: Judge, criteria: tuple[str, ...], reply: Reply, judged: tuple[str, ...] = ()
) -> Reading:
    """What the reply says about the criteria that were asked. Never raises on any text.

    `judged` are the texts that the reply is about: what repeats them is not read.
    """
    if reply.finish == "refused":
        message = reply.refusal
        why = (
            Reason("reply.refused_saying", message=message) if message else Reason("reply.refused")
        )
        return _nothing(criteria, Outcome.REFUSED, why)
    cut_off = reply.finish == "length" or _stops_short(reply.text)
    whole = None if cut_off else whole_object(reply.text)
    if whole:
        return _from_object(judge, criteria, whole, reply.text)
    texts = judged_texts(judged)
    text = without_reasoning(reply.text, texts)
    if not text.strip():
        why = Reason("reply.cut_before_answer") if cut_off else Reason("reply.empty")
        return _nothing(criteria, Outcome.TRUNCATED if cut_off else Outcome.UNREADABLE, why)
    whole = None if cut_off else whole_object(text)
    if whole:
        return _from_object(judge, criteria, whole, text)
    reading = read_own_words(
        text,
        texts,
        values_of(judge, criteria),
        lambda masked: _read(judge, criteria, masked, text, cut_off=cut_off),
    )
    return reading if reading.complete else _name_the_reason(reading, text, cut_off=cut_off)


_STOPS_SHORT = re.compile(r"\"\s{0,9}:\s{0,9}(?:-?\d{1,9}\.)?\s{0,9}\Z")


def _stops_short(text: str) -> bool:
    """Whether JSON ends before a value, or within one, whatever the provider says of the end."""
    return bool(_STOPS_SHORT.search(text, max(0, len(text) - 60))) and "{" in text


def _nothing(criteria: tuple[str, ...], outcome: Outcome, why: Reason) -> Reading:
    score = CriterionReading(outcome=outcome, why=why)
    return Reading(scores=dict.fromkeys(criteria, score), structured=False)


def _read(
    judge: Judge, criteria: tuple[str, ...], masked: str, text: str, *, cut_off: bool
) -> Reading:
    """`masked` is the text with what repeats the judged texts blanked out. Explanations may quote
    those, and come from the text itself."""
    objects = _objects(text, masked, cut_off=cut_off)
    by_key = _from_objects(judge, criteria, objects, masked)
    if by_key and judge.reply == "json" and _held(by_key):
        return by_key
    by_line, labelled = _from_text(judge, criteria, _outside(objects, masked), text, cut_off)
    if by_key is None or by_line.complete:
        takes_text = by_key is None or judge.reply == "json" or labelled or not _held(by_key)
    else:
        takes_text = judge.reply == "text" and labelled >= max(_held(by_key), 1)
    return by_line if takes_text or by_key is None else by_key


def _held(reading: Reading) -> int:
    return sum(score.outcome in SETTLED for score in reading.scores.values())


class _Object(NamedTuple):
    """An object with the text that it was found in: a broken one is repaired without what repeats
    the judged texts."""

    parsed: JsonObject
    text: str


def _objects(text: str, masked: str, *, cut_off: bool) -> list[_Object]:
    if "{" not in text:
        return []
    objects = [_Object(parsed, text) for parsed in find_objects(text, repair=False)]
    if cut_off:  # what it ends with may be half a number, so nothing is repaired there
        return objects
    quoted = [(low, high) for low, high in quotations(text) if text[low] in "“„「『«‘"]
    objects = [
        entry
        for entry in objects
        if not any(low < entry.parsed.begin and entry.parsed.end < high for low, high in quoted)
    ]
    # Only what begins like an object is repaired: prose in braces would be guessed into one.
    repaired = [parsed for parsed in find_objects(masked, repair=True) if parsed.repaired]
    repaired = [parsed for parsed in repaired if _begins_as_json(masked, parsed.begin)]
    return [_Object(parsed, masked) for parsed in repaired] + objects


def _from_objects(
    judge: Judge, criteria: tuple[str, ...], objects: list[_Object], masked: str
) -> Reading | None:
    """From the object that holds most of what was asked for; of equal ones the last counts.

    One that holds less, says something else and stands behind it may be a correction or a
    quotation: unless words take the first back, it is not clear which. None without any object.
    """
    readings = [
        (entry, _from_object(judge, criteria, entry.parsed, entry.text)) for entry in objects
    ]
    own = [pair for pair in readings if not _is_blank(masked, pair[1])]
    holding = [pair for pair in own if _held(pair[1])]
    if not holding:
        return own[0][1] if own else None
    best = max(holding, key=lambda pair: _asked_for(pair[1]))
    last = holding[0]
    if last is best or _values(last[1]).items() <= _values(best[1]).items():
        return best[1]
    if find_retraction(last[0].text[: last[0].parsed.begin], best[0].parsed.end) is not None:
        return last[1]
    return _contradicted(best[1], last[1])


def _is_blank(masked: str, reading: Reading) -> bool:
    """Whether a value of it repeats what is judged."""
    spans = (score.span for score in reading.scores.values() if score.span)
    return any(not masked[begin:end].strip("\"' ") for begin, end in spans)


def _asked_for(reading: Reading) -> int:
    explained = sum(score.explanation is not None for score in reading.scores.values())
    return _held(reading) + explained + len(reading.flags) + len(reading.feedback)


def _values(reading: Reading) -> dict[str, Value]:
    return {name: score.value for name, score in reading.scores.items() if score.value is not None}


def _contradicted(first: Reading, second: Reading) -> Reading:
    scores = dict(first.scores)
    for name, value in _values(second).items():
        if scores[name].value not in {None, value}:
            why = Reason("reply.contradicts", one=scores[name].value, other=value)
            scores[name] = unreadable(why, scores[name].explanation)
    return replace(first, scores=scores)


def _from_object(judge: Judge, criteria: tuple[str, ...], parsed: JsonObject, text: str) -> Reading:
    keys = JsonKeys(parsed.obj)
    alone = len(criteria) == 1
    regretted = alone and find_retraction(text, parsed.end) is not None
    feedback = json_feedback(keys, judge)
    scores = {}
    named = criterion_names(judge, criteria)
    for position, (name, names) in enumerate(named.items()):
        criterion = judge.rubric.criteria[name]
        explanation = json_explanation(keys, criterion, names, position, len(criteria))
        if criterion.in_parts:
            scores[name] = json_parts(keys, criterion, names, explanation, alone=alone)
            continue
        place = json_score(parsed, text, keys, criterion, names, alone=alone)
        place = withdrawn(place) if regretted and place else place
        scores[name] = read_place(criterion, place, explanation, feedback)
        if criterion.evidence is not None:
            quotations = json_quotes(keys, names, alone=alone)
            scores[name] = replace(scores[name], evidence=quotations)
    asked = [rule.flag for rule in judge.rubric.flags_of(criteria)]
    flags = json_flags(keys, asked) if asked else {}
    return Reading(scores=scores, flags=flags, feedback=feedback)


# However broken, "{ Analysis: …" only looks like an object.
_BEGINS_AS_JSON = re.compile(r"\{\s*+[\"']")


def _begins_as_json(text: str, begin: int) -> bool:
    """Whether an object begins here, and its line, or its code block, with it."""
    line = text.rfind("\n", 0, begin) + 1
    return not text[line:begin].strip(" \t`json[") and bool(_BEGINS_AS_JSON.match(text, begin))


def _outside(objects: list[_Object], masked: str) -> str:
    """The text without its JSON, which is read by its keys."""
    for parsed, _ in objects:
        if not parsed.repaired or not masked[: parsed.begin].strip(" \t\n`json["):
            masked = blank(masked, parsed.begin, parsed.end)
    return masked


def _from_text(
    judge: Judge, criteria: tuple[str, ...], masked: str, text: str, cut_off: bool
) -> tuple[Reading, int]:
    """What the text says outside of JSON, and how many values stand behind a label."""
    # Its patterns take 30 ms to compile, and judges that ask for JSON rarely need them.
    from .sentences.asides import without_asides  # noqa: PLC0415
    from .sentences.unlabelled import place_of_single_criterion  # noqa: PLC0415

    plain = without_blockquotes(unfenced(masked))
    plain = without_asides(plain, [judge.rubric.criteria[name].scale for name in criteria])
    bare = without_quotations(without_code(plain))
    parts = find_parts(bare, judge, criteria, text)
    feedback = labelled_feedback(parts, judge)
    scores, labelled = {}, 0
    for name in criteria:
        criterion = judge.rubric.criteria[name]
        if criterion.in_parts:
            scores[name] = labelled_parts(parts, criterion)
            labelled += scores[name].outcome in SETTLED
            continue
        place = labelled_score(parts, criterion.scale, name, may_not_apply=criterion.may_not_apply)
        if cut_off and place and place.span and not text[place.span[1] :].strip():
            place = None  # the last that came before the cut may be half a number
        labelled += place is not None and holds_value(criterion.scale, place.raw)
        if len(criteria) == 1:
            place = place_of_single_criterion(judge, criterion, plain, place, cut_off=cut_off)
        explanation = labelled_explanation(parts, criterion.scale, name)
        if explanation is None and len(criteria) == 1 and not feedback:
            explanation = _before(text, place)
        scores[name] = read_place(criterion, place, explanation, feedback)
        if criterion.evidence is not None:
            scores[name] = replace(scores[name], evidence=labelled_quotes(parts, name))
    reading = Reading(
        scores=scores, flags=labelled_flags(parts), feedback=feedback, structured=bool(parts.parts)
    )
    return reading, labelled


def _before(text: str, place: ScorePlace | None) -> str | None:
    """What stands before the score's line in a reply about one criterion: the reason for it."""
    if place is None or place.span is None:
        return None
    start, end = place.start, place.span[0]
    marked = -1 if start is None else text.rfind("[RESULT]", start, end)
    begin = marked if marked >= 0 else text.rfind("\n", 0, place.span[0]) + 1
    reason = text[:begin].strip()
    return reason if len(reason) >= 15 else None


def _name_the_reason(reading: Reading, text: str, *, cut_off: bool) -> Reading:
    """A missing value in a cut-off reply is `truncated`; a reply that declines is `refused`."""
    if cut_off:
        outcome, why = Outcome.TRUNCATED, Reason("reply.cut_off")
    elif not reading.structured and is_refusal(text):
        outcome, why = Outcome.REFUSED, Reason("reply.declined", text=text.strip()[:120])
    else:
        return reading
    scores = {
        name: CriterionReading(outcome=outcome, why=why, explanation=score.explanation)
        if score.outcome is Outcome.UNREADABLE
        else score
        for name, score in reading.scores.items()
    }
    return Reading(scores=scores, flags=reading.flags, feedback=reading.feedback)


def read_reply(judge: Judge, prompt: Prompt, reply: Reply) -> Reading:
    if judge.method == "likelihood":
        return likelihood_reading(prompt.criteria, reply)
    if prompt.questions:
        judge = judge.with_questions(prompt.questions)
    reading = read(judge, prompt.criteria, reply, prompt.texts)
    if prompt.quotable:
        return with_quotations(judge.rubric.criteria, reading, prompt.quotable)
    return reading


_REFUSAL = re.compile(
    r"^\W*(?:i(?:['’]?m| am) (?:really |very |so )?sorry|sorry\b"
    r"|i (?:can(?:not|['’]t)|am unable to|won['’]t)"
    r"|as an ai\b|죄송하지만|죄송합니다|xin lỗi|tôi không thể|很抱歉|抱歉|申し訳|es tut mir leid)",
    re.IGNORECASE,
)


def is_refusal(text: str) -> bool:
    """Whether a reply without any score begins the way refusals do."""
    return bool(_REFUSAL.match(text.strip()[:200]))
