"""Cuts an agent's trace, so that what its user saw is judged, and says what was cut.

Agents print their way of working: `Thought:`, `Action:`, `**Observation**`, and at last
`Final Answer:`. One rule holds before the other:

1. Everything behind the last `Final Answer:` is judged, whatever it is headed.
2. What stands before it is cut where it is a trace: some part of it is headed Thought, Action or
   Observation, or is a `Final Answer:` itself. Other lines before it may have been seen by the
   user: then nothing is cut.
3. Without a `Final Answer:`, parts headed Observation are cut.

Markers count at the beginning of a line, in any decoration and with a letter or two wrong, but not
inside a quotation or a block of code. A text that only mentions the words stays as it is: when in
doubt nothing is cut.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal

from adjudge.core.trace import Step

TraceKind = Literal["final", "observation", "step"]
# What a part that was cut is: text without a heading, a step (Thought, Action), an observation, or
# an answer that a later one replaces.
PartKind = Literal["text", "step", "observation", "answer"]

_LABELS: dict[str, TraceKind] = {
    "finalanswer": "final",
    "observation": "observation",
    "thought": "step",
    "actioninput": "step",
    "action": "step",
}
_MAY_BE_MISSPELT = ("finalanswer", "observation")  # the two that decide what is judged
_PLURALS = ("finalanswers", "observations")  # headings of an answer, and no letter is wrong
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
    kind: TraceKind
    start: int
    end: int
    bold: bool
    listed: bool
    sure: bool


@dataclass(frozen=True, slots=True)
class TracePart:
    """A stretch of the text that is not judged, in characters, without white space at its ends."""

    kind: PartKind
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Trace:
    """What is judged of a text, and the parts of it that are not, in their order."""

    answer: str
    parts: tuple[TracePart, ...] = ()


def cut_trace(text: str) -> Trace:
    """The answer without the trace; the text as it was when there is nothing to cut."""
    quoted = quotation_spans(text)
    markers = _counting(list(_markers(text, quoted)))
    if final := _answer(text, markers, quoted):
        before = [marker for marker in markers if marker.start < final.start]
        return Trace(text[final.end :].strip(), tuple(_parts(text, before, final.start)))
    observed = [marker for marker in markers if marker.kind == "observation"]
    has_final = any(marker.kind == "final" for marker in markers)
    if not observed or has_final:
        return Trace(text)
    trace = _without_observations(text, markers)
    # "Observation: the sky is blue." alone is an answer, not a trace without one.
    whole = not trace.answer and len(markers) == 1 and not observed[0].bold
    return Trace(text) if whole else trace


def text_steps(text: str) -> tuple[Step, ...]:
    """The steps of a trace that is written out as text, by the marks that `cut_trace` cuts at: an
    action with its input and what was observed is one step."""
    markers = list(_markers(text, quotation_spans(text)))
    starts = [0, *(marker.start for marker in markers)]
    ends = [*starts[1:], len(text)]
    names = ["", *(_letters(text[m.start : m.end]) for m in markers)]
    bodies = [starts[0], *(marker.end for marker in markers)]
    steps: list[Step] = []
    for name, start, end in zip(names, bodies, ends, strict=True):
        said = text[start:end].strip()
        last = steps[-1] if steps else None
        if name == "actioninput" and last and last.kind == "tool" and last.arguments is None:
            steps[-1] = replace(last, arguments=_argument(said))
        elif name.startswith("obs") and last and last.kind == "tool" and not last.output:
            steps[-1] = replace(last, output=said)
        elif name == "action":
            steps.append(Step(kind="tool", name=said))
        elif said:
            steps.append(Step(kind="message", name=_STEP_NAMES.get(name, ""), output=said))
    return tuple(steps)


_STEP_NAMES = {"thought": "thought", "finalanswer": "answer", "observation": "observation"}


def _argument(text: str) -> object:
    try:
        return json.loads(text)
    except ValueError:
        return text


def _parts(text: str, markers: list[_Marker], end: int) -> Iterator[TracePart]:
    """What stands before a place, divided by the markers there."""
    starts: list[tuple[int, PartKind]] = [(0, "text")]
    starts += [(m.start, "answer" if m.kind == "final" else m.kind) for m in markers]
    for number, (start, kind) in enumerate(starts, 1):
        until = starts[number][0] if number < len(starts) else end
        yield from _trimmed(text, kind, start, until)


def _trimmed(text: str, kind: PartKind, start: int, end: int) -> Iterator[TracePart]:
    part = text[start:end]
    if part.strip():
        start += len(part) - len(part.lstrip())
        yield TracePart(kind, start, start + len(part.strip()))


def _counting(markers: list[_Marker]) -> list[_Marker]:
    """An observation that could be a heading of the answer itself (e.g. "Observations:")
    needs other signs of a trace beside it."""
    if any(marker.sure or marker.kind != "observation" for marker in markers):
        return markers
    return []


def _without_observations(text: str, markers: list[_Marker]) -> Trace:
    kept: list[str] = []
    parts: list[TracePart] = []
    at = 0
    for number, marker in enumerate(markers, 1):
        if marker.kind == "observation" and marker.start >= at:
            kept.append(text[at : marker.start])
            after = markers[number] if number < len(markers) else None
            at = _end_of_observation(text, marker, after)
            parts += _trimmed(text, "observation", marker.start, at)
    return Trace("".join([*kept, text[at:]]).strip(), tuple(parts))


def _markers(text: str, quoted: list[Span]) -> Iterator[_Marker]:
    inside = _Inside(quoted)
    for match in _LABEL_AT_LINE_START.finditer(text):
        if inside.covers(match.start("label")):
            continue
        bold = "*" in match["open"] or "_" in match["open"]
        # a colon, or a decoration closed at once: **Observation** …
        dressed = bool(match["colon"] or (match["close"] and (bold or "[" in match["open"])))
        if not dressed and match["alone"] is None:
            continue
        name = _name(match["label"])
        exact = name == _letters(match["label"])
        if name and (dressed or exact or "#" in match["open"]):
            listed = "-" in match["open"]
            sure = exact and dressed and not listed
            yield _Marker(_LABELS[name], match.start(), match.end(), bold, listed, sure)


def _letters(label: str) -> str:
    return re.sub("[^a-z]", "", label.lower())


def _name(label: str) -> str | None:
    letters = _letters(label)
    if letters in _LABELS:
        return letters
    if letters in _PLURALS:
        return None
    return _misspelt(letters) if len(letters) <= _LONGEST else None


@lru_cache(maxsize=1024)
def _misspelt(letters: str) -> str | None:
    for name in _MAY_BE_MISSPELT:
        # The first letter is rarely wrong, and it separates Observation from Conservation.
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


def _answer(text: str, markers: list[_Marker], quoted: list[Span]) -> _Marker | None:
    """The `Final Answer:` that the answer stands behind; None where nothing is cut before one.

    The last counts; one with letters wrong, only where no other is there.
    """
    finals = [marker for marker in markers if marker.kind == "final"]
    if not finals:
        return _inside_line(text, markers, quoted)
    chosen = ([marker for marker in finals if marker.sure] or finals)[-1]
    before = [marker for marker in markers if marker.start < chosen.start]
    # An entry of a list ("- Action: call the bank") is no sign of a trace.
    a_trace = any(not marker.listed for marker in before)
    if text[: chosen.start].strip() and not a_trace:
        return None
    end = chosen.end
    while again := _FINAL_INSIDE_LINE.match(text, end):
        end = again.end()
    return replace(chosen, end=end)


def _inside_line(text: str, markers: list[_Marker], quoted: list[Span]) -> _Marker | None:
    """For "I know enough now. Final Answer: …" on one line; the last one counts.

    In small letters it must stand on the line of a step: "so my final answer: 42" is else the end
    of a calculation that is to be judged with it. Without other signs of a trace it must stand on
    the first line.
    """
    inside = _Inside(quoted)
    steps = {text.rfind("\n", 0, marker.end) + 1 for marker in markers}
    chosen, line, seen = None, 0, 0
    for match in _FINAL_INSIDE_LINE.finditer(text):
        line = max(line, text.rfind("\n", seen, match.start()) + 1)
        seen = match.start()
        on_first = not markers and line <= len(text) - len(text.lstrip())
        as_written = line in steps or _AS_A_MARKER.match(match[0])
        if (markers or on_first) and as_written and not inside.covers(match.start()):
            chosen = _Marker("final", match.start(), match.end(), False, False, False)
    return chosen


class _Inside:
    """Tells whether a place lies inside a quotation; places are asked in rising order."""

    def __init__(self, quoted: list[Span]) -> None:
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


Span = tuple[int, int]

_SIGN = re.compile(
    r"^[ \t]{0,3}(?P<fence>`{3,}|~{3,})[^\n]*|^[ \t]*>(?P<line>[^\n]*)"
    r"|(?P<typographic>[“「『«])|`(?P<code>[^`\n]+)`"
    r"|(?P<straight>\"|')|(?P<blank>\n[ \t\r]*\n)",
    re.MULTILINE,
)
_CLOSES = {"“": "”", "「": "」", "『": "』", "«": "»"}
# What may stand before an opening and behind a closing straight mark: 5" and don't are neither.
_BEFORE = frozenset(" \t\r\n([{:,=>*_\\")
_BEHIND = frozenset(" \t\r\n)]}:,.;!?*_\\<")


def quotation_spans(text: str) -> list[Span]:
    """The quoted stretches in their order, without overlap."""
    return _Quotations(text).spans


class _Quotations:
    def __init__(self, text: str) -> None:
        self.text = text
        self.spans: list[Span] = []
        self._opened: dict[str, int] = {}  # straight marks that wait for their partner
        self._hopeless: set[str] = set()  # closing signs that do not come any more
        at = 0
        while sign := _SIGN.search(text, at):
            at = self._after(sign)

    def _after(self, sign: re.Match[str]) -> int:
        """Deals with a sign; returns where to go on."""
        if sign["fence"]:
            return self._until_closing_fence(sign)
        if sign["typographic"]:
            return self._until(sign, _CLOSES[sign["typographic"]])
        if sign["straight"]:
            self._straight(sign["straight"], sign.start())
        elif sign["blank"]:
            self._opened.clear()
            return sign.end() - 1  # its second line break may begin another blank line
        else:
            self._keep(sign.start(), sign.end())
        return sign.end()

    def _keep(self, start: int, end: int) -> None:
        self.spans.append((start, end))
        self._opened.clear()

    def _until_closing_fence(self, sign: re.Match[str]) -> int:
        fence = sign["fence"]
        if fence not in self._hopeless:
            closing = re.compile(rf"^[ \t]{{0,3}}{fence}", re.MULTILINE).search(
                self.text, sign.end()
            )
            if closing:
                self._keep(sign.start(), closing.end())
                return closing.end()
            self._hopeless.add(fence)
        return sign.end()

    def _until(self, sign: re.Match[str], closing: str) -> int:
        if closing not in self._hopeless:
            end = self.text.find(closing, sign.end())
            if end >= 0:
                self._keep(sign.start(), end + 1)
                return end + 1
            self._hopeless.add(closing)
        return sign.end()

    def _straight(self, mark: str, at: int) -> None:
        """Opens after a space or bracket, closes before one; `\\"` of nested JSON counts too."""
        text = self.text
        before = text[at - 1] if at else " "
        behind = text[at + 1] if at + 1 < len(text) else " "
        opened = self._opened.pop(mark, None)
        if opened is not None and not before.isspace() and behind in _BEHIND:
            if mark == '"' or "\n" not in text[opened:at]:
                self.spans.append((opened, at + 1))
        elif before in _BEFORE and not behind.isspace():
            self._opened[mark] = at
