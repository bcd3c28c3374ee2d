"""Finds the parts of a verdict in a reply of labelled lines and headed sections.

Every line that begins with a label which the judge knows ("Score: 4", "### Tone", "**Strengths**")
opens a part; what follows belongs to it until the next one. Where a label stands twice, the last
one counts: judges weigh aloud first and decide at the end, and quotations of the judged text, which
may hold grading lines of their own, come before the decision.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

from adjudge.core.judge import Judge
from adjudge.core.scale import NotAValue, as_truth

from .json_reply import split_entries
from .place import Place
from .tables import rows_in
from .titles import names_of_all
from .words import EXPLANATION, SCORE, names_of, normal
from .written import holds_value, value_of

Kind = Literal["score", "criterion", "explanation", "flag", "feedback"]

_LABEL = re.compile(
    r"^[ \t]*(?:[-*•>][ \t]+|\d{1,2}[.)][ \t]*|#{1,6}[ \t]*)*"
    r"(?P<label>[*_\[]*[^\s:：=|][^:：=\n|]{0,79}?)"
    r"[ \t]*(?P<sign>[:：=][*_\]]*|$)(?P<rest>[^\n]*)$",
    re.MULTILINE,
)
# [[4]], [[Rating: 4]], [[Rating: [4]]], [[rating]]: 4, [[rating]]: [4], [[Rating]: 4]
_BRACKETS = re.compile(
    r"\[\[\s*(?:[^\W\d]+\s*\]\]\s*[:：]?\s*\[*\s*(\d+(?:[.,]\d+)?(?:/\d+)?)(?![\d%])"
    r"|[^\W\d]+\s*\]\s*[:：]\s*(\d+(?:[.,]\d+)?)\s*\]"
    r"|(?:[^\[\]\n]{0,30}[:：]\s*)?\[?\s*([^\[\]\n:：]{1,40}?)\s*\]{2,3})",
    re.MULTILINE,
)


@dataclass(slots=True)
class Part:
    """A labelled part: what it is, whose it is, and its text."""

    kind: Kind
    name: str
    text: str
    start: int


@dataclass(slots=True)
class Parts:
    """The parts of a reply in their order."""

    parts: list[Part] = field(default_factory=list)

    def last(self, kind: Kind, name: str) -> Part | None:
        return next((p for p in reversed(self.parts) if (p.kind, p.name) == (kind, name)), None)

    def all(self, kind: Kind, name: str) -> Iterator[Part]:
        return (p for p in self.parts if (p.kind, p.name) == (kind, name))


def find_parts(text: str, judge: Judge, criteria: tuple[str, ...]) -> Parts:
    """All labelled parts; a bare "Score:" belongs to the criterion that it stands below."""
    labels = _labels(judge, criteria)
    out = Parts()
    below = criteria[0] if len(criteria) == 1 else ""
    last_end: int | None = None
    for found in _LABEL.finditer(text):
        meaning = labels.get(normal(found["label"]))
        if meaning is None or (not found["sign"] and not _is_heading(found[0])):
            continue
        if last_end is not None:
            out.parts[-1].text += text[last_end : found.start()]
        kind, name = meaning
        if kind == "criterion":
            below = name
        out.parts.append(Part(kind, name or below, found["rest"], found.start("rest")))
        last_end = found.end()
    if last_end is not None:
        out.parts[-1].text += text[last_end:]
    for part in out.parts:
        part.start += len(part.text) - len(part.text.lstrip())
        part.text = part.text.strip()
    _add_tables(out, text, labels, judge)
    return out


def _add_tables(out: Parts, text: str, labels: dict[str, tuple[Kind, str]], judge: Judge) -> None:
    """A row "| Tone | 7 | friendly |" is a score and, in its longest other cell, an explanation."""
    for label, cells in rows_in(text):
        kind, name = labels.get(label, ("flag", ""))
        if kind != "criterion":
            continue
        scale = judge.rubric.criteria[name].scale
        for cell, span in cells:
            if holds_value(scale, cell):
                out.parts.append(Part("score", name, cell, text.index(cell, span[0])))
                texts = [other for other, _ in cells if other != cell and len(other) > 3]
                if texts:
                    out.parts.append(Part("explanation", name, max(texts, key=len), span[0]))
                break


def _is_heading(line: str) -> bool:
    """A label without a colon counts only when it is dressed as a heading."""
    bare = line.strip()
    return bare.startswith(("#", "**", "__")) or bool(re.match(r"\d{1,2}[.)]\s", bare))


def _labels(judge: Judge, criteria: tuple[str, ...]) -> dict[str, tuple[Kind, str]]:
    """Normal form of a label → what it labels. The judge's own names go before general words."""
    table: dict[str, tuple[Kind, str]] = dict.fromkeys(EXPLANATION, ("explanation", ""))
    table |= dict.fromkeys(SCORE, ("score", ""))
    for section in judge.feedback.values():
        table |= dict.fromkeys(names_of(section.name, section.title), ("feedback", section.name))
    for rule in judge.rubric.flags_of(criteria):
        table[normal(rule.flag)] = table[normal(f"{rule.criterion}.{rule.flag}")] = (
            "flag",
            rule.flag,
        )
    for name, titles in names_of_criteria(judge, criteria).items():
        table |= dict.fromkeys(titles, ("criterion", name))
        for title in titles:
            table |= {f"{title}_{word}": ("score", name) for word in SCORE}
            table |= {f"{title}_{word}": ("explanation", name) for word in EXPLANATION}
    return table


