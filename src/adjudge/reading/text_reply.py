"""Finds the parts of a verdict in a reply of labelled lines and headed sections.

Every line that begins with a label which the judge knows ("Score: 4", "### Tone", "**Strengths**")
opens a part; what follows belongs to it until the next one. Where a label stands twice, the last
one counts: judges weigh aloud first and decide at the end. What they quote is blank by then.
"""

from __future__ import annotations

import re
from collections import defaultdict, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import islice
from types import MappingProxyType
from typing import Literal, NamedTuple

from adjudge.core.judge import Judge
from adjudge.core.scale import NotAValue, Scale, as_truth

from .brackets import bracketed
from .entries import split_entries, without_fillers
from .place import Place
from .tables import Row, rows_in
from .tags import tags_in
from .titles import names_of_all
from .words import EXPLANATION, OF_A_TITLE, OTHER_LABELS, SCORE, names_of, normal
from .written import holds_value, value_of

Kind = Literal["score", "criterion", "explanation", "flag", "feedback"]
Meaning = tuple[Kind, str]
_Pairs = tuple[tuple[str, str], ...]

# A label without a colon counts only when it is dressed as a heading. Possessive and bounded: a
# line is gone through once, whatever it consists of.
_LABEL = re.compile(
    r"^(?P<dressed>(?=[ \t]*+(?:#|\*\*|__|\d{1,2}[.)][ \t])))?"
    r"[ \t]*+(?:[-*•>][ \t]++|[*_]{0,3}\d{1,2}[.)][ \t]*+|#{1,6}+[ \t]*+){0,4}+"
    r"(?P<label>[*_\[]{0,4}[^\s:：=→|](?:[^:：=→\n|(]|\([^()\n]{0,40}\)|\((?![^()\n]{0,40}\))){0,79}?)"
    r"[ \t]{0,9}(?P<sign>[:：=→][*_\]]{0,4}|(?(dressed)$|(?!)))",
    re.MULTILINE,
)
# In a line as long as a sentence only a number near the label can be meant for a value.
_SENTENCE, _NEAR = 60, 25
# No reply has so many labelled lines; of a text made to have them the last ones count.
_MOST_PARTS = 5000


# <answer>4</answer>: the tag may as well hold the answer that is judged, which is longer.
_ANSWER_TAGS: dict[str, Meaning] = dict.fromkeys(("answer", "final_answer"), ("score", ""))
_LONGEST_ANSWER = 30


class Part(NamedTuple):
    """A labelled part: what it is, whose it is, its text, where that begins, and its label.

    `shown` is the text as the reply has it, with the quotations that are blank in `text`.
    """

    kind: Kind
    name: str
    text: str
    start: int
    label: int
    shown: str


class Parts:
    """The parts of a reply, in their order."""

    def __init__(self, parts: Iterable[Part]) -> None:
        self.parts = list(parts)
        self._of: dict[str, list[Part]] = defaultdict(list)
        for part in self.parts:
            self._of[part.name].append(part)

    def of(self, name: str, *kinds: Kind) -> list[Part]:
        return [part for part in self._of.get(name, ()) if part.kind in kinds]


def find_parts(text: str, judge: Judge, criteria: tuple[str, ...], shown: str = "") -> Parts:
    """All labelled parts; a bare "Score:" belongs to the criterion that it stands below.

    `shown` is the same text before anything in it was blanked out.
    """
    shown = shown or text
    labels = _labels(judge, criteria)
    lines = _known_lines(text, labels)
    if len(criteria) > 1:
        lines = sorted([*lines, *_bare_headings(text, labels)], key=lambda line: line[2])
    below = criteria[0] if len(criteria) == 1 else ""
    parts: list[Part] = []
    for number, ((kind, name), begin, label) in enumerate(lines):
        end = lines[number + 1][2] if number + 1 < len(lines) else len(text)
        below = name if kind == "criterion" else below
        parts.append(_part(kind, name or below, (label, begin, end), text, shown))
    if len(criteria) > 1:
        parts += _unmarked(text, judge, criteria, parts)
    if "|" in text:
        parts += _in_tables(text, labels, judge, criteria, shown)
    if "</" in text:
        parts += _in_tags(text, labels, criteria, shown)
    return Parts(parts)


