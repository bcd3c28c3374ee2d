"""Sentences that state a grade in numbers: "so I would give it a score of 4"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from adjudge.core.reason import Reason
from adjudge.core.scale import NotAValue, OffScale, Ordinal, Scale

from ..readings import ScorePlace, place_of
from ..values import contradicts_label, holds_value, is_one_grade, parse_value
from ..vocabulary import is_given, is_no_score, normal
from .denials import states_nothing
from .grade_words import BETWEEN, MARKS, NUM, grades_in
from .running_text import find_retraction, sentence_around

_SCALE_ECHO = re.compile(
    r"\b(?:scale|range)\b\s{0,3}(?:of|from|is|:|between)?\s{0,3}\d{1,4}(?:\.\d)?\s{0,2}(?:-|–|to"
    r"|and)\s{0,2}\d{1,4}(?:\.\d)?|\(\s?\d{1,4}\s{0,2}(?:-|–|to)\s{0,2}\d{1,4}[^)\n]{0,60}\)"
    r"|\bfrom\s\d{1,4}\sto\s\d{1,4}|(?<![\d.,])\b\d{1,4}\s?(?:-"
    r"|–)\s?\d{1,4}\b(?![.,]\d|\s?(?:점|点|分|điểm|points"
    r"|stars|punkte))"
    r"|(?<!\d)\d{1,4}\s?점?\s?(?:부터|에서)\s?\d{1,4}\s?점?까지"
    r"|(?<!\w)(?:[XN]{1,2}|[?_…○◯〇]{1,6}|\.\.\.|\[[^\[\]\d\n]{0,20}\]|<[^<>\d\n]{0,20}>)\s?/\s?\d{1,4}",
    re.IGNORECASE,
)
_BARE_END = re.compile(
    rf"(?:[.!?。]\s|\n)[ \t#]{{0,9}}{MARKS}{NUM}[*_\])]{{0,4}}\s{{0,9}}\.?\s*+\Z"
)
_BARE_START = re.compile(
    rf"^[ \t]{{0,9}}{MARKS}{NUM}[*_\])]{{0,4}}(?:\s{{0,3}}[.:–—-]\s{{1,9}}(?=\S)"
    r"|\s(?=(?:The|This|It|Because|Since|An?|I"
    r"|Although|While|Both|Overall)\s))",
    re.MULTILINE,
)
# "1. Tone – the reply is": the first of a list that was cut off; "[1]: page.html"
LISTED = re.compile(
    r"\[\d{1,3}\]:\s+\S+\s*(?:\n|\Z)|1[.)]\s+[a-z]"
    r"|\d{1,2}[.)]\s+[*_]{0,2}[A-Z][\w '’/-]{1,40}?[*_]{0,2}(?::|\s[–—-]\s)"
)
_BARE_LINE = re.compile(
    rf"^[ \t#]{{0,9}}{MARKS}{NUM}[*_\])]{{0,4}}[.:]?[ \t]{{0,9}}$", re.MULTILINE
)
_OUT_OF = re.compile(
    r"(?<![\d./])(?P<value>\d{1,9}(?:[.,]\d{1,9})?)\s{0,6}(?:/|out of)\s{0,3}\d{1,9}(?![\d/])"
    r"(?!\s(?!for|in|on|as|and|but|because|since|due|overall|stars?|points?)[a-z]{2,})"
)
_ANY_LABEL = re.compile(
    r"^[ \t]{0,9}(?:[-*•][ \t]{0,9}|\d{1,2}[.)][ \t]{1,9})?[*_]{0,3}"
    r"(?P<label>[^\W\d][\w \t'’()/-]{0,50}?)[*_]{0,3}[ \t]{0,9}[:：][*_ \t]{0,9}[\[(]{0,2}"
    + NUM
    + r"[*_\])]{0,4}[ \t]{0,9}(?:\([^()\n]{0,200}\))?\.?[ \t]{0,9}$",
    re.MULTILINE,
)  # fmt: skip
_MID_LINE = re.compile(
    r"(?:\bscore|\brating|\bgrade|\bverdict|\bwinner|điểm|점수|평점|评分|得分|分数|評価|スコア"
    r"|点数|punktzahl|bewertung)\s{0,3}[:：]\s{0,3}"
    rf"[*_\[(]{{0,4}}(?:{NUM}|(?P<word>[^\W\d_][^\s.,;*]{{0,30}}))",
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


def find_grade(scale: Scale, text: str, names: tuple[str, ...] = ()) -> ScorePlace | None:
    """The grade that the text states last; None when none is stated, or the last one taken back."""
    text = _SCALE_ECHO.sub(lambda match: " " * len(match[0]), text)
    text = _without_levels(text)
    return (
        _stated(scale, text, names)
        or find_labelled_grade(scale, text)
        or _bare(scale, text)
        or _fraction(scale, text)
    )


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


def _stated(scale: Scale, text: str, names: tuple[str, ...]) -> ScorePlace | None:
    matches = grades_in(text, names)
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


# "Far from Note: 9" labels nothing; "Therefore, my score: 4" does.
_LABEL = re.compile(r"\A[^\d]{2,40}[:：]")
_LABEL_BEGINS = re.compile(
    r"(?:\A|[^\w\s]|\n|[^\x00-\u024f\u1e00-\u1eff]|\b(?:therefore|so|thus|hence|overall|final|my"
    r"|the|total|own|and"
    r"|new|revised|is|la|le|die|der|das|el|a|o|sa|mi|minha|une?|eine?|meine?|notre|final|tổng|là))"
    r"[\s*_\"“'#>-]{0,6}\Z",
    re.IGNORECASE,
)


def _is_grade(scale: Scale, text: str, match: re.Match[str]) -> bool:
    # A grade between two counts also where the scale does not hold it: it is what was said last.
    in_between = match.re is BETWEEN
    if in_between and not is_one_grade(scale, match["value"]):
        return False
    statement = match[0] if match.re is _OUT_OF else match["value"]
    if not in_between and not holds_value(scale, statement):
        return False
    if _other_label(scale, text, match):
        return False
    if _LABEL.search(match[0]) and not _LABEL_BEGINS.search(text, 0, match.start()):
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


# "Far from Note: 9", "This becomes Score: 9"
_WITHIN = re.compile(
    r"[a-zà-ỹ]\s(?:Note|Nota|Bewertung|Punktzahl|Puntuación|Pontuação|Điểm)$|\b(?:to|than|above"
    r"|below|becomes?|at|from|worth|justify|reserves|miss(?:es|ed)|for|high as|choose|was"
    r"|were)\s(?:[Ss]core|[Rr]ating)$"
)


def find_labelled_grade(scale: Scale, text: str) -> ScorePlace | None:
    """The last of several lines "Label: 4", as long as they all have the same label."""
    matches = list(_holding(scale, _ANY_LABEL, text))
    matches = [match for match in matches if not is_no_score(match["label"])]
    matches = [match for match in matches if not _WITHIN.search(match["label"])]
    if len({normal(match["label"]) for match in matches}) == 1:
        return place_of(matches[-1])
    return None


def _bare(scale: Scale, text: str) -> ScorePlace | None:
    """A number alone: before the first sentence, behind the last, or on a line of its own.

    Where further lines begin with numbers, the first is a list's and no score.
    """
    starts = list(_holding(scale, _BARE_START, text))
    if len(starts) == 1 and not text[: starts[0].start("value")].strip(" *_[("):
        return None if LISTED.match(text.lstrip()) else place_of(starts[0])
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
    grades = [match for match in matches if is_given(text, *match.span())]
    grades = [match for match in grades if _is_grade(scale, text, match)]
    if len(grades) != 1:
        return None
    return ScorePlace(grades[0][0], Reason("at.text", text=grades[0][0]), grades[0].span())
