"""The labels of a reply in text: its lines, tags and titles, and what each leaves a place for."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import islice, pairwise
from typing import Literal

from .naming import slug
from .ranges import find_ranges
from .scales import find_scale
from .vocabulary import VERDICT_WORDS, words
from .words import CONFIDENCES, EXPLANATIONS, SCORES, SUMS, VERDICTS

Kind = Literal["", "numbers", "choices"]

SCORES_AND_VERDICTS = SCORES | VERDICTS
# Words in the title of a criterion, at most; those of a plain one.
_LONGEST, _SHORT = 8, 4
_MOST_LINES = 400
_SCALED = (
    rf"-?\d+(?:[.,]\d+)?\s*(?:{words('point')})?\s*(?:[-–~〜～]|{words('to')})\s*\d+(?:[.,]\d+)?"
)
# "Coherence (1-5)", "- **Tone (0-10)**: …" at the beginning of a line.
_RANGED = re.compile(
    r"^[ \t]*+(?:(?:[-*•]|\d{1,2}[.)]|#+)[ \t]*+)?\**"
    r"(?P<title>[^\W\d][^\n:：()（）*]{0,40}?)[ \t]*\**[ \t]*"
    rf"[(（]\s*(?:{words('rating')})?\s?(?P<range>{_SCALED})\s*(?:{words('point')})?[)）]",
    re.MULTILINE | re.IGNORECASE,
)
# "- Depth (10 points max): …", "창의성 (10점 만점)", "准确性（满分10分）"
_OUT_OF = re.compile(
    r"^[ \t]*+(?:(?:[-*•]|\d{1,2}[.)]|#+)[ \t]*+)?\**"
    r"(?P<title>[^\W\d][^\n:：()（）*]{0,40}?)[ \t]*\**[ \t]*[(（]\s*"
    rf"(?:{words('full')}\s?)?(?P<most>\d{{1,3}})\s?"
    rf"(?:{words('full behind', 'point')})?\s*[)）]",
    re.MULTILINE | re.IGNORECASE,
)
# 'total rating', "overall score": what the prompt calls the score it wants.
_QUOTED = re.compile(
    r"""['"“‘「`]((?:[\w ]{0,24})\b(?:rating|score|grade)"""
    r"""|[^'"”’」`\n]{0,12}(?:점수|평점|điểm|评分|スコア))['"”’」`]""",
    re.IGNORECASE,
)
SCORE_LINE = re.compile(
    rf"^[ \t]*+(?:[-*•][ \t]*+)?[*#]*+[ \t]*+(?P<title>(?:[^\W\d_][\w ]{{0,24}})?"
    rf"{words('rating', 'verdict')})\**[ \t]*[:：]"
    r"(?![ \t]*[\"“]?[{$%<])(?![ \t]*\**[ \t]*[A-Z][\w'’]+ [\w'’]+ [\w'’]+ [\w'’]+)",
    re.IGNORECASE | re.MULTILINE,
)
# “end with "Final score: N"”, « Note : XX/20 »
_LABEL_IN_QUOTES = re.compile(
    r"[\"“„«「『`'][ \t]?[*#]{0,3}(?P<title>[^\W\d_][\w ]{0,24}?)[ \t]?[:：][*]{0,2}[ \t]?"
    r"(?:[xXnN〇○◯#?_.…]{1,3}|<[^<>\n]{1,30}>|\[{1,2}[^\[\]\n]{1,30}\]{1,2}|\{\w{1,20}\})"
    r"(?:[ \t]?/[ \t]?\d{1,3}|%)?[ \t]?[.]?[\"”“»」』`']"
)
# “write "# Result" followed by the score”
_HEADING_CALLED = re.compile(r"""["“`']#{1,4}\s?([^\W\d][^"”`'\n#]{2,30})["”`']""")
_BRACKETED = re.compile(r"\[\[\s*(rating|score|verdict)\s*\]\]", re.IGNORECASE)
# Words of an instruction, which are no title: 请对以下回答打分（1-5分）.
_SENTENCE = re.compile(
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
# Where the value of such a line goes: in brackets, as X/5, or the options by themselves.
_SLOT = re.compile(
    r"<[^<>\n]{1,160}>(?:\s?/\s?\d{1,3})?|\[[^\[\]\n]{1,120}\](?:\s?/\s?\d{1,3})?|"
    r"[\"“]?[<\[({（【][^\n]{1,80}?[>\])}）】](?:\s?/\s?\d{1,3})?"
    r"|[\"“]?(?:[xXnN〇○◯]{1,2}|\?|_+|\.\.\."
    r"|…)\s?/\s?\d{1,3}|/\s?\d{1,3}\b"
    rf"|[^\W\d][\w+-]{{0,20}}(?:\s?[|/]\s?[\w+ -]{{1,20}}){{1,6}}\s*$"
    rf"|{_SCALED}\s*(?:{words('point')})?(?:\s*$|(?=[,.;，。；(（]\s?[^\d\s]))",
    re.IGNORECASE,
)
# "Tone: [Yes/No], Depth: [Yes/No]" in one line: where the next one begins
_NEXT_IN_LINE = re.compile(
    r"(?:(?<=[\])>}])|(?<=/\d)|(?<=/1\d)|(?<=[:：] [XN?_]))[,;|][ \t]"
    r"(?=[^\W\d][^\n:：,;|\[\]()<>]{0,40}[:：][ \t]?(?:[\[<({]|[XN?_]+\b|\?))"
)
# A place without a scale of its own: "Clarity: X", "명확성: [점수]", "Tone: 4".
_PLACE = re.compile(
    rf"(?:[XNxn#?〇○◯]{{1,2}}|_{{1,10}}|\.\.\.|…"
    rf"|\d{{1,3}}(?:\.\d)?(?:\s?/\s?\d{{1,3}})?(?!\s*{words('point')})"
    rf"|[<\[(（【]\s?(?:[^\n<>\[\](){{}}]{{0,24}}?"
    rf"{words('rating', 'number', 'whole', 'decimal')}[^\n<>\[\](){{}}]{{0,16"
    rf"}}?|[XNxn#?])\s?[>\])）】]"
    rf"|{words('rating', 'number', 'whole')})\s*(?:{words('point')})?[.。]?[*_`\"]{{0,3}}\s*$",
    re.IGNORECASE,
)
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
_CRITERIA = re.compile(words("criteria"), re.IGNORECASE)
# "1. Clarity: …", "- **Tone** (weight 2) …"
_ENTRY = re.compile(
    r"^[ \t]*+(?:(?P<number>\d{1,2})[.)]|[-*•])[ \t]*+\**"
    r"(?P<title>[^\W\d][^\n:：()（）*—–]{1,36}?)\**[ \t]*"
    r"(?:[(（](?P<aside>[^()（）\n]{1,40})[)）])?\**[ \t]*(?:[:：]|[–—-][ \t]|$)[^\n]*",
    re.MULTILINE,
)
# "Clarity (Klarheit): …", a line of prose with a title
_TITLED_LINE = re.compile(
    r"^[ \t]*+(?:(?:[-*•]|\d{1,2}[.)])[ \t]*+)?\**(?P<title>[^\W\d][^\n:：*]{1,40}?)\**[ \t]*[:：]\**"
    r"[ \t]+\S",
    re.MULTILINE,
)
# "score each criterion from 1 to 5", 각 항목을 0-10점으로
EACH = re.compile(
    r"\b(?:scor|rat|grad|evaluat|assess)\w+ (?:it )?(?:for |on )?each (?:of (?:the|these) )?"
    r"(?:following )?(?:criteri|dimension|aspect|categor|item|metric|factor|qualit)\w*"
    r"|\beach (?:criteri|dimension|aspect|categor|item|metric|factor)\w* (?:\w+ ){0,3}"
    r"(?:from|on a|out of|between|\()"
    r"|각 ?(?:평가 ?)?(?:항목|기준|영역|차원|지표|요소)(?:별|을|를|에|마다|은|당)"
    r"|(?:từng|mỗi) (?:tiêu chí|khía cạnh|yếu tố|mục)|[各每]个?(?:项|維度|维度|标准|指标|方面)"
    r"|各(?:評価)?(?:項目|基準|観点|軸|指標)"
    r"|\b(?:jede[snmr]?|pro) (?:kriterium|aspekt|dimension|kategorie|merkmal)"
    r"|\b(?:chaque|par) (?:critère|aspect|dimension|catégorie)"
    r"|\b(?:cada|por) (?:criterio|critério|aspecto|dimensi[oó]n|dimensão|categor[ií]a)",
    re.IGNORECASE,
)
_OR = re.compile(words("or"), re.IGNORECASE)


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
    doubt: str = ""


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


def from_lines(text: str) -> list[CriterionFound]:
    """Lines of the reply that show where their value goes, or such in one line with commas."""
    text = _NEXT_IN_LINE.sub(" \n", text)
    lines = [line for line in islice(_LINE.finditer(text), _MOST_LINES) if _may_tell(line)]
    places = [line for line in lines if _PLACE.fullmatch(line["rest"].strip())]
    headed = _below_headings(text, lines) or _filled_in(lines)
    if headed:
        return headed
    ranged = bool(places) and bool(find_ranges(text))
    criteria: list[CriterionFound] = []
    shown = _by_examples(lines)
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
    parts = [criterion for criterion in criteria if criterion.title not in SUMS or criterion.own]
    criteria = parts if len(parts) > 1 else criteria
    quoted = all(text[criterion.at - 1 : criterion.at] in {'"', "`"} for criterion in criteria)
    return distinct(criteria) if quoted else _alone(distinct(criteria))


# "C (right)", "B - some of it"
_WITH_MEANING = re.compile(r"(?P<option>[A-Z]|[A-Z_]{2,20})\s?(?:[(（=]|[–—-]\s)\s?[^\W\d]")


def _by_examples(lines: Sequence[re.Match[str]]) -> dict[str, str]:
    """Labels that stand in lines below each other with one verdict each, or with a letter and what
    it means: "Answer: Yes", OR, "Answer: No"; "GRADE: C (right)", "GRADE: I (wrong)"."""
    shown: dict[str, list[str]] = {}
    for one, other in pairwise(lines):
        values = [_option_of(line["rest"]) for line in (one, other)]
        between = one.string[one.end() : other.start()].strip(" \n\t-*")
        alike = one["title"] == other["title"] and values[0] != values[1]
        if alike and all(values) and (not between or _OR.fullmatch(between)):
            shown.setdefault(one["title"].strip(), []).extend(values)
    return {title: " | ".join(dict.fromkeys(values)) for title, values in shown.items()}


def _option_of(rest: str) -> str:
    """The verdict that a label's line shows; "" where it shows none."""
    value = rest.strip(" .*\"'`")
    if value.casefold() in VERDICT_WORDS:
        return value
    meant = _WITH_MEANING.match(value)
    return meant["option"] if meant else ""


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
        criteria.append(
            CriterionFound(slug(title), title, heading.start("title"), own=line["rest"])
        )
        last = line.end()
    return distinct(criteria) if all(criterion.name for criterion in criteria) else []


def _may_tell(line: re.Match[str]) -> bool:
    title = line["title"].strip()
    return title not in CONFIDENCES and title not in EXPLANATIONS and len(title.split()) <= _LONGEST


def _scaled(text: str, line: re.Match[str]) -> bool:
    """Whether the place of a line's value says its scale: "Clarity: 1-5", "결과: [예|아니오]"."""
    title, rest = line["title"].strip(), line["rest"].strip()
    known = title in SCORES_AND_VERDICTS and title.casefold() not in {"answer", "category", "note"}
    slot = _SLOT.match(rest)
    scale = find_scale(slot[0] if slot else rest, labelled=True) if known or slot else None
    if scale is None or (_SENTENCE.search(title) and not known):
        return False
    if scale.scale["type"] != "category":
        return bool(slot) or len(title.split()) <= _SHORT
    return len(title.split()) <= _SHORT and (known or _is_form(text, line.start()))


def _stands_in_a_form(text: str, line: re.Match[str], places: Sequence[re.Match[str]]) -> bool:
    """Whether a line such as "Clarity: X" has neighbours of its kind, or words above that speak of
    the form of the reply."""
    title = line["title"].strip()
    if len(title.split()) > _SHORT or (
        _SENTENCE.search(title) and title not in SCORES_AND_VERDICTS
    ):
        return False
    gaps = [text[one.end() : line.start()] or text[line.end() : one.start()] for one in places]
    near = any(gap.count("\n") == 1 and not gap.strip() for gap in gaps)
    return near or _is_form(text, line.start())


def _unnamed(title: str, criteria: Sequence[CriterionFound]) -> str:
    """A name for a label in letters that no name may have."""
    return "score" if title in SCORES_AND_VERDICTS else f"criterion_{len(criteria) + 1}"


def _is_form(text: str, at: int) -> bool:
    """Whether the words above speak of the form of the reply."""
    return _FORM.search(text[max(0, at - 400) : at]) is not None


def _alone(criteria: list[CriterionFound]) -> list[CriterionFound]:
    """The first of several lines that are all called by a verdict's or score's name."""
    if all(criterion.title in SCORES for criterion in criteria):
        return criteria[:1]
    return criteria


def from_titles(text: str) -> list[CriterionFound]:
    """Titles with a range in brackets, or several with the most that each can get."""
    ranged = [_titled(match, at) for at, match in enumerate(_RANGED.finditer(text), 1)]
    criteria = distinct([one for one in ranged if one])
    if criteria:
        return criteria
    full = [_titled(match, at) for at, match in enumerate(_OUT_OF.finditer(text), 1)]
    criteria = distinct([one for one in full if one])
    return criteria if len(criteria) > 1 else []


def _titled(match: re.Match[str], at: int) -> CriterionFound | None:
    title = re.sub(r"\s+(?:score|rating)$", "", match["title"].strip(), flags=re.IGNORECASE)
    name = slug(title, fallback=f"criterion_{at}")
    if len(title.split()) > _SHORT or _SENTENCE.search(title):
        return None
    own = match["range"] if match.re is _RANGED else f"0-{match['most']}"
    return CriterionFound(name, title, match.start("title"), own=f"({own})")


def from_list(text: str) -> list[CriterionFound]:
    """Entries of a list below words such as "criteria", where each is said to get a score."""
    shared_range = _scored_each(text)
    run: list[re.Match[str]] = []
    for entry in [*islice(_ENTRY.finditer(text), _MOST_LINES), None]:
        if entry and run and _goes_on(text, run, entry):
            run.append(entry)
            continue
        lead = text[max(0, run[0].start() - 200) : run[0].start()].rstrip() if run else ""
        if shared_range and len(run) > 1 and _CRITERIA.search(lead[lead.rfind("\n") + 1 :]):
            titles = [one["title"].strip() for one in run]
            return distinct(
                [
                    CriterionFound(
                        slug(title) or slug(one["aside"] or "", fallback=f"criterion_{at}"),
                        title, one.start("title"), own=shared_range, doubt=_NOT_IN_FORM,
                    )
                    for at, (one, title) in enumerate(zip(run, titles, strict=True), 1)
                ]
            )  # fmt: skip
        run = [entry] if entry and entry["number"] in {None, "1"} else []
    return []


_NOT_IN_FORM = "the form of the reply does not name it"


def _goes_on(text: str, run: Sequence[re.Match[str]], entry: re.Match[str]) -> bool:
    if run[-1]["number"]:
        return entry["number"] == str(int(run[-1]["number"]) + 1)
    return not entry["number"] and not text[run[-1].end() : entry.start()].strip()


def _scored_each(text: str) -> str:
    """The range that each of several criteria is said to be scored on; "" where none is."""
    for match in islice(EACH.finditer(text), _MOST_LINES):
        around = text[max(0, match.start() - 40) : match.end() + 50]
        ranges = [one for one in find_ranges(around) if not one.values]
        if ranges:
            return f"{ranges[0].low:g}-{ranges[0].high:g}"
    return ""


def in_doubt(text: str, criteria: list[CriterionFound]) -> list[CriterionFound]:
    """One criterion, where the prompt speaks of a score for each of several."""
    if len(criteria) == 1 and not criteria[0].own.strip() and _scored_each(text):
        return [replace(criteria[0], doubt="the prompt speaks of a score for each of several")]
    return criteria


def from_names(text: str) -> list[CriterionFound]:
    label = _LABEL_IN_QUOTES.search(text)
    title = label["title"].strip() if label else ""
    if label and slug(title) and title not in EXPLANATIONS | CONFIDENCES:
        title = label["title"].strip()
        return [CriterionFound(slug(title), title, label.start("title"))]
    for pattern in (_QUOTED, _BRACKETED, _HEADING_CALLED):
        match = pattern.search(text)
        if match and slug(match[1]):
            return [CriterionFound(slug(match[1]), match[1].strip().capitalize(), match.start())]
    lines = [
        line for line in SCORE_LINE.finditer(text)
        if len(line["title"].split()) <= 3 and line["title"] not in CONFIDENCES
    ]  # fmt: skip
    return distinct(
        [
            CriterionFound(
                slug(line["title"], fallback="score"), line["title"].strip(), line.start("title")
            )
            for line in lines
        ]
    )


def distinct(criteria: Sequence[CriterionFound]) -> list[CriterionFound]:
    by_name: dict[str, CriterionFound] = {}
    for criterion in criteria:
        by_name.setdefault(criterion.name, criterion)
    return list(by_name.values())
