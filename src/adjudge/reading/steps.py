"""How a reply is read, step by step, for people."""

from __future__ import annotations

from collections.abc import Iterator

from adjudge.core.judge import Judge
from adjudge.core.language import wrong_language
from adjudge.core.reply import Reply
from adjudge.core.score import Score

from .json import find_objects, repeated_keys
from .judged_text import judged_texts, values_of
from .labelled import find_parts
from .quotations import without_blockquotes, without_code
from .read import read
from .readings import CriterionReading
from .reasoning import without_reasoning
from .rules import apply_rules


def steps(
    judge: Judge, criteria: tuple[str, ...], reply: Reply, judged: tuple[str, ...] = ()
) -> Iterator[str]:
    """One line per step, in the order in which the reader goes."""
    text = without_reasoning(reply.text, judged_texts(judged))
    yield f"reply: {len(reply.text)} characters, ended by {reply.finish}"
    if text != reply.text:
        yield f"reasoning: {_blanked(reply.text, text)} characters left out"
    own = judged_texts(judged).masked(text, values_of(judge, criteria))
    if own != text:
        yield f"repeated from the item: {_blanked(text, own)} characters left out"
    yield from _forms(judge, criteria, own)
    reading = read(judge, criteria, reply, judged)
    scores = apply_rules(judge.rubric, reading.scores, reading.flags)
    for name, score in reading.scores.items():
        yield f"{name}: {_outcome(score, scores[name])}"
        if score.span:
            begin, end = score.span
            yield f"  read at characters {begin} to {end}: {reply.text[begin:end]!r}"
        if score.explanation:
            yield f"  explanation: {_short(score.explanation)}{_language(judge, score.explanation)}"
    for name, truth in reading.flags.items():
        yield f"flag {name}: {'true' if truth else 'false'}"
    for name, section in reading.feedback.items():
        shown = (
            section
            if isinstance(section, str)
            else f"{len(section)} entries: " + "; ".join(section)
        )
        yield f"section {name}: {_short(shown)}"


def _blanked(before: str, after: str) -> int:
    return sum(one != other for one, other in zip(before, after, strict=True))


def _forms(judge: Judge, criteria: tuple[str, ...], text: str) -> Iterator[str]:
    objects = find_objects(text, repair=True)
    if not objects:
        yield "JSON: none"
    elif objects[0].repaired:
        yield f"JSON: an object after repair, with {', '.join(map(str, objects[0].obj))}"
    else:
        yield "JSON: a valid object"
    if len(objects) > 1:
        yield f"  of {len(objects)} objects the last that holds a value is read"
    for key in repeated_keys(text, objects[0]) if objects else ():
        yield f"  {key} stands there twice with different values; the last is read"
    parts = find_parts(without_code(without_blockquotes(text)), judge, criteria).parts
    labels = ", ".join(f"{part.kind} {part.name}".strip() for part in parts)
    yield f"labelled parts: {labels or 'none'}"


def _outcome(reading: CriterionReading, score: Score) -> str:
    if reading.value is None:
        return f"{reading.outcome}, {reading.why}"
    if score.value is None:
        return f"{reading.value}, but {score.outcome}: {score.why}"
    capped = f", set to {score.value} by the rule {score.rule}" if score.rule else ""
    return f"{reading.value}, from {reading.place}{capped}"


def _language(judge: Judge, text: str) -> str:
    wrong = None if judge.explain_in == "any" else wrong_language(text, judge.explain_in)
    return f" (reads as {wrong}, asked for {judge.explain_in})" if wrong else ""


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 100 else line[:99] + "…"
