"""The labels of a reply in text: its lines, tags and titles, and what each leaves a place for."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import islice
from typing import Literal

from .findings import Words
from .label_examples import by_examples
from .naming import slug
from .ranges import find_ranges
from .roles import sounds_like_input
from .sample import described
from .scales import ScaleFound, find_scale
from .vocabulary import words
from .words import CONFIDENCES, COUNTS, EXPLANATIONS, RATINGS, REASONS, SCORES, SUMS, VERDICTS

Kind = Literal["", "numbers", "choices"]

SCORES_AND_VERDICTS = SCORES | VERDICTS
# Words in the title of a criterion, at most; those of a plain one.
_LONGEST, SHORT = 8, 4
_MOST_LINES = 400
SCALED = (
    rf"-?\d+(?:[.,]\d+)?\s*(?:{words('point')})?\s*(?:[-–~〜～]|{words('to')})\s*\d+(?:[.,]\d+)?"
)
SCORE_LINE = re.compile(
    rf"^[ \t]*+(?:[-*•][ \t]*+)?[*#]*+[ \t]*+(?P<title>(?:[^\W\d_][\w ]{{0,24}})?"
    rf"{words('rating', 'verdict')})\**[ \t]*[:：]"
    r"(?!\**[ \t]*[\"“]?[{$%<])(?![ \t]*\**[ \t]*[A-Z][\w'’]+ [\w'’]+ [\w'’]+ [\w'’]+)",
    re.IGNORECASE | re.MULTILINE,
)
# Words of an instruction, which are no title: 请对以下回答打分（1-5分）.
SENTENCE = re.compile(
    r"请|打分|评分|回答|给出|数字|평가|점수|답변|숫자|採点|評価|回答|スコア|してください|[。、，,]"
    r"|[\u3040-\u30ff\u4e00-\u9fff]{9}"
)
# A line of the reply: "결과: [pass 또는 fail]", "Clarity: ?/5", "correct: Answer 'yes' if …".
_LINE = re.compile(
    r"^[ \t]*+(?:(?:[-*•>]|\d{1,2}[.)]|#+)[ \t]*+)?[<【*_`\"]{0,3}"
    r"(?P<title>[^\W\d][^\n:：()（）*{}<>\[\]\"`】?？!。«“„]{0,60}?)"
    r"[*_`\"]{0,3}[ \t]*(?:[:：]|】[:：]?)\*{0,2}[ \t]*(?P<rest>\S[^\n]*)$",
    re.MULTILINE,
)
_OPEN_LINE = re.compile(
    r"^[ \t]*+(?:(?:[-*•>]|\d{1,2}[.)]|#+)[ \t]*+)?[<【*_`\"]{0,3}"
    r"(?P<title>[^\W\d][^\n:：()（）*{}<>\[\]\"`】?？!。«“„]{0,40}?)"
    r"[*_`\"]{0,3}[ \t]*[:：]\*{0,2}[ \t]*(?:\.\.\.|…)?[ \t]*$",
    re.MULTILINE,
)
_SCORES_HEAD = re.compile(
    rf"^[ \t]*+\|[^\n]*?{words('score')}[^\n]*\|", re.IGNORECASE | re.MULTILINE
)
# "| Clarity | | |": a row of a table to be filled in
_OPEN_ROW = re.compile(
    r"^[ \t]*+\|[ \t*]*+(?P<title>[^\W\d][^|\n]{0,40}?)[ \t*]{0,9}\|"
    r"(?:[ \t_?…]{0,20}\|){1,4}[ \t]*$",
    re.MULTILINE,
)
# Below it stands an input, in quotes or not.
_SHOWN_BELOW = re.compile(r"\s{0,4}[\"'`<\[]{0,4}\s{0,2}[{$%‹<]")
# Where the value of such a line goes: in brackets, as X/5, or the options by themselves.
_SLOT = re.compile(
    r"<[^<>\n]{1,160}>(?:\s?/\s?\d{1,3})?|\[[^\[\]\n]{1,120}\](?:\s?/\s?\d{1,3})?|"
    r"[\"“]?[<\[({（【][^\n]{1,80}?[>\])}）】](?:\s?/\s?\d{1,3})?"
    r"|[\"“]?(?:[xXnN〇○◯]{1,2}|\?|_+|\.\.\."
    r"|…)\s?/\s?\d{1,3}|/\s?\d{1,3}\b"
    rf"|[^\W\d][\w+-]{{0,20}}(?:\s?(?:[|/]|{words('or')})\s?[\w+ -]{{1,20}}){{1,6}}\s*$"
    rf"|{SCALED}\s*(?:{words('point')})?(?:\s*$|(?=[,.;，。；(（]\s?[^\d\s]))",
    re.IGNORECASE,
)
# "Tone: [Yes/No], Depth: [Yes/No]" in one line: where the next one begins
_NEXT_IN_LINE = re.compile(
    r"(?:(?<=[\])>}])|(?<=/\d)|(?<=/1\d)|(?<=[:：] [XN?_]))[,;|][ \t]"
    r"(?=[^\W\d][^\n:：,;|\[\]()<>]{0,40}[:：][ \t]?(?:[\[<({]|[XN?_]+\b|\?))"
)
# "correctness=X, completeness=Y", "helpfulness:X coherence:X"
_IN_ONE_LINE = re.compile(
    r"(?P<lead>^|[\s\"'`“「(\[])(?:[^\W\d]\w{1,30}[ ]?[:=：][ ]?"
    r"(?:[XYZNxyzn]|\?|_+|<[^<>\n]{1,20}>)"
    r"(?:[ ]?[,;|/][ ]?|[ ]|(?=[\s\"'`”」)\].]|$))){2,12}(?P<end>[\"'`”」)\].]?)",
    re.MULTILINE,
)
# A place without a scale of its own: "Clarity: X", "명확성: [점수]", "Tone: 4".
_PLACE = re.compile(
    rf"(?:[XNxn#?〇○◯]{{1,2}}%?|_{{1,10}}|\.\.\.|…"
    rf"|\d{{1,3}}(?:\.\d)?(?:\s?/\s?\d{{1,3}})?(?!\s*{words('point')})"
    rf"|[<\[(（【]\s?(?:[^\n<>\[\](){{}}]{{0,24}}?"
    rf"{words('rating', 'number', 'whole', 'decimal')}[^\n<>\[\](){{}}]{{0,16"
    rf"}}?|[XNxn#?])\s?[>\])）】]"
    rf"|{words('rating', 'number', 'whole', 'point')})\s*(?:{words('point')})?[.。]?[*_`\"]{{0,3}}"
    rf"(?:\s?[/,|–-]\s?{words('explanation')})?\s*$",
    re.IGNORECASE,
)
_DOTS = frozenset({"...", "…"})
_CONDITION = re.compile(r"(?:if|when|wenn|falls|si|se|nếu|khi)\b|如果|もし", re.IGNORECASE)
_TAG = re.compile(
    r"<(?P<name>[A-Za-z][\w-]{1,40})>(?P<inner>[^<>\n]{1,120}"
    r"|\s*\n[^<>\n]{1,120}\n\s*)</(?P=name)>",
    re.IGNORECASE,
)
# <S2>your Score</S2>
_SCORE_HERE = re.compile(
    rf"(?:your|the|my) (?:\w+ )?{words('rating', 'verdict')}(?: here)?", re.IGNORECASE
)
_TITLE_LINE = re.compile(
    r"^(?:#{1,6}[ \t]+|\*\*)(?P<title>[^\n*:：]{1,60}?)[*:： \t]*$", re.MULTILINE
)
_FORM = re.compile(words("format"), re.IGNORECASE)
# "Clarity (Klarheit): …", a line of prose with a title
_TITLED_LINE = re.compile(
    r"^[ \t]*+(?:(?:[-*•]|\d{1,2}[.)])[ \t]*+)?\**(?P<title>[^\W\d][^\n:：*]{1,40}?)\**"
    r"[ \t]*[:：]\**[ \t]+\S",
    re.MULTILINE,
)


@dataclass(frozen=True, slots=True)
class CriterionFound:
    """A criterion: its name, its title, where it was read, and the words that stand in the place of
    its value (`own`), which may be an `example` of a verdict; `shown` are all the examples, `doubt`
    what speaks against its being all that is scored."""

    name: str
    title: str
    at: int
    floats: bool = False
    truth: bool = False
    own: str = ""
    kind: Kind = ""
    example: str = ""
    shown: tuple[str, ...] = ()
    doubt: Words = ""


def from_tags(text: str) -> list[CriterionFound]:
    """<verdict>yes|no</verdict>, <clarity_score>1-5</clarity_score>: tags that hold a scale."""
    criteria = []
    for tag in _TAG.finditer(text):
        name, inner = slug(tag["name"]), tag["inner"].strip()
        if name in EXPLANATIONS or name in CONFIDENCES or re.search(r"\{\s?\w+\s?\}", inner):
            continue
        known = name in SCORES_AND_VERDICTS or name.endswith(("_score", "_rating"))
        scale = find_scale(inner, labelled=True)
        numbers = scale is not None and scale.scale["type"] != "category"
        if _SCORE_HERE.fullmatch(inner):
            criteria.append(CriterionFound(name if known else "score", tag["name"], tag.start()))
        elif (known and scale) or numbers or _PLACE.fullmatch(inner):
            criteria.append(CriterionFound(name, tag["name"], tag.start(), own=inner))
    return distinct(criteria)


@lru_cache(maxsize=2)  # asked for once more by those who doubt
def from_lines(text: str) -> list[CriterionFound]:
    """Lines of the reply that show where their value goes, or such in one line with commas."""
    text = _NEXT_IN_LINE.sub(" \n", _IN_ONE_LINE.sub(_one_per_line, text))
    lines = [line for line in islice(_LINE.finditer(text), _MOST_LINES) if _may_tell(line)]
    places = [line for line in lines if _PLACE.fullmatch(line["rest"].strip())]
    shown_as = {line["title"] for line in lines if line["rest"].startswith("‹")}
    places = [line for line in places if not _is_data(line["title"].strip(), shown_as)]
    if any(
        line["rest"].strip() not in _DOTS for line in places
    ):  # "Missing words: ..." is no score
        places = [
            line for line in places if line["rest"].strip() not in _DOTS or line["title"] in RATINGS
        ]
    headed = _below_headings(text, lines) or _filled_in(lines)
    if headed:
        return headed
    ranged = bool(places) and bool(find_ranges(text))
    criteria: list[CriterionFound] = []
    shown = by_examples(lines)
    for line in lines:
        title, rest = line["title"].strip(), line["rest"].strip()
        if title in shown:
            name = slug(title) or _unnamed(title, criteria)
            criteria.append(CriterionFound(name, title, line.start("title"), own=shown[title]))
            continue
        own = _scaled(text, line)
        if own or (ranged and line in places and _stands_in_a_form(text, line, places)):
            name = slug(title) or _unnamed(title, criteria)
            criteria.append(
                CriterionFound(name, title, line.start("title"), own=rest if own else "")
            )
    left_open = _left_open(text)
    if len(criteria) + len(left_open) > 1:
        criteria = sorted([*criteria, *left_open], key=lambda one: one.at)
    parts = [criterion for criterion in criteria if criterion.title not in SUMS or criterion.own]
    criteria = parts if len(parts) > 1 else criteria
    quoted = all(text[criterion.at - 1 : criterion.at] in {'"', "`"} for criterion in criteria)
    return distinct(criteria) if quoted else _alone(distinct(criteria))


def _is_data(title: str, shown_as: Set[str]) -> bool:
    """Whether a number behind this label is counted, or an item of an example: "Answer: 5" where
    the item itself stands behind "Answer:"."""
    return title in COUNTS or (title in shown_as and sounds_like_input(title))


def open_labels(text: str) -> Iterator[re.Match[str]]:
    """The labels of a form that has nothing behind them: "Relevance:", "Score:"."""
    for line in islice(_OPEN_LINE.finditer(text), _MOST_LINES):
        title = line["title"].strip()
        of_score = title not in CONFIDENCES and title not in REASONS and len(title.split()) <= SHORT
        if of_score and not _SHOWN_BELOW.match(text, line.end()) and _is_form(text, line.start()):
            yield line


def alike_places(text: str) -> list[str]:
    """The labels of a form whose places hold the same words: "Plot: <level>", "Style: <level>"."""
    places: dict[str, list[str]] = {}
    for line in islice(_LINE.finditer(text), _MOST_LINES):
        title, rest = line["title"].strip(), line["rest"].strip()
        of_score = title not in CONFIDENCES and title not in EXPLANATIONS
        if (
            of_score
            and re.fullmatch(r"[<\[][^<>\[\]\n]{1,30}[>\]]", rest)
            and _is_form(text, line.start())
        ):
            places.setdefault(rest, []).append(title)
    return [title for titles in places.values() if len(titles) > 1 for title in titles]


def _left_open(text: str) -> list[CriterionFound]:
    """Those of them that are scored: the prompt says elsewhere by what, or they are called so."""
    criteria: list[CriterionFound] = []
    rows = list(islice(_OPEN_ROW.finditer(text), _MOST_LINES)) if _SCORES_HEAD.search(text) else []
    for row in rows if len(rows) > 1 else []:
        title = row["title"].strip()
        name = slug(title) or _unnamed(title, criteria)
        criteria.append(CriterionFound(name, title, row.start("title"), kind="numbers"))
    for line in open_labels(text):
        title = line["title"].strip()
        said = described(text, title)
        scale = _scale_of(said) if said.strip() else None
        name = slug(title) or _unnamed(title, criteria)
        if scale and ("min" not in scale.scale or title not in EXPLANATIONS):
            criteria.append(CriterionFound(name, title, line.start("title"), own=said))
        elif title in SCORES_AND_VERDICTS:
            kind: Kind = "numbers" if title in RATINGS else "choices"
            criteria.append(CriterionFound(name, title, line.start("title"), kind=kind))
    return criteria


def _one_per_line(line: re.Match[str]) -> str:
    """The same characters, with an end of line before each label; what precedes them goes on."""
    inner = line[0][len(line["lead"]) : len(line[0]) - len(line["end"])]
    parts = re.sub(
        r"[ ,;|/]+(?=[^\W\d]\w{1,30}[ ]?[:=：])", lambda gap: "\n".rjust(len(gap[0])), inner
    )
    parts = re.sub(r"(?<=\w)([ ]?)=", r"\1:", parts)
    parts = re.sub(r"([:：][ ]?)[YZyz](?!\w)", r"\1X", parts)
    return "\n" * len(line["lead"]) + parts + "\n" * len(line["end"])


def _filled_in(lines: Sequence[re.Match[str]]) -> list[CriterionFound]:
    """ "Depth: 4/5 - it covers …": a form that is filled in as an example, a line each."""
    filled = [(line, match) for line in lines if (match := _FILLED.match(line["rest"]))]
    if len({line["title"] for line, _ in filled}) < 2:
        return []
    return distinct(
        [
            CriterionFound(
                slug(title, fallback=f"criterion_{at}"), title, line.start("title"),
                own=f"?/{match['most']}",
            )
            for at, (line, match) in enumerate(filled, 1)
            for title in [line["title"].strip()]
        ]
    )  # fmt: skip


_FILLED = re.compile(r"\**\d{1,3}(?:\.\d)?\s?/\s?(?P<most>\d{1,3})\**\s?(?:[-–—:：(（,，]|$)")


def _below_headings(text: str, lines: Sequence[re.Match[str]]) -> list[CriterionFound]:
    """ "### Tone", below it "Score: <1-5>", then "### Depth": the headings are the criteria."""
    scored = [line for line in lines if line["title"].strip() in SCORES and _scaled(text, line)]
    same = [line for line in scored if line["title"] == scored[0]["title"]]
    criteria, last = [], 0
    for line in same:
        start = max(last, line.start() - 600)
        above = (
            list(_TITLE_LINE.finditer(text, start, line.start()))
            or list(_TITLED_LINE.finditer(text, start, line.start()))[:1]
        )
        if not above or len(same) < 2:
            return []
        heading = above[-1]
        title = heading["title"].strip()
        if title in SCORES_AND_VERDICTS:
            return []  # two labels, of which one is told twice
        criteria.append(
            CriterionFound(slug(title), title, heading.start("title"), own=line["rest"])
        )
        last = line.end()
    return distinct(criteria) if all(criterion.name for criterion in criteria) else []


def _may_tell(line: re.Match[str]) -> bool:
    title, rest = line["title"].strip(), line.groupdict().get("rest", "")
    if title in CONFIDENCES or len(title.split()) > _LONGEST:
        return False
    scale = (
        _scale_of(rest.strip()) if rest and title in EXPLANATIONS and title not in REASONS else None
    )
    return title not in EXPLANATIONS or (scale is not None and "min" not in scale.scale)


@lru_cache(maxsize=512)  # forms repeat their lines
def _scale_of(place: str) -> ScaleFound | None:
    return find_scale(place, labelled=True)


def _scaled(text: str, line: re.Match[str]) -> bool:
    """Whether the place of a line's value says its scale: "Clarity: 1-5", "결과: [예|아니오]"."""
    title, rest = line["title"].strip(), line["rest"].strip()
    if _CONDITION.match(rest):  # "HARMFUL: If the reply attacks/harms the user" is an option
        return False
    known = title in SCORES_AND_VERDICTS and title.casefold() not in {"answer", "category", "note"}
    slot = _SLOT.match(rest)
    scale = _scale_of(slot[0] if slot else rest) if known or slot else None
    if scale is None or (SENTENCE.search(title) and not known):
        return False
    if scale.scale["type"] != "category":
        return bool(slot) or len(title.split()) <= SHORT
    return len(title.split()) <= SHORT and (known or _is_form(text, line.start()))