# "Tone - 7", "Tone 7 | Facts 4", "Tone\n7": the names of several criteria, each with its value
_UNMARKED = (
    r"(?<![\w])(?:{names})[*_]{{0,3}}"
    r"(?:\s{{0,2}}[:：=]|\s[-–—]|[ \t]*+\n)?[*_]{{0,3}}\s{{1,3}}"
    r"(?P<value>[*_]{{0,3}}\d{{1,4}}(?:[.,]\d{{1,3}})?(?:\s?/\s?\d{{1,4}})?[*_]{{0,3}})"
    r"(?=[ \t]*+(?:[,;|]|\.?[ \t]*+$))"
)


def _unmarked(
    text: str, judge: Judge, criteria: tuple[str, ...], parts: Sequence[Part]
) -> Iterator[Part]:
    """Values right behind the criteria's names, where at least two have no label of their own."""
    lacking = [
        name
        for name in criteria
        if not any(part.name == name and part.kind != "explanation" and part.text for part in parts)
    ]
    found: list[Part] = []
    for name in lacking if len(lacking) > 1 or parts else ():
        titles = {name, judge.rubric.criteria[name].title}
        names = "|".join(map(re.escape, sorted(titles, key=len, reverse=True)))
        pattern = re.compile(_UNMARKED.format(names=names), re.IGNORECASE | re.MULTILINE)
        found += [
            Part("score", name, match["value"], match.start("value"), match.start(), match["value"])
            for match in islice(pattern.finditer(text), _MOST_PARTS)
        ]
    if len({part.name for part in found}) + len({part.name for part in parts}) > 1:
        yield from found


def _part(kind: Kind, name: str, place: tuple[int, int, int], text: str, shown: str) -> Part:
    """The part whose label begins, whose content begins and whose content ends there."""
    label, begin, end = place
    inside = text[begin:end]
    start = begin + len(inside) - len(inside.lstrip())
    return Part(kind, name, inside.strip(), start, label, shown[begin:end].strip())


def _known_lines(text: str, labels: Mapping[str, Meaning]) -> list[tuple[Meaning, int, int]]:
    """What each labelled line means, where its content begins, and where the line begins."""
    seen: dict[str, Meaning | None] = {}
    lines: deque[tuple[Meaning, int, int]] = deque(maxlen=_MOST_PARTS)
    for found in _LABEL.finditer(text):
        label = found["label"]
        if label not in seen:
            seen[label] = labels.get(normal(label))
        meaning = seen[label]
        if meaning is not None:
            lines.append((meaning, found.end(), found.start()))
    return list(lines)


_BARE_LINE = re.compile(r"^[ \t]*+(?P<label>[^\W\d][^\n:：=|*#]{0,60})$", re.MULTILINE)


def _bare_headings(text: str, labels: Mapping[str, Meaning]) -> Iterator[tuple[Meaning, int, int]]:
    """Lines that are nothing but a criterion's name, where several criteria need telling apart."""
    for found in islice(_BARE_LINE.finditer(text), _MOST_PARTS):
        meaning = labels.get(normal(found["label"]))
        if meaning is not None and meaning[0] == "criterion":
            yield meaning, found.end(), found.start()


# The row that sums up a table of other aspects
_TOTALS = frozenset(
    {"total", "overall", "total_score", "overall_score", "overall_rating", "final_score", "average",
     "final_rating", "총점", "합계", "종합", "总分", "综合得分", "综合评分", "总计", "総合",
     "総合評価", "合計", "tổng", "tổng_điểm", "tổng_cộng", "gesamt", "gesamtbewertung"}
)  # fmt: skip


def _in_tables(
    text: str, labels: Mapping[str, Meaning], judge: Judge, criteria: tuple[str, ...], shown: str
) -> list[Part]:
    """A row "| Tone | 7 | friendly |" is a score and, in its longest other cell, an explanation.

    So is a column headed by the criterion above a single row.
    """
    own = {label: name for label, (kind, name) in labels.items() if kind == "criterion"}
    totals = dict.fromkeys(_TOTALS | SCORE, criteria[0]) if len(criteria) == 1 else {}
    parts: list[Part] = []
    for row in rows_in(text):
        label = normal(row.cells[0].text)
        name = own.get(label) or totals.get(label)
        if name:
            parts += _in_row(row, name, judge.rubric.criteria[name].scale, shown)
        elif row.alone or label in SCORE:
            headed = ((own.get(cell.head), cell) for cell in row.cells)
            parts += [
                Part("score", name, cell.text, cell.start, row.start, cell.text)
                for name, cell in headed
                if name and holds_value(judge.rubric.criteria[name].scale, cell.text)
            ]
    return parts


