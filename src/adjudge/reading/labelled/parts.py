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
from adjudge.core.scale import Scale

from ..values import holds_value
from ..vocabulary import (
    CLAIMS,
    ERRORS,
    EXPLANATION,
    NOT_A_SCORE,
    OF_A_TITLE,
    QUESTION,
    QUOTES,
    SCORE,
    names_of,
    names_of_all,
    normal,
    one_of,
)
from .tables import TableRow, rows_in, tags_in

PartKind = Literal[
    "score", "criterion", "explanation", "flag", "feedback", "answer", "quotes", "claim", "error"
]
Meaning = tuple[PartKind, str]
_Pairs = tuple[tuple[str, str], ...]

# The words that all prompts of a form have for it.
_WORDS: Mapping[PartKind, frozenset[str]] = {
    "explanation": EXPLANATION,
    "score": SCORE,
    "quotes": QUOTES,
    "claim": CLAIMS,
    "error": ERRORS,
}
# A label without a colon counts only when it is dressed as a heading. Possessive and bounded: a
# line is gone through once, whatever it consists of.
_LABEL = re.compile(
    r"^(?P<dressed>(?=[ \t]*+(?:#|\*\*|__|\d{1,2}[.)][ \t])))?"
    r"(?:[ \t*_#]{0,6}【(?P<boxed>[^【】\n]{1,40})】[*_ \t:：]{0,6}|"
    r"[ \t]*+(?:[-*•>][ \t]++|[*_]{0,3}\d{1,2}[.)][ \t]*+|#{1,6}+[ \t]*+){0,4}+"
    r"(?P<label>[*_\[]{0,4}[^\s:：=→|](?:[^:：=→\n|(]|\([^()\n]{0,40}\)|\((?![^()\n]{0,40}\))){0,79}?)"
    r"[ \t]{0,9}(?P<sign>[:：=→][*_\]]{0,4}|(?(dressed)$|(?!))))",
    re.MULTILINE,
)
# No reply has so many labelled lines; of a text made to have them the last ones count.
_MOST_PARTS = 5000


# <answer>4</answer>: the tag may as well hold the answer that is judged, which is longer.
_ANSWER_TAGS: dict[str, Meaning] = dict.fromkeys(("answer", "final_answer"), ("score", ""))
LONGEST_ANSWER = 30


class LabelledPart(NamedTuple):
    """A labelled part: what it is, whose it is, its text, where that begins, and its label.

    `shown` is the text as the reply has it, with the quotations that are blank in `text`; `number`
    that of the question which it answers.
    """

    kind: PartKind
    name: str
    text: str
    start: int
    label: int
    shown: str
    number: int = 0


class LabelledParts:
    """The parts of a reply, in their order."""

    def __init__(self, parts: Iterable[LabelledPart]) -> None:
        self.parts = list(parts)
        self._of: dict[str, list[LabelledPart]] = defaultdict(list)
        for part in self.parts:
            self._of[part.name].append(part)

    def of(self, name: str, *kinds: PartKind) -> list[LabelledPart]:
        return [part for part in self._of.get(name, ()) if part.kind in kinds]


def find_parts(
    text: str, judge: Judge, criteria: tuple[str, ...], shown: str = ""
) -> LabelledParts:
    """All labelled parts; a bare "Score:" belongs to the criterion that it stands below.

    `shown` is the same text before anything in it was blanked out.
    """
    shown = shown or text
    labels = _labels(judge, criteria)
    lines = _known_lines(text, labels)
    if len(criteria) > 1:
        lines = sorted([*lines, *_bare_headings(text, labels)], key=lambda line: line[2])
    below = criteria[0] if len(criteria) == 1 else ""
    parts: list[LabelledPart] = []
    valued: dict[str, PartKind] = {}
    for number, ((kind, name), begin, label) in enumerate(lines):
        end = lines[number + 1][2] if number + 1 < len(lines) else len(text)
        below = name if kind == "criterion" else below
        if kind == "score" and not name and _is_of_all(text, label, valued.get(below)):
            continue
        if kind == "criterion" and (inside := _IN_LABEL.search(text, label, begin)):
            where = (label, *inside.span(1))
            parts.append(_part("score", name, where, text, shown))
        answer = kind == "answer"
        owner = below if answer else name or below
        part = _part(kind, owner, (label, begin, end), text, shown)
        parts.append(part._replace(number=int(name)) if answer else part)
        if len(criteria) > 1 and _holds_value(judge, part):
            valued[owner] = kind
    if len(criteria) > 1:
        parts += _unmarked(text, judge, criteria, parts)
    if "|" in text:
        parts += _in_tables(text, labels, judge, criteria, shown)
    if "</" in text:
        parts += _in_tags(text, labels, criteria, shown)
    return LabelledParts(parts)