def _stands_in_a_form(text: str, line: re.Match[str], places: Sequence[re.Match[str]]) -> bool:
    """Whether a line such as "Clarity: X" has neighbours of its kind, or words above that speak of
    the form of the reply."""
    title = line["title"].strip()
    if len(title.split()) > SHORT or (SENTENCE.search(title) and title not in SCORES_AND_VERDICTS):
        return False
    at = bisect_left(places, line.start(), key=re.Match.start)
    around = places[max(0, at - 1) : at + 2]
    gaps = [text[one.end() : line.start()] or text[line.end() : one.start()] for one in around]
    near = any(gap.count("\n") == 1 and not gap.strip() for gap in gaps)
    return near or _is_form(text, line.start())


def _unnamed(title: str, criteria: Sequence[CriterionFound]) -> str:
    """A name for a label in letters that no name may have."""
    return "score" if title in SCORES_AND_VERDICTS else f"criterion_{len(criteria) + 1}"


def _is_form(text: str, at: int) -> bool:
    """Whether the words above speak of the form of the reply."""
    return _FORM.search(text[max(0, at - 400) : at]) is not None


def _alone(criteria: list[CriterionFound]) -> list[CriterionFound]:
    """Of several lines that are all called by a verdict's or score's name the first with numbers,
    and the first with options."""
    if not all(criterion.title in SCORES for criterion in criteria):
        return criteria
    by_kind: dict[str, CriterionFound] = {}
    for criterion in criteria:
        scale = _scale_of(criterion.own) if criterion.own else None
        kind = str(scale.scale["type"]) if scale else criterion.kind.replace("choices", "category")
        by_kind.setdefault(kind if kind in {"category", "binary"} else "", criterion)
    return list(by_kind.values())


def distinct(criteria: Sequence[CriterionFound]) -> list[CriterionFound]:
    by_name: dict[str, CriterionFound] = {}
    for criterion in criteria:
        if criterion.title in {one.title for one in by_name.values()}:
            continue
        known = by_name.get(criterion.name)
        if known and not slug(
            known.title
        ):  # both are called score, the known one for want of a name
            name = f"criterion_{len(by_name)}"
            by_name = {name if one is known else key: one for key, one in by_name.items()}
            by_name[name] = replace(known, name=name)
        by_name.setdefault(criterion.name, criterion)
    return list(by_name.values())