def _in_row(row: Row, name: str, scale: Scale, shown: str) -> Iterator[Part]:
    """The score stands in the column of that name, else in the only cells that hold a value."""
    others = row.cells[1:]
    bare = [cell for each in others if not each.is_other and (cell := each.unlabelled())]
    scores = [cell for cell in bare if cell.is_score]
    held = [cell for cell in scores or bare if holds_value(scale, cell.text)]
    if not held or len({cell.text.strip("*_ ") for cell in held}) > 1:
        return  # a column an answer, a maximum beside the score: no telling which
    score = held[0]
    yield Part("score", name, score.text, score.start, row.start, score.text)
    texts = [cell for cell in others if cell.start != score.start and len(cell.text) > 3]
    if texts:
        cell = max(texts, key=lambda each: len(each.text))
        told = shown[cell.start : cell.start + len(cell.text)]
        yield Part("explanation", name, cell.text, cell.start, row.start, told)


def _in_tags(
    text: str, labels: Mapping[str, Meaning], criteria: tuple[str, ...], shown: str
) -> list[Part]:
    """<score>4</score>, for several criteria inside a tag with the criterion's name."""
    parts: list[Part] = []
    below, below_ends = (criteria[0], len(text)) if len(criteria) == 1 else ("", 0)
    known = {**_ANSWER_TAGS, **labels} if len(criteria) == 1 else labels
    for label, begin, end in tags_in(text, known):
        kind, name = known[label]
        if label in _ANSWER_TAGS and end - begin > _LONGEST_ANSWER:
            continue  # the judged answer
        if kind == "criterion":
            below, below_ends = name, end
        owner = name or (below if begin < below_ends else "")
        parts.append(_part(kind, owner, (begin - len(label) - 2, begin, end), text, shown))
    return parts


def _labels(judge: Judge, criteria: tuple[str, ...]) -> Mapping[str, Meaning]:
    """Normal form of a label → what it labels. The judge's own names go before general words."""
    return _labels_of(
        tuple((section.name, section.title) for section in judge.feedback.values()),
        tuple((rule.criterion, rule.flag) for rule in judge.rubric.flags_of(criteria)),
        tuple((name, judge.rubric.criteria[name].title) for name in criteria),
    )


@lru_cache(maxsize=256)  # a run reads every reply with the same few tables, of thousands of words
def _labels_of(sections: _Pairs, flags: _Pairs, criteria: _Pairs) -> Mapping[str, Meaning]:
    table: dict[str, Meaning] = dict.fromkeys(EXPLANATION, ("explanation", ""))
    table |= dict.fromkeys(SCORE, ("score", ""))
    for name, title in sections:
        table |= dict.fromkeys(names_of(name, title), ("feedback", name))
    for criterion, flag in flags:
        table[normal(flag)] = table[normal(f"{criterion}.{flag}")] = ("flag", flag)
    for name, titles in names_of_all(dict(criteria)).items():
        table |= dict.fromkeys(titles, ("criterion", name))
        for title in titles:
            table |= {f"{title}_{word}": ("score", name) for word in OF_A_TITLE}
            table |= {f"{title}_{word}": ("explanation", name) for word in EXPLANATION}
    return MappingProxyType(table)


def names_of_criteria(judge: Judge, criteria: tuple[str, ...]) -> dict[str, frozenset[str]]:
    return names_of_all({name: judge.rubric.criteria[name].title for name in criteria})