def _holds_value(judge: Judge, part: LabelledPart) -> bool:
    criterion = judge.rubric.criteria.get(part.name)
    if criterion is None or criterion.in_parts or part.kind not in {"score", "criterion"}:
        return False
    return holds_value(criterion.scale, part.text.partition("\n")[0])


def _is_of_all(text: str, label: int, held: PartKind | None) -> bool:
    """Whether a score is none of the criterion above it: that one has its value in its own line, or
    in a line "Score: …", and this is a total."""
    if held != "score":
        return held == "criterion"
    line = _LABEL.match(text, label)
    return line is not None and normal(line["boxed"] or line["label"]) in _TOTALS


# "Tone (4/5): friendly"
_IN_LABEL = re.compile(r"\((\d{1,4}(?:[.,]\d{1,2})?\s?/\s?\d{1,4})\)")
# "Tone - 7", "Tone 7 | Facts 4", "Tone\n7": the names of several criteria, each with its value
_UNMARKED = (
    r"(?<![\w])(?:{names})[*_]{{0,3}}(?:\s{{0,2}}[:：=][*_]{{0,3}}\s{{0,3}}"
    r"|(?:\s[-–—]|[ \t]*+\n)?[*_]{{0,3}}\s{{1,3}})"
    r"(?P<value>[*_]{{0,3}}\d{{1,4}}(?:[.,]\d{{1,3}})?(?:\s?/\s?\d{{1,4}})?[*_]{{0,3}})"
    r"(?=[ \t]*+(?:[,;|]|\.?[ \t]*+$))"
)


def _unmarked(
    text: str, judge: Judge, criteria: tuple[str, ...], parts: Sequence[LabelledPart]
) -> Iterator[LabelledPart]:
    """Values right behind the criteria's names, where at least two have no label of their own."""
    lacking = [
        name
        for name in criteria
        if not any(part.name == name and part.kind != "explanation" and part.text for part in parts)
    ]
    unmarked: list[LabelledPart] = []
    for name in lacking if len(lacking) > 1 or parts else ():
        names = one_of({name, judge.rubric.criteria[name].title})
        pattern = re.compile(_UNMARKED.format(names=names), re.IGNORECASE | re.MULTILINE)
        unmarked += [
            LabelledPart(
                "score", name, match["value"], match.start("value"), match.start(), match["value"]
            )
            for match in islice(pattern.finditer(text), _MOST_PARTS)
        ]
    if len({part.name for part in unmarked}) + len({part.name for part in parts}) > 1:
        yield from unmarked


def _part(
    kind: PartKind, name: str, place: tuple[int, int, int], text: str, shown: str
) -> LabelledPart:
    """The part whose label begins, whose content begins and whose content ends there."""
    label, begin, end = place
    inside = text[begin:end]
    start = begin + len(inside) - len(inside.lstrip())
    return LabelledPart(kind, name, inside.strip(), start, label, shown[begin:end].strip())


def _known_lines(text: str, labels: Mapping[str, Meaning]) -> list[tuple[Meaning, int, int]]:
    """What each labelled line means, where its content begins, and where the line begins."""
    seen: dict[str, Meaning | None] = {}
    lines: deque[tuple[Meaning, int, int]] = deque(maxlen=_MOST_PARTS)
    for match in _LABEL.finditer(text):
        label = match["boxed"] or match["label"]
        if label not in seen:
            seen[label] = labels.get(normal(label))
        meaning = seen[label]
        if meaning is not None:
            lines.append((meaning, match.end(), match.start()))
    return list(lines)


_BARE_LINE = re.compile(r"^[ \t]*+(?P<label>[^\W\d][^\n:：=|*#]{0,60})$", re.MULTILINE)


def _bare_headings(text: str, labels: Mapping[str, Meaning]) -> Iterator[tuple[Meaning, int, int]]:
    """Lines that are nothing but a criterion's name, where there are several criteria."""
    for match in islice(_BARE_LINE.finditer(text), _MOST_PARTS):
        meaning = labels.get(normal(match["label"]))
        if meaning is not None and meaning[0] == "criterion":
            yield meaning, match.end(), match.start()


# The row that sums up a table of other aspects
_TOTALS = frozenset(
    {"total", "overall", "total_score", "overall_score", "overall_rating", "final_score", "average",
     "final_rating", "overall_grade", "final_grade", "final_verdict", "overall_verdict",
     "총점", "합계", "종합", "종합_점수", "전체_점수", "최종_점수",
     "总分", "总得分", "最终得分", "综合得分", "综合评分", "总计",
     "総合", "総合評価", "合計", "tổng", "tổng_điểm", "tổng_cộng", "gesamt", "gesamtbewertung",
     "gesamtpunktzahl", "note_globale", "note_finale", "nota_final", "nota_global",
     "puntuación_total", "pontuação_total"}
)  # fmt: skip