def names_of_criteria(judge: Judge, criteria: tuple[str, ...]) -> dict[str, frozenset[str]]:
    return names_of_all({name: judge.rubric.criteria[name].title for name in criteria})


def score_in(parts: Parts, judge: Judge, name: str) -> Place | None:
    """What stands in the criterion's last score line, and which line that is.

    A line under the criterion's own name counts when a value stands in it ("Tone: 7"), and is a
    heading or an explanation otherwise ("Tone: rather cold").
    """
    scale = judge.rubric.criteria[name].scale
    found: Place | None = None
    for part in parts.parts:
        if part.name != name or part.kind not in {"score", "criterion"}:
            continue
        first = part.text.split("\n", 1)[0]
        inside = bracketed(first)
        if inside and inside.span and holds_value(scale, str(inside.raw)):
            begin, end = inside.span
            found = Place(inside.raw, inside.words, (part.start + begin, part.start + end))
            continue
        if not holds_value(scale, first):
            # A heading or prose; only what could be a number casts doubt on an earlier value.
            doubtful = found is None or any(sign.isdigit() for sign in first)
            if part.kind == "criterion" or not first or not doubtful:
                continue
        label = "Score" if part.kind == "score" else name
        span = (part.start, part.start + len(first))
        found = Place(first, f"line “{label}: {first[:30]}”", span)
    return found


def bracketed(text: str) -> Place | None:
    """The content of the last [[…]], without a label inside it: [[Rating: 7]] → "7"."""
    all_of_them = list(_BRACKETS.finditer(text))
    if not all_of_them:
        return None
    last = all_of_them[-1]
    line = text.rfind("\n", 0, last.start())
    beside = {found[0] for found in all_of_them if found.start() > line}
    if len(beside) > 1:  # "[[A]] or [[B]]", "[[3]], [[5]]"
        return Place(" ".join(sorted(beside)), "several [[…]] on one line")
    group = next(number for number in (1, 2, 3) if last[number])
    return Place(last[group].strip(), last[0], last.span(group))


def explanation_in(parts: Parts, judge: Judge, name: str) -> str | None:
    """The criterion's explanation, or what is written below or behind its score line."""
    part = parts.last("explanation", name)
    if part and part.text:
        return part.text
    scale = judge.rubric.criteria[name].scale
    for own in parts.all("criterion", name):
        text = own.text
        try:
            value_of(scale, text.split("\n", 1)[0])
        except NotAValue:
            if text:
                return text
        else:
            # "7 - friendly and calm": the value, then the reason
            behind = re.sub(r"^\W*[\d.,/]+\W*", "", text).strip()
            if len(behind) > 2:
                return behind
    return None


def flags_in(parts: Parts) -> dict[str, bool]:
    found: dict[str, bool] = {}
    for part in parts.parts:
        if part.kind == "flag":
            first = re.split(r"[\s.,;(–—-]", part.text.strip("*_` "), maxsplit=1)[0]
            truth = as_truth(first)
            if truth is not None:
                found[part.name] = truth
    return found


def feedback_in(parts: Parts, judge: Judge) -> dict[str, str | tuple[str, ...]]:
    out: dict[str, str | tuple[str, ...]] = {}
    for section in judge.feedback.values():
        part = parts.last("feedback", section.name)
        if part and part.text:
            out[section.name] = split_entries(part.text) if section.list else part.text
    return out
