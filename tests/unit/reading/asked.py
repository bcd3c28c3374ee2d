"""Judges with one criterion of any scale, and what they read in a reply."""

from __future__ import annotations

from functools import cache

from adjudge.core.judge import Judge
from adjudge.core.reply import Reply
from adjudge.core.scale import Value
from adjudge.judges.load import load_text
from adjudge.reading import CriterionReading
from adjudge.reading.read import read

OFF = "out_of_range"
FIVE = "{type: integer, min: 1, max: 5}"
TEN = "{type: integer, min: 1, max: 10}"
ANY_FIVE = "{type: number, min: 1, max: 5}"
ANY_TEN = "{type: number, min: 0, max: 10}"
HUNDRED = "{type: number, min: 0, max: 100}"
ZERO_ONE = "{type: integer, min: 0, max: 1}"
LEVELS = "{type: ordinal, levels: {1: terrible, 2: unhelpful, 3: helpful, 4: excellent}}"
YES_NO = "{type: binary}"
PAIR = "{type: category, options: [A, B, tie]}"
OUTPUTS = "{type: category, options: [a, b]}"
ARENA = "{type: category, options: [A>>B, A>B, A=B, B>A, B>>A]}"
CORRECT = "{type: category, options: [Correct, Incorrect]}"
GATE = "{type: category, options: [PASS, FAIL]}"


@cache
def judge_of(scale: str, *, form: str = "text", criteria: tuple[str, ...] = ("quality",)) -> Judge:
    """A judge of these criteria, all on the scale, which is written as in a judge file."""
    asked = "".join(f"  {name}: {{guide: How good it is, scale: {scale}}}\n" for name in criteria)
    return load_text(
        "judge: asked\nversion: 1\ntitle: How is it?\nlanguage: en\nexplain_in: any\n"
        f"reply: {form}\ninputs:\n  answer: {{judged: true}}\ncriteria:\n{asked}",
        "asked.yaml",
    )


def found_in(scale: str, text: str, *, form: str = "text") -> CriterionReading:
    return read(judge_of(scale, form=form), ("quality",), Reply(text=text)).scores["quality"]


def said(scale: str, text: str, *, form: str = "text") -> Value | None:
    """The value that is read, `OFF` for one off the scale, None for none."""
    found = found_in(scale, text, form=form)
    return OFF if found.outcome == OFF else found.value