def _in_tables(
    text: str, labels: Mapping[str, Meaning], judge: Judge, criteria: tuple[str, ...], shown: str
) -> list[LabelledPart]:
    """A row "| Tone | 7 | friendly |" is a score and, in its longest other cell, an explanation.

    So is a column headed by the criterion above a single row.
    """
    own = {label: name for label, (kind, name) in labels.items() if kind == "criterion"}
    totals = dict.fromkeys(_TOTALS | SCORE, criteria[0]) if len(criteria) == 1 else {}
    parts: list[LabelledPart] = []
    for row in rows_in(text):
        label = normal(row.cells[0].text)
        name = own.get(label) or totals.get(label)
        if name:
            parts += _in_row(row, name, judge.rubric.criteria[name].scale, shown)
        elif row.alone or label in SCORE:
            headed = ((own.get(cell.head), cell) for cell in row.cells)
            parts += [
                LabelledPart("score", name, cell.text, cell.start, row.start, cell.text)
                for name, cell in headed
                if name and holds_value(judge.rubric.criteria[name].scale, cell.text)
            ]
    return parts


def _in_row(row: TableRow, name: str, scale: Scale, shown: str) -> Iterator[LabelledPart]:
    """The score stands in the column of that name, else in the only cells that hold a value."""
    others = row.cells[1:]
    # Not a maximum or a weight, which is a number too.
    possible = [cell for cell in others if cell.head not in NOT_A_SCORE]
    bare = [cell for other in possible if (cell := other.unlabelled())]
    scores = [cell for cell in bare if cell.head in SCORE]
    held = [cell for cell in scores or bare if holds_value(scale, cell.text)]
    if not held or len({cell.text.strip("*_ ") for cell in held}) > 1:
        return  # a column per answer, a maximum beside the score: it is not clear which
    score = held[0]
    yield LabelledPart("score", name, score.text, score.start, row.start, score.text)
    if texts := [cell for cell in others if cell.start != score.start and len(cell.text) > 3]:
        cell = max(texts, key=lambda cell: len(cell.text))
        text = shown[cell.start : cell.start + len(cell.text)]
        yield LabelledPart("explanation", name, cell.text, cell.start, row.start, text)


def _in_tags(
    text: str, labels: Mapping[str, Meaning], criteria: tuple[str, ...], shown: str
) -> list[LabelledPart]:
    """<score>4</score>, for several criteria inside a tag with the criterion's name."""
    parts: list[LabelledPart] = []
    below, below_ends = (criteria[0], len(text)) if len(criteria) == 1 else ("", 0)
    known = {**_ANSWER_TAGS, **labels} if len(criteria) == 1 else labels
    for label, begin, end in tags_in(text, known):
        kind, name = known[label]
        if label in _ANSWER_TAGS and end - begin > LONGEST_ANSWER:
            continue  # the judged answer
        if kind == "criterion":
            below, below_ends = name, end
        owner = name or (below if begin < below_ends else "")
        parts.append(_part(kind, owner, (begin - len(label) - 2, begin, end), text, shown))
    return parts


def _labels(judge: Judge, criteria: tuple[str, ...]) -> Mapping[str, Meaning]:
    """Normal form of a label → what it labels. The judge's own names go before general words."""
    asked = [judge.rubric.criteria[name] for name in criteria]
    questions = max((len(c.checklist.questions) for c in asked if c.checklist), default=0)
    forms: list[PartKind] = ["quotes"] if any(c.evidence for c in asked) else []
    forms += ["claim"] if any(c.claims for c in asked) else []
    forms += ["error"] if any(c.errors for c in asked) else []
    return _labels_of(
        tuple((section.name, section.title) for section in judge.feedback.values()),
        tuple((rule.criterion, rule.flag) for rule in judge.rubric.flags_of(criteria)),
        tuple((name, judge.rubric.criteria[name].title) for name in criteria),
        questions,
        tuple(forms),
    )


@lru_cache(maxsize=256)  # a run reads every reply with the same few tables, of thousands of words
def _labels_of(
    sections: _Pairs, flags: _Pairs, criteria: _Pairs, questions: int, forms: tuple[PartKind, ...]
) -> Mapping[str, Meaning]:
    table: dict[str, Meaning] = {}
    for form in ("explanation", "score", *forms):
        table |= dict.fromkeys(_WORDS[form], (form, ""))
    for number in range(1, questions + 1):
        names = (f"{word}{number}" for word in QUESTION)
        table |= dict.fromkeys(names, ("answer", str(number)))
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


def criterion_names(judge: Judge, criteria: tuple[str, ...]) -> dict[str, frozenset[str]]:
    return names_of_all({name: judge.rubric.criteria[name].title for name in criteria})
