"""Cuts an agent's trace, so that only its answer is judged.

Agents print their way of working: `Thought:`, `Action:`, `**Observation**`, and at last
`Final Answer:`. The answer is what follows that last marker; parts headed Observation are dropped
wherever they stand. Markers count at the beginning of a line, in any decoration and with a letter
or two wrong, but not inside a quotation or a block of code. A text that only mentions the words
stays as it is: when in doubt nothing is cut.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from . import quotations

Kind = Literal["final", "observation", "step"]

_LABELS: dict[str, Kind] = {
    "finalanswer": "final",
    "observation": "observation",
    "thought": "step",
    "actioninput": "step",
    "action": "step",
}
_MAY_BE_MISSPELT = ("finalanswer", "observation")  # the two that decide what is judged
_LETTERS_WRONG = 2
_LONGEST = max(map(len, _MAY_BE_MISSPELT)) + _LETTERS_WRONG

# No two neighbours share a sign, which keeps matching linear on any text.
_LABEL_AT_LINE_START = re.compile(
    r"^(?P<open>[#*_\-\[ \t]*)(?P<label>[A-Za-z]+(?:[ \t_-]?[A-Za-z]+)?)"
    r"(?P<close>[*_\]]*)(?P<space>[ \t]*)(?P<colon>[:：]?)[*_]*[ \t]*(?P<alone>(?=\r?$))?",
    re.MULTILINE,
)
_FINAL_INSIDE_LINE = re.compile(r"\bfinal[ \t]+answer[*_]*[ \t]*[:：][*_]*[ \t]*", re.IGNORECASE)
_AS_A_MARKER = re.compile(r"Final[ \t]+Answer|FINAL[ \t]+ANSWER")
_BLANK_LINE = re.compile(r"\n[ \t\r]*\n")


@dataclass(frozen=True, slots=True)
class _Marker:
    kind: Kind
    start: int
    end: int
    bold: bool
    sure: bool


def cut(text: str) -> str:
    """The answer without the trace; the text as it was when there is no marker."""
    quoted = quotations.spans(text)
    markers = _that_count(list(_markers(text, quoted)))
    start = _start_of_answer(text, markers, quoted)
    observed = [marker for marker in markers if marker.kind == "observation"]
    if start is None and not observed:
        return text
    rest = _without_observations(text, start, markers)
    # "Observation: the sky is blue." alone is an answer, not a trace without one.
    whole = start is None and not rest and len(markers) == 1 and not observed[0].bold
    return text if whole else rest


def _that_count(markers: list[_Marker]) -> list[_Marker]:
    """An observation that could be a heading of the answer itself (e.g. "Observations:")
    needs other signs of a trace beside it."""
    if any(marker.sure or marker.kind != "observation" for marker in markers):
        return markers
    return []


def _without_observations(text: str, start: int | None, markers: list[_Marker]) -> str:
    inside = [marker for marker in markers if marker.start >= (start or 0)]
    if start is not None:
        # Below the final answer a plain "Observation:" may be a word of the answer.
        inside = [marker for marker in inside if marker.kind != "observation" or marker.bold]
    kept, at = [], start or 0
    for number, marker in enumerate(inside, 1):
        if marker.kind == "observation" and marker.start >= at:
            kept.append(text[at : marker.start])
            at = _end_of_observation(text, marker, inside[number] if number < len(inside) else None)
    return "".join([*kept, text[at:]]).strip()


def _markers(text: str, quoted: list[quotations.Span]) -> Iterator[_Marker]:
    inside = _Inside(quoted)
    for found in _LABEL_AT_LINE_START.finditer(text):
        if inside.covers(found.start("label")):
            continue
        bold = "*" in found["open"] or "_" in found["open"]
        # a colon, or a decoration closed at once: **Observation** …
        dressed = bool(found["colon"] or (found["close"] and (bold or "[" in found["open"])))
        if not dressed and found["alone"] is None:
            continue
        name = _name(found["label"])
        exact = name == _letters(found["label"])
        if name and (dressed or exact or "#" in found["open"]):
            sure = exact and dressed and "-" not in found["open"]
            yield _Marker(_LABELS[name], found.start(), found.end(), bold, sure)


def _letters(label: str) -> str:
    return re.sub("[^a-z]", "", label.lower())


def _name(label: str) -> str | None:
    letters = _letters(label)
    if letters in _LABELS:
        return letters
    return _misspelt(letters) if len(letters) <= _LONGEST else None


@lru_cache(maxsize=1024)
def _misspelt(letters: str) -> str | None:
    for name in _MAY_BE_MISSPELT:
        # The first letter is seldom wrong, and it tells Observation from Conservation.
        if letters[0] == name[0] and _distance(letters, name) <= _LETTERS_WRONG:
            return name
    return None


def _distance(one: str, other: str) -> int:
    """Letters to add, drop, change or swap with a neighbour (optimal string alignment)."""
    rows = [list(range(len(other) + 1))]
    for i, a in enumerate(one, 1):
        row = [i]
        for j, b in enumerate(other, 1):
            best = min(rows[-1][j] + 1, row[-1] + 1, rows[-1][j - 1] + (a != b))
            if i > 1 and j > 1 and (a, one[i - 2]) == (other[j - 2], b):
                best = min(best, rows[-2][j - 2] + 1)
            row.append(best)
        rows.append(row)
    return rows[-1][-1]


def _start_of_answer(
    text: str, markers: list[_Marker], quoted: list[quotations.Span]
) -> int | None:
    """Where the answer starts: after the first final marker that no further step follows.

    A trace may hold several final markers (drafts, the traces of other agents); an answer may
    repeat the words. The last step of the trace parts the two cases.
    """
    finals = [marker for marker in markers if marker.kind == "final"]
    if not finals:
        return _start_inside_line(text, quoted, a_trace=bool(markers))
    before = [m.start for m in markers if m.kind != "final" and m.start < finals[-1].start]
    last_step = max(before, default=-1)
    chosen = next(marker for marker in finals if marker.start > last_step)
    end = chosen.end
    while again := _FINAL_INSIDE_LINE.match(text, end):
        end = again.end()
    return end


def _start_inside_line(text: str, quoted: list[quotations.Span], *, a_trace: bool) -> int | None:
    """For "I know enough now. Final Answer: …" on one line; the last one counts.

    Without other signs of a trace it must be written like the marker: "so my final answer: 42" is
    the end of a calculation that is to be judged with it.
    """
    inside = _Inside(quoted)
    start = None
    for found in _FINAL_INSIDE_LINE.finditer(text):
        if (a_trace or _AS_A_MARKER.match(found[0])) and not inside.covers(found.start()):
            start = found.end()
    return start


class _Inside:
    """Tells whether a place lies inside a quotation; places are asked in rising order."""

    def __init__(self, quoted: list[quotations.Span]) -> None:
        self._spans = iter(quoted)
        self._now = next(self._spans, None)

    def covers(self, place: int) -> bool:
        while self._now and self._now[1] <= place:
            self._now = next(self._spans, None)
        return bool(self._now and self._now[0] <= place)


def _end_of_observation(text: str, marker: _Marker, after: _Marker | None) -> int:
    """Up to the next step, blank lines or not; without one, up to the first blank line."""
    if after and after.kind != "observation":
        return after.start
    limit = after.start if after else len(text)
    blank = _BLANK_LINE.search(text, marker.end, limit)
    return blank.end() if blank else limit
