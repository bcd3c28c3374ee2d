"""Sentences that state a grade in numbers: "so I would give it a score of 4"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from adjudge.core.reason import Reason
from adjudge.core.scale import NotAValue, OffScale, Ordinal, Scale

from ..readings import ScorePlace, place_of
from ..values import BETWEEN_TWO_GRADES, contradicts_label, holds_value, is_one_grade, parse_value
from ..vocabulary import NOT_A_SCORE, OTHER_LABELS, normal
from .denials import states_nothing
from .running_text import find_retraction, sentence_around

# All repetitions are bounded or possessive: no run of one sign may be tried again from each of its
# places.
_NUM = (
    r"(?P<value>(?<![\d.,])\d{1,9}(?:[.,]\d{1,9})?(?:\s?/\s?\d{1,9}|\s{1,6}\(?(?:out of|von"
    r"|trên)\s{1,3}\d{1,9}"
    r"|\s?[分点점]\s?[,，(（]\s?(?:满分|満点)\s?\d{1,4})?)(?![\d%+]|[.,:]\d|(?:st|nd|rd|th)\b)"
)
_WORD = r"[\w'’-]{1,30}"
_MARKS = r"[*_\[(]{0,4}"
# Each pattern says plainly that a grade is given, in the words of those who grade.
_GRADES = tuple(
    re.compile(pattern.replace("NUM", _NUM), re.IGNORECASE)
    for pattern in (
        (
            rf"\b(?:score|rating|grade|mark|judge?ment|verdict)\b(?:\s{{1,3}}(?!scale|range|from"
            rf"|between){_WORD}){{0,6}}?"
            r"\s{0,3}(?:(?<!\bout )of|is|was|as|be|at|to|[:=]|\s[-–—]\s)\s{0,3}(?:an?\s{1,3}"
            r"|to\s{1,3})?[*_\[(“\"]{0,4}NUM"
        ),
        (
            r"\b(?:give|gave|giving|given|assign|assigned|award|awarded|rate|rated|deserves?|gets?"
            r"|earns?|receives?|merits?|warrants?|score|scored|scores|scoring)\b"
            rf"(?:\s{{1,3}}{_WORD}){{0,5}}?\s{{1,3}}(?:an?|as|at|with|of)?\s{{0,3}}{_MARKS}NUM"
            r"(?:\s{0,3}(?:stars?|points?|/\s?\d{1,9}|out of \d{1,9}))?(?=[\s.,;:!*_)\]]|$)"
        ),
        (
            r"\b(?:evaluate|rate|grade|judge|classify|assess)d?\b"
            rf"(?:\s{{1,3}}{_WORD}){{0,6}}?\s{{1,3}}as\s{{1,3}}(?:[a-z]{{3,12}}\s){{1,2}}\(NUM\)"
        ),
        (
            r"\b(?:is|are|was)\s(?:somewhat|very|mostly|fairly|highly|quite|not|partially|partly"
            r"|fully|completely|slightly|extremely|moderately|reasonably"
            r"|largely)\s[a-z-]{4,20} \(NUM\)(?=\.?\s{0,3}(?:\n|$))"
        ),
        r"\b(?:making|makes) it an? NUM",
        r"\bcall (?:it|this) an? NUM(?=[\s.,;:!*]|$)",
        r"\ban? (?:strong|solid|clear|weak|low|high|fair) NUM(?=[\s.,;:!*]|$)",
        r"\b(?:settle|settling|settled|land|go|going) (?:on|at|with) (?:an? )?NUM(?=[\s.,;:!*]|$)",
        r"\b(?:down|up|lowered|reduced|raised|dropped|drops) to (?:an? )?NUM(?=[\s.,;:!*]|$)",
        (
            r"\[(?:RESULT|SCORE|RATING|ERGEBNIS|RÉSULTAT|RESULTADO|NOTE|NOTA|KẾT QUẢ|ĐIỂM|결과"
            r"|점수|结果"
            r"|评分|結果|スコア)\][\s:*_]{0,5}[\[(]{0,2}NUM"
        ),
        (
            r"(?:^|\n)[*_]{0,2}#{1,4}\s{0,2}(?:final\s)?(?:result|score|rating"
            r"|grade)s?[\s*_]{1,4}NUM(?=[*_\s.]|$)"
        ),
        r"\bis an? NUM(?=\s{0,3}(?:out of|/|in terms|for|because|as|,|\.))",
        rf"\b{_MARKS}NUM[*_]{{0,3}}\s{{0,6}}stars?\b",
        (
            rf"{_MARKS}NUM\s{{0,3}}점[*_\]]{{0,4}}\s{{0,3}}(?:으로|을|를|이라고|정도로|만점에서"
            rf"|이|의 점수를)?"
            r"\s{0,3}(?:평가|부여|매기|매깁|주|줍|드리|드립|책정|채점|입니다|이다|적절|적합|타당"
            r"|합당)"
        ),
        (
            r"(?P<value>(?<!\d)\d{1,4}\s?점\s?만점(?:에서|에"
            r"|\s?중에?)\s{0,3}\d{1,4}(?:[.,]\d)?\s{0,3}점)"
        ),
        rf"(?:평점|점수|평가)\s{{0,3}}(?:은|는|이|가|를|을|:|-|–)?\s{{0,3}}{_MARKS}NUM\s{{0,3}}점?",
        r"(?:评分|打分|得分|给|评|评为|打|应得)[^\d\n]{0,8}NUM\s{0,3}分",
        r"(?:改为|改成|降为|降到|提高到)\s{0,3}NUM\s{0,3}分",
        r"(?:评分|得分|分数)(?:为|是|：|:)\s{0,3}NUM",
        rf"(?:評価|点数|スコア)[^\d\n]{{0,8}}{_MARKS}NUM\s{{0,3}}点?",
        r"NUM\s?点(?:です|とします|と評価|をつけ|を与え|が妥当|が適切)",
        r"(?P<value>(?<!\d)\d{1,4}\s?点満点(?:中|で|の)\s?\d{1,4}(?:[.,]\d)?\s?点)",
        r"(?P<value>满分\s?\d{1,4}\s?分[,，、]?\s?(?:得|给|评|打)\s?\d{1,4}(?:[.,]\d)?\s?分)",
        r"(?:chấm|cho|đạt|được|đánh giá|xứng đáng)[^\d\n]{0,20}NUM\s{0,3}(?:điểm|/\s?\d{1,9})",
        r"điểm\s{0,3}(?:số)?\s{0,3}(?:là|:)\s{0,3}NUM",
        (
            r"\b(?:bewerte|vergebe|gebe|Bewertung|Punktzahl|Note|verdient|erhält"
            r"|bekommt)\b[^\d\n.]{0,40}NUM"
        ),
        rf"(?P<value>{BETWEEN_TWO_GRADES})",
    )
)
_SCALE_ECHO = re.compile(
    r"\b(?:scale|range)\b\s{0,3}(?:of|from|is|:|between)?\s{0,3}\d{1,4}(?:\.\d)?\s{0,2}(?:-|–|to"
    r"|and)"
    r"\s{0,2}\d{1,4}(?:\.\d)?|\(\s?\d{1,4}\s{0,2}(?:-|–|to)\s{0,2}\d{1,4}[^)\n]{0,60}\)"
    r"|\bfrom\s\d{1,4}\sto\s\d{1,4}|(?<![\d.,])\b\d{1,4}\s?(?:-"
    r"|–)\s?\d{1,4}\b(?![.,]\d|\s?(?:점|点|分|điểm|points"
    r"|stars|punkte))"
    r"|(?<!\d)\d{1,4}\s?점?\s?(?:부터|에서)\s?\d{1,4}\s?점?까지",
    re.IGNORECASE,
)
_BARE_END = re.compile(
    rf"(?:[.!?。]\s|\n)[ \t#]{{0,9}}{_MARKS}{_NUM}[*_\])]{{0,4}}\s{{0,9}}\.?\s*+\Z"
)
_BARE_START = re.compile(
    rf"^[ \t]{{0,9}}{_MARKS}{_NUM}[*_\])]{{0,4}}\s{{0,3}}[.:–—-]\s{{1,9}}(?=\S)", re.MULTILINE
)
_BARE_LINE = re.compile(
    rf"^[ \t#]{{0,9}}{_MARKS}{_NUM}[*_\])]{{0,4}}[.:]?[ \t]{{0,9}}$", re.MULTILINE
)
_OUT_OF = re.compile(
    r"(?<![\d./])(?P<value>\d{1,9}(?:[.,]\d{1,9})?)\s{0,6}(?:/|out of)\s{0,3}\d{1,9}(?![\d/])"
    r"(?!\s(?!for|in|on|as|and|but|because|since|due|overall|stars?|points?)[a-z]{2,})"
)
_ANY_LABEL = re.compile(
    r"^[ \t]{0,9}(?:[-*•][ \t]{0,9}|\d{1,2}[.)][ \t]{1,9})?[*_]{0,3}"
    r"(?P<label>[^\W\d][\w \t'’()/-]{0,50}?)[*_]{0,3}[ \t]{0,9}[:：][*_ \t]{0,9}[\[(]{0,2}"
    + _NUM
    + r"[*_\])]{0,4}[ \t]{0,9}(?:\([^()\n]{0,200}\))?\.?[ \t]{0,9}$",
    re.MULTILINE,
)  # fmt: skip
_MID_LINE = re.compile(
    r"(?:\bscore|\brating|\bgrade|\bverdict|\bwinner|điểm|점수|평점|评分|得分|分数|評価|スコア"
    r"|点数|punktzahl|bewertung)\s{0,3}[:：]\s{0,3}"
    rf"[*_\[(]{{0,4}}(?:{_NUM}|(?P<word>[^\W\d_][^\s.,;*]{{0,30}}))",
    re.IGNORECASE,
)
_REVISES = re.compile(
    r"(?:\b(?:final|revis(?:ed?|ion)|updated?|correct(?:ed|ion|s)?|adjusted|new|actual|reflection"
    r"|reconsider\w{0,6}|instead|lowered|raised|changed?|so|therefore|thus|hence|wait|sorry)\b"
    r"|최종|수정|정정|다시|결론|cuối|sửa|lại|đính chính|最终|修改|重新|改为|更正|订正|最終|修正"
    r"|訂正|改め|endgültig|korrig\w{2,5}|korrektur)[^.!?\n]{0,100}\Z",
    re.IGNORECASE,
)
# No reply speaks of grades so often; of a text made to do so the last and the first count.
_MOST, _OF_THE_FIRST = 100, 20
_ASPECT_BEHIND = re.compile(
    r"[*_)\]]{0,3}(?:\s(?:stars?|points?))?\s(?:for|in|on)\s(?!total|all|sum)"
)


def find_grade(scale: Scale, text: str) -> ScorePlace | None:
    """The grade that the text states last; None when none is stated, or the last one taken back."""
    text = _SCALE_ECHO.sub(lambda match: " " * len(match[0]), text)
    text = _without_levels(text)
    for way in (_stated, find_labelled_grade, _bare, _fraction):
        if place := way(scale, text):
            return place
    return None


# The levels of a scale, one per line: "Score 1: …", "**5** - …"
_LEVEL = re.compile(
    r"^[ \t*_#•-]{0,6}(?P<word>(?:score|rating|level|grade|point)\s{1,3})?[(\[]?(?P<number>\d{1,3})"
    r"[)\]]?\s?(?:점|点|分|points?|stars?)?[*_]{0,3}\s{0,2}(?:[:：=–—]|-\s)[^\n]{0,600}",
    re.IGNORECASE | re.MULTILINE,
)


def _without_levels(text: str) -> str:
    """The text with a repeated rubric blanked out: lines that describe one level after another."""
    lines = [line for line in _LEVEL.finditer(text) if line["word"]]
    if len({line["number"] for line in lines}) < 2:
        return text
    for line in lines:
        text = text[: line.start()] + " " * len(line[0]) + text[line.end() :]
    return text


def find_later_label(
    scale: Scale, text: str, after: int, taken_back_at: int | None = None
) -> ScorePlace | None:
    """A label within a line behind a labelled line: "On reflection, score: 4" changes the score.

    Only where the line says so, or the first is taken back before it: a maximum, or what might have
    been, has the same label.
    """
    last = None
    for match in _MID_LINE.finditer(text, after):
        line = max(text.rfind("\n", 0, match.start()) + 1, match.start() - 120)
        revised = taken_back_at is not None and match.start() > taken_back_at
        if revised or _REVISES.search(text, line, match.start()):
            last = match
    if last is None or not holds_value(scale, last["value"] or last["word"]):
        return None
    return place_of(last, group="value" if last["value"] else "word")


def _stated(scale: Scale, text: str) -> ScorePlace | None:
    matches = [match for pattern in _GRADES for match in pattern.finditer(text)]
    matches.sort(key=lambda match: match.start("value"), reverse=True)
    if len(matches) > _MOST:
        matches = matches[: _MOST - _OF_THE_FIRST] + matches[-_OF_THE_FIRST:]
    for match in matches:
        if not _is_grade(scale, text, match):
            continue
        if (
            find_retraction(text, match.end()) is not None
            or _one_of_several(scale, text, match, matches)
            or _one_of_each(scale, text, match, matches)
        ):
            return None
        return place_of(match)
    return None


def _is_grade(scale: Scale, text: str, match: re.Match[str]) -> bool:
    # A grade between two counts also where the scale does not hold it: it is what was said last.
    in_between = match.re is _GRADES[-1]
    if in_between and not is_one_grade(scale, match["value"]):
        return False
    statement = match[0] if match.re is _OUT_OF else match["value"]
    if not in_between and not holds_value(scale, statement):
        return False
    if _other_label(scale, text, match):
        return False
    begin, end = sentence_around(text, match.start(), match.end())
    return not states_nothing(text, match, begin, end, in_between=in_between)


def _other_label(scale: Scale, text: str, match: re.Match[str]) -> bool:
    """ "1, excellent" where excellent is the label of 4."""
    if not isinstance(scale, Ordinal):
        return False
    try:
        value = int(parse_value(scale, match["value"]))
        contradicts_label(scale, value, text[match.end("value") : match.end("value") + 120])
    except OffScale:
        return False
    except NotAValue:
        return True
    return False


def _one_of_several(
    scale: Scale, text: str, last: re.Match[str], matches: list[re.Match[str]]
) -> bool:
    """ "4 stars for tone, 2 stars for accuracy": grades of aspects, and none of the whole."""
    if not _ASPECT_BEHIND.match(text, last.end("value")):
        return False
    begin, _ = sentence_around(text, last.start(), last.end())
    return any(
        begin <= other.start() < last.start("value")
        and other["value"] != last["value"]
        and _ASPECT_BEHIND.match(text, other.end("value"))
        and holds_value(scale, other["value"])
        for other in matches[:50]
    )


# Whose grade it is where answers are compared: "Score of Assistant 1: 8"
_WHOSE = re.compile(
    r"\b(?:(?i:assistant|response|answer|model|output|candidate|system|summary|text|feedback|story"
    r"|essay|translation|document(?: id)?|doc|passage|chunk|claim|statement)"
    r"\s?[(#*]{0,2}\s?(?P<whose>[A-D]|\d{1,2})|(?i:score|rating)\s"
    r"(?:(?i:of|for)\s)?(?P<score>[A-D]))\b"
)


def _whose(text: str, match: re.Match[str]) -> str | None:
    begin, _ = sentence_around(text, match.start(), match.end())
    last = None
    for name in _WHOSE.finditer(text, begin, match.start("value")):
        last = name
    return (last["whose"] or last["score"]) if last else None


def _one_of_each(
    scale: Scale, text: str, last: re.Match[str], matches: list[re.Match[str]]
) -> bool:
    """ "Assistant 1 gets a 3. Assistant 2 gets a 7.": grades of two, and none of one."""
    own = _whose(text, last)
    return own is not None and any(
        holds_value(scale, other["value"]) and _whose(text, other) not in {None, own}
        for other in matches[:20]
    )


def find_labelled_grade(scale: Scale, text: str) -> ScorePlace | None:
    """The last of several lines "Label: 4", as long as they all have the same label."""
    matches = list(_holding(scale, _ANY_LABEL, text))
    others = OTHER_LABELS | NOT_A_SCORE
    matches = [match for match in matches if normal(match["label"]) not in others]
    if len({normal(match["label"]) for match in matches}) == 1:
        return place_of(matches[-1])
    return None


def _bare(scale: Scale, text: str) -> ScorePlace | None:
    """A number alone: before the first sentence, behind the last, or on a line of its own.

    Where further lines begin with numbers, the first is a list's and no score.
    """
    starts = list(_holding(scale, _BARE_START, text))
    if len(starts) == 1 and not text[: starts[0].start("value")].strip(" *_[("):
        return place_of(starts[0])
    end = _BARE_END.search(text, max(0, len(text.rstrip()) - 60))
    if end and holds_value(scale, end["value"]):
        return place_of(end)
    lines = list(_holding(scale, _BARE_LINE, text))
    return place_of(lines[0]) if len(lines) == 1 else None


def _holding(scale: Scale, pattern: re.Pattern[str], text: str) -> Iterator[re.Match[str]]:
    for match in pattern.finditer(text):
        if holds_value(scale, match["value"]) and not _other_label(scale, text, match):
            yield match


def _fraction(scale: Scale, text: str) -> ScorePlace | None:
    """The only one of its kind, as in "therefore it is irrelevant (1/5)"."""
    matches = list(islice(_OUT_OF.finditer(text), _OF_THE_FIRST))
    if len(matches) == _OF_THE_FIRST:
        return None
    grades = [match for match in matches if _is_grade(scale, text, match)]
    if len(grades) != 1:
        return None
    return ScorePlace(grades[0][0], Reason("at.text", text=grades[0][0]), grades[0].span())