def score_in(parts: Parts, scale: Scale, name: str) -> Place | None:
    """What stands in the criterion's last score line, and which line that is.

    A line under the criterion's own name counts when a value stands in it ("Tone: 7"), and is a
    heading or an explanation otherwise ("Tone: rather cold").
    """
    seen: dict[str, Place | None] = {}
    doubtful: Place | None = None
    for part in reversed(parts.of(name, "score", "criterion")):
        first = part.text.split("\n", 1)[0]
        if first not in seen:
            seen[first] = _value_in(scale, part, first)
        held = seen[first]
        if held is not None:
            return _value_in(scale, part, first)
        if part.kind == "criterion" or not first:
            continue
        span = (part.start, part.start + len(first))
        line = Place(first, f"line “Score: {first[:30]}”", span, part.label, form="label")
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


def _value_in(scale: Scale, part: Part, first: str) -> Place | None:
    """The value that the part's first line holds."""
    inside = bracketed(first) if "[[" in first else None
    if inside and inside.span and holds_value(scale, str(inside.raw)):
        begin, end = inside.span
        return Place(
            inside.raw,
            inside.words,
            (part.start + begin, part.start + end),
            part.label,
            form="label",
        )
    label = "Score" if part.kind == "score" else part.name
    if holds_value(scale, first):
        span = (part.start, part.start + len(first))
        return Place(first, f"line “{label}: {first[:30]}”", span, part.label, form="label")
    behind = _BEHIND.search(first) if part.kind == "criterion" else None
    if behind and holds_value(scale, behind["value"]):
        begin, end = (part.start + at for at in behind.span("value"))
        return Place(
            behind["value"],
            f"line “{label}: … {behind['value']}”",
            (begin, end),
            part.label,
            form="label",
        )
    unknown = _UNKNOWN.match(first)
    if part.kind == "score" and unknown and _alone_below(part.text, unknown["label"]):
        rest = first[unknown.end() :]
        if holds_value(scale, rest):
            begin = part.start + unknown.end()
            return Place(
                rest, f"line “{first[:40]}”", (begin, begin + len(rest)), part.label, form="label"
            )
    return None


def _alone_below(text: str, label: str) -> bool:
    """Whether no other label follows, whose value could as well be the one."""
    below = text.split("\n", 2)[1:]
    return normal(label) not in OTHER_LABELS and not any(_UNKNOWN.match(line) for line in below)


# What some prompts let a reply end with, behind the reason: "[RESULT] 4"
_RESULT = re.compile(r"\s*+\[RESULT\][\s:]{0,3}[\[(]{0,2}[^\s\[\]()]{1,20}[\])]{0,2}\.?\s*+\Z")
# "7 - friendly and calm", "yes, since it greets": the value, then the reason
_VALUE = re.compile(r"^\W{0,9}(?:\d[\d.,/]*+\W{0,9}|[^\n,.;:(–—-]{1,60}(?:[\n,.;:(–—-]\W{0,9}|\Z))")


def explanation_in(parts: Parts, scale: Scale, name: str) -> str | None:
    """The criterion's explanation, or what is written below or behind its score line."""
    for part in reversed(parts.of(name, "explanation")):
        reason = _RESULT.sub("", part.shown).strip()
        if reason and not (len(reason) <= _LONGEST_ANSWER and holds_value(scale, reason)):
            return reason
    seen: set[str] = set()
    for own in parts.of(name, "criterion"):
        text = own.shown
        if text in seen:
            continue
        seen.add(text)
        try:
            value_of(scale, own.text.split("\n", 1)[0])
        except NotAValue:
            if text:
                return text
        else:
            behind = _VALUE.sub("", text, count=1).strip()
            if len(behind) > 2:
                return behind
    return None


def flags_in(parts: Parts) -> dict[str, bool]:
    found: dict[str, bool] = {}
    for part in parts.parts:
        if part.kind == "flag":
            bare = part.text[:80].strip("*_` ")
            truth = as_truth(re.split(r"[\s.,;(–—-]", bare, maxsplit=1)[0])
            if truth is not None:
                found[part.name] = truth
    return found


def feedback_in(parts: Parts, judge: Judge) -> dict[str, str | tuple[str, ...]]:
    out: dict[str, str | tuple[str, ...]] = {}
    for section in judge.feedback.values():
        own = parts.of(section.name, "feedback")
        if own and own[-1].shown:
            text = own[-1].shown
            if not section.list:
                out[section.name] = text
            elif said := without_fillers(
                split_entries(text), names_of(section.name, section.title)
            ):
                out[section.name] = said
    return out
