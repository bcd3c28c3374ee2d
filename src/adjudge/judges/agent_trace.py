"""Cuts an agent's trace, so that only its answer is judged.

Agents print their way of working: `Thought:`, `Action:`, `**Observation**`, and at last
`Final Answer:`. The answer is what follows that last marker; parts headed Observation are dropped
wherever they stand. Markers count at the beginning of a line, in any decoration and with a letter
or two wrong, but not inside a quotation or a block of code.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Literal

Kind = Literal["final", "observation", "step"]

_LABELS: tuple[tuple[str, Kind], ...] = (
    ("finalanswer", "final"),
    ("observation", "observation"),
    ("thought", "step"),
    ("actioninput", "step"),
    ("action", "step"),
)
# How alike a misspelt label must be: one or two letters off in a word of eleven.
_ALIKE = 0.85

_LABEL_AT_LINE_START = re.compile(
    r"^[ \t]*(?P<open>[#*_\-\[ \t]*)(?P<label>[A-Za-z]+(?:[ \t_-]?[A-Za-z]+)?)(?P<close>[ \t*_\]]*)"
    r"(?P<colon>[:：]?)[*_]*[ \t]*",
    re.MULTILINE,
)
_FINAL_INSIDE_LINE = re.compile(
    r"[*_]*\bfinal[ \t]+answer[*_]*[ \t]*[:：][*_]*[ \t]*", re.IGNORECASE
)
# Straight quotes open after a space or bracket and close before one, so that 5" is no quotation.
_QUOTED = re.compile(
    r"^```.*?^```|“[^”]*”|「[^」]*」|«[^»]*»|`[^`\n]+`|^[ \t]*>[^\n]*"
    r'|(?<![^\s(\[{:])"(?=\S)(?:[^"\n]|\n(?!\s*\n))*?(?<=\S)"(?![^\s.,;:!?)\]}])',
    re.MULTILINE | re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class _Marker:
    kind: Kind
    start: int
    end: int
    bold: bool


def cut(text: str) -> str:
    """The answer without the trace; the text as it was when there is no marker."""
    markers = list(_markers(text))
    start = _start_of_answer(text, markers)
    if start is None and not any(marker.kind == "observation" for marker in markers):
        return text
    inside = [marker for marker in markers if marker.start >= (start or 0)]
    if start is not None:
        # Below the final answer a plain "Observation:" may be a word of the answer.
        inside = [marker for marker in inside if marker.kind != "observation" or marker.bold]
    kept, at = [], start or 0
    for number, marker in enumerate(inside, 1):
        if marker.kind == "observation" and marker.start >= at:
            kept.append(text[at : marker.start])
            last = number == len(inside)
            at = _end_of_paragraph(text, marker.end) if last else inside[number].start
    return "".join([*kept, text[at:]]).strip()


def _markers(text: str) -> Iterator[_Marker]:
    quoted = _QuotedSpans(text)
    for found in _LABEL_AT_LINE_START.finditer(text):
        decorated = any(sign in found["open"] for sign in "*_#[")
        if not (found["colon"] or decorated) or quoted.covers(found.start("label")):
            continue
        kind = _kind(found["label"])
        if kind:
            bold = "*" in found["open"] or "_" in found["open"]
            yield _Marker(kind, found.start(), found.end(), bold)


def _kind(label: str) -> Kind | None:
    letters = re.sub("[^a-z]", "", label.lower())
    for name, kind in _LABELS:
        if letters == name:
            return kind
    for name, kind in _LABELS[:2]:  # only the two that decide what is judged may be misspelt
        if abs(len(letters) - len(name)) <= 2 and (
            SequenceMatcher(None, letters, name, autojunk=False).ratio() >= _ALIKE
        ):
            return kind
    return None


def _start_of_answer(text: str, markers: list[_Marker]) -> int | None:
    """Where the answer starts: after the first final marker that no further step follows.

    A trace may hold several final markers (drafts, the traces of other agents); an answer may
    repeat the words. The last step of the trace parts the two cases.
    """
    finals = [marker for marker in markers if marker.kind == "final"]
    if not finals:
        return _start_inside_line(text)
    before = [m.start for m in markers if m.kind != "final" and m.start < finals[-1].start]
    last_step = max(before, default=-1)
    chosen = next(marker for marker in finals if marker.start > last_step)
    end = chosen.end
    while again := _FINAL_INSIDE_LINE.match(text, end):
        end = again.end()
    return end


def _start_inside_line(text: str) -> int | None:
    """For "I know enough now. Final Answer: …" on one line; the last one counts."""
    quoted = _QuotedSpans(text)
    found = [m.end() for m in _FINAL_INSIDE_LINE.finditer(text) if not quoted.covers(m.start())]
    return found[-1] if found else None


class _QuotedSpans:
    """Tells whether a place lies inside a quotation; places are asked in rising order."""

    def __init__(self, text: str) -> None:
        self._spans = iter([match.span() for match in _QUOTED.finditer(text)])
        self._now = next(self._spans, None)

    def covers(self, place: int) -> bool:
        while self._now and self._now[1] <= place:
            self._now = next(self._spans, None)
        return bool(self._now and self._now[0] <= place)


def _end_of_paragraph(text: str, start: int) -> int:
    blank = re.compile(r"\n[ \t]*\n").search(text, start)
    return blank.end() if blank else len(text)
