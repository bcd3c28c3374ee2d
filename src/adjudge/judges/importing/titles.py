"""Criteria that a prompt names in titles, lists and sentences, apart from the reply's form."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import islice

from adjudge.core.reason import Reason

from .labels import (
    SCALED,
    SCORE_LINE,
    SCORES_AND_VERDICTS,
    SENTENCE,
    SHORT,
    CriterionFound,
    distinct,
)
from .naming import slug
from .numerals import runs
from .ranges import find_ranges
from .vocabulary import words
from .words import CONFIDENCES, EXPLANATIONS, RATINGS

_MOST_LINES = 400
# "Coherence (1-5)", "- **Tone (0-10)**: …" at the beginning of a line; "| Style | 1-5 |".
_RANGED = re.compile(
    r"^[ \t]*+(?:(?:[-–*•|]|\d{1,2}[.)]|#+)[ \t]*+)?\**"
    r"(?P<title>[^\W\d][^\n:：()（）*|]{0,40}?)[ \t]{0,9}\**[ \t]{0,9}"
    rf"[(（|]\s*(?:{words('rating')})?\s?(?P<range>{SCALED}"
    rf"|{words('yes')}\s?[/|]\s?{words('no')})\s*(?:{words('point')})?\s?[)）|]",
    re.MULTILINE | re.IGNORECASE,
)
# "- Depth (10 points max): …", "창의성 (10점 만점)", "准确性（满分10分）"
_OUT_OF = re.compile(
    r"^[ \t]*+(?:(?:[-*•]|\d{1,2}[.)]|#+)[ \t]*+)?\**"
    r"(?P<title>[^\W\d][^\n:：()（）*]{0,40}?)[ \t]{0,9}\**[ \t]{0,9}[(（]\s*"
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
# “end with "Final score: N"”, « Note : XX/20 »
LABEL_IN_QUOTES = re.compile(
    r"[\"“„«「『`'][ \t]?[*#]{0,3}(?P<title>[^\W\d_][\w ]{0,24}?)[ \t]?[:：][*]{0,2}[ \t]?"
    rf"(?:\d{{1,3}}\s?{words('full behind')}\S{{0,2}}\s)?"
    r"(?:[xXnN〇○◯#?_.…]{1,3}|<[^<>\n]{1,30}>|\[{1,2}[^\[\]\n]{1,30}\]{1,2}|\{\w{1,20}\})"
    r"(?:[ \t]?/[ \t]?\d{1,3}|%|[점分点])?[ \t]?[.]?[\"”“»」』`']"
)
# “write "# Result" followed by the score”
_HEADING_CALLED = re.compile(r"""["“`']#{1,4}\s?([^\W\d][^"”`'\n#]{2,30})["”`']""")
_NUMBERED = re.compile(words("rating"), re.IGNORECASE)
_BRACKETED = re.compile(r"\[\[\s*(rating|score|verdict)\s*\]\]", re.IGNORECASE)
_CRITERIA = re.compile(words("criteria"), re.IGNORECASE)
# "1. Clarity: …", "- **Tone** (weight 2) …"
_ENTRY = re.compile(
    r"^[ \t]*+(?:(?P<number>\d{1,2})[.)]|[-*•])[ \t]*+[*`]*"
    r"(?P<title>[^\W\d][^\n:：()（）*`—–]{1,36}?)[*`]*[ \t]*"
    r"(?:[(（](?P<aside>[^()（）\n]{1,40})[)）])?\**[ \t]*"
    r"(?:[:：]|[–—-][ \t]|$|(?<=[*`])[–—-])[^\n]*",
    re.MULTILINE,
)
# "score each criterion from 1 to 5", 각 항목을 0-10점으로
EACH = re.compile(
    r"\b(?:scores?|ratings?|grades?) per (?:criteri|dimension|aspect|categor|item|metric)\w*"
    r"|\b(?:scor|rat|grad|evaluat|assess)\w+ (?:it )?(?:for |on )?each (?:of (?:the|these) )?"
    r"(?:following )?(?:criteri|dimension|aspect|categor|item|metric|factor|qualit)\w*"
    r"|\beach (?:criteri|dimension|aspect|categor|item|metric|factor)\w* (?:\w+ ){0,3}"
    r"(?:from|on a|out of|between|\()"
    r"|分别(?:给出|打出|打分|评分)"
    r"|각 ?(?:평가 ?)?(?:항목|기준|영역|차원|지표|요소)(?:별|을|를|에|마다|은|당)"
    r"|(?:từng|mỗi) (?:tiêu chí|khía cạnh|yếu tố|mục)|[各每]个?(?:项|維度|维度|标准|指标|方面)"
    r"|各(?:評価)?(?:項目|基準|観点|軸|指標)"
    r"|\b(?:jede[snmr]?|pro) (?:kriterium|aspekt|dimension|kategorie|merkmal)"
    r"|\b(?:chaque|par) (?:critère|aspect|dimension|catégorie)"
    r"|\b(?:cada|por) (?:criterio|critério|aspecto|dimensi[oó]n|dimensão|categor[ií]a)",
    re.IGNORECASE,
)


@lru_cache(maxsize=2)  # asked for once more by those who doubt
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
    if len(title.split()) > SHORT or (SENTENCE.search(title) and title not in RATINGS):
        return None
    own = match["range"] if match.re is _RANGED else f"0-{match['most']}"
    return CriterionFound(name, title, match.start("title"), own=f"({own})")


def from_list(text: str) -> list[CriterionFound]:
    """Entries of a list below words such as "criteria", where each is said to get a score."""
    scored = scored_each(text)
    shared_range = scored[1] if scored else ""
    for run in runs(
        islice(_ENTRY.finditer(text), _MOST_LINES), lambda run, entry: _goes_on(text, run, entry)
    ):
        lead = text[max(0, run[0].start() - 200) : run[0].start()].rstrip()
        first = run[0]["number"] in {None, "1"}
        if (
            shared_range
            and first
            and len(run) > 1
            and _CRITERIA.search(lead[lead.rfind("\n") + 1 :])
        ):
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
    return []


_NOT_IN_FORM = Reason("import.doubt.not_in_form")


def _goes_on(text: str, run: Sequence[re.Match[str]], entry: re.Match[str]) -> bool:
    if run[-1]["number"]:
        return entry["number"] == str(int(run[-1]["number"]) + 1)
    return not entry["number"] and not text[run[-1].end() : entry.start()].strip()


def scored_each(text: str) -> tuple[str, str] | None:
    """The words by which each of several criteria gets a score, and its range; None without."""
    for match in islice(EACH.finditer(text), _MOST_LINES):
        around = text[max(0, match.start() - 40) : match.end() + 50]
        ranges = [one for one in find_ranges(around) if not one.values]
        if ranges:
            return match[0], f"{ranges[0].low:g}-{ranges[0].high:g}"
    return None


def from_names(text: str) -> list[CriterionFound]:
    label = LABEL_IN_QUOTES.search(text)
    title = label["title"].strip() if label else ""
    known = title in SCORES_AND_VERDICTS or (
        len(title.split()) <= 2 and title not in EXPLANATIONS | CONFIDENCES
    )
    if label and slug(title) and known:
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
    several = len({line["title"].strip() for line in lines}) > 1
    return distinct(
        [
            CriterionFound(
                slug(title, fallback="score"), title, line.start("title"),
                kind="choices" if several and not _NUMBERED.search(title) else "",
            )
            for line in lines
            for title in [line["title"].strip()]
        ]
    )  # fmt: skip
