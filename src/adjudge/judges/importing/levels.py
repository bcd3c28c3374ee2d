"""Labelled levels: lines or parts of a sentence that give each value of a scale its meaning."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from .numerals import number_of, runs
from .vocabulary import words

# "1: …", "3 - …", "Score 2: …", "**4점**: …", "A score of 1 (bad) means …", "## Score 5 (full)";
# "1. …" counts steps.
_LEVEL = re.compile(
    r"^[ \t]*+(?:[-*•+|][ \t]*|#{1,6}[ \t]+)?[*_]{0,2}"
    rf"(?:(?:an?\s+)?(?:{words('rating', 'level')})\s*(?:of\s+|point\s+)?)?"
    rf"[-−–]?(?P<value>\d{{1,3}})(?:\s*(?:{words('point')}))?[*_]{{0,2}}[ \t]*"
    r"(?:[(（](?P<name>[^()（）\n]{1,40})[)）][*_]{0,2}[ \t]*(?P<how>means?|[:：=–—-])?"
    r"|(?P<sign>[:：=]|[–—-](?=[ \t])|means\b|\|))[*_]{0,2}[ \t]*(?P<rest>[^\n]+)$",
    re.IGNORECASE | re.MULTILINE,
)
# "## [Fluency: 1] (Emergent)", "[Quality 2]: …": the name of the score and its value in brackets
_BRACKETED = re.compile(
    r"^[ \t]*+(?:[-*•|][ \t]*|#{1,6}[ \t]+)?[*_]{0,2}"
    r"[\[【](?P<word>[^\W\d][^\n\[\]【】:：\d]{0,30}?)"
    r"[:：= ][ \t]*(?P<value>\d{1,2})[\]】][*_]{0,2}[ \t]*"
    r"(?:[(（](?P<name>[^()（）\n]{1,40})[)）])?[:：]?(?P<rest>[^\n]*)$",
    re.MULTILINE,
)
# "1. poor" counts steps as well as levels, so the line above has to speak of levels.
_NUMBERED = re.compile(
    r"^[ \t]*+(?:[-*•][ \t]*)?[*_]{0,2}[(（]?(?P<value>\d{1,2})[.)）][*_]{0,2}[ \t]*(?P<name>)"
    r"(?P<rest>[^\n]+)$",
    re.MULTILINE,
)
_STEPS = (
    r"(?:[1-9]\d?\s*(?:段階|단계|级|個等級|个等级|stufen|niveaux|niveles|níveis|levels|mức)"
    r"|\b(?:scale|skala|levels?|ratings?|stufen|échelle|escala|niveaux|niveles|níveis"
    r"|thang điểm|mức độ)\b|척도|等级|級別)"
)
_LEADS_TO_LEVELS = re.compile(_STEPS, re.IGNORECASE)
_ASKS_FOR_A_NUMBER = re.compile(
    r"(?:answer|respond|reply|output|print|return|give|choose|select|write)[^\n]{0,40}"
    r"\b(?:number|digit|integer)|숫자(?:만|로)|chỉ[^\n]{0,20}\bsố\b|(?:只"
    r"|仅)[^\n]{0,8}数字|数字のみ|数字だけ"
    r"|番号|\b(?:nur|allein)[^\n]{0,20}zahl|(?:seulement|uniquement)[^\n]{0,20}(?:chiffre|nombre)"
    r"|(?:solo|sólo|solamente|únicamente|apenas|somente)[^\n]{0,20}número",
    re.IGNORECASE,
)
# "One star: …"
_COUNTED = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_IN_WORDS = re.compile(
    rf"^[ \t]*+(?:[-*•][ \t]*)?[*_]{{0,2}}(?P<value>{'|'.join(_COUNTED)})\s+(?:stars?"
    rf"|points?)[*_]{{0,2}}\s*[:：=–—-](?P<name>)(?P<rest>[^\n]+)$",
    re.IGNORECASE | re.MULTILINE,
)
# "1 = poor, 2 = fair, 3 = good", "0 (schlecht), 1 (mittel), 2 (gut)", "0.5 = partly"
_INLINE = re.compile(
    rf"(?<![\w.,/-])(?P<value>[-−]?\d{{1,2}}(?:\.\d{{1,2}})?)\s?(?:{words('point')})?\s{{0,2}}"
    r"(?:[=:：]\s{0,2}|[-–](?=\s?[^\W\d])\s?|(?P<paren>[(（]))"
    r"(?P<label>[^\W\d][^,;，；、()（）\n=:：{}‹›]{0,48}?)(?(paren)[)）])\s{0,2}"
    rf"(?(paren)|(?:[(（][^()（）\n]{{0,80}}[)）])?(?=[,;，；、.。)）\n」”\"]"
    rf"|{words('and', 'or')}|\Z|\d))",
    re.IGNORECASE,
)
_BETWEEN = re.compile(rf"[\s,;，；、./·]*(?:{words('and', 'or')})?\s*", re.IGNORECASE)
# "**0.75** → mostly right", "0.5: partly", also of levels that are far apart: 0, 5, 10.
_DECIMAL = re.compile(
    rf"^[ \t]*+(?:[-*•|][ \t]*)?[*_`]{{0,3}}(?:{words('rating', 'level')}[ \t]+)?"
    r"(?P<value>\d{1,3}(?:\.\d+)?)(?:\s*(?:점|点|分|điểm"
    r"|points?))?[*_`]{0,3}[ \t]*"
    r"(?:→|->|=>|[:：=|(（]|[–—-](?=[ \t]))",
    re.IGNORECASE | re.MULTILINE,
)
_LONGEST_LABEL = 5  # words
# How many lines may lie between two levels: their meanings may take some.
_WIDEST_GAP = 6


@dataclass(frozen=True, slots=True)
class Levels:
    """Values with what stands for them; `scale` as a judge file writes it."""

    values: tuple[float, ...]
    scale: dict[str, Any]
    at: int
    inline: bool = False


def find_levels(text: str) -> Levels | None:
    """The first run of at least two lines whose numbers go up or down one by one; else levels in a
    sentence, in a numbered list, in words, with fractions."""
    fractions = _fractions(text)
    if fractions and not all(value.is_integer() for value in fractions.values):
        return fractions  # 1, 0.5, 0: the whole ones alone would leave out the half
    for run in _runs(text, _LEVEL):
        if not all(_shows_text(line) for line in run):
            return _of_run(run)
    for run in _runs(text, _BRACKETED):
        if len(run) > 2 and len({line["word"].casefold() for line in run}) == 1:
            return _of_run(run)
    return _in_a_sentence(text) or _numbered(text) or _in_words(text) or fractions


def _of_run(run: list[re.Match[str]]) -> Levels:
    values = [_value(line) for line in run]
    labels = [label for line in run if (label := _label(line))]
    return Levels(tuple(sorted(values)), _scale(values, labels), run[0].start())


def _scale(values: Sequence[int], labels: Sequence[tuple[str, str]]) -> dict[str, Any]:
    """Levels with labels where each has its own, else whole numbers."""
    if len({label.casefold() for label, _ in labels}) == len(values):
        named = sorted(zip(values, labels, strict=True))
        levels = {value: _entry(*label) for value, label in named}
        return {"type": "ordinal", "levels": levels}
    return {"type": "integer", "min": min(values), "max": max(values)}


def _value(match: re.Match[str]) -> int:
    word = match["value"].casefold()
    if word in _COUNTED:
        return _COUNTED.index(word)
    return -int(word) if _is_negative(match) else int(word)


def _is_negative(match: re.Match[str]) -> bool:
    """Whether the sign before a value is no bullet: another level is 0 and has none."""
    sign = match.string[match.start("value") - 1 : match.start("value")]
    return bool(sign) and sign in "-−–" and _has_zero(match.string)


@lru_cache(maxsize=4)
def _has_zero(text: str) -> bool:
    return any(
        line["value"] == "0" and text[line.start("value") - 1 : line.start("value")] not in {*"-−–"}
        for line in _LEVEL.finditer(text)
    )


def _in_a_sentence(text: str) -> Levels | None:
    for run in runs(_INLINE.finditer(text), lambda run, match: _goes_on(text, run, match)):
        values = [number_of(level["value"]) for level in run]
        if len(run) > 2 or sorted(values) == [0, 1]:
            return _of_sentence(run, values)
    return None


def _of_sentence(run: Sequence[re.Match[str]], values: Sequence[float]) -> Levels:
    ends = tuple(sorted(values))
    if any("." in level["value"] for level in run) or not _one_by_one(ends):
        scale = {"type": "number", "min": int(ends[0]), "max": int(ends[-1])}
        return Levels(ends, scale, run[0].start(), True)
    labels = [(level["label"].strip(" *_`\"'“”."), "") for level in run]
    short = [label for label in labels if len(label[0].split()) <= _LONGEST_LABEL]
    return Levels(ends, _scale([int(value) for value in values], short), run[0].start(), True)


def _one_by_one(values: Sequence[float]) -> bool:
    return all(value == values[0] + step for step, value in enumerate(values))


def _goes_on(text: str, run: Sequence[re.Match[str]], match: re.Match[str]) -> bool:
    step = number_of(match["value"]) - number_of(run[-1]["value"])
    if not step or not _BETWEEN.fullmatch(text, run[-1].end(), match.start()):
        return False
    return len(run) < 2 or (step > 0) == (number_of(run[1]["value"]) > number_of(run[0]["value"]))


def _numbered(text: str) -> Levels | None:
    for run in _runs(text, _NUMBERED):
        lead = text[max(0, run[0].start() - 160) : run[0].start()].rstrip().rpartition("\n")[2]
        labels = [_label(line) for line in run]
        asked = _LEADS_TO_LEVELS.search(lead) or (
            _short(labels) and _ASKS_FOR_A_NUMBER.search(text)
        )
        if len(run) > 2 and all(labels) and asked:
            return _of_run(run)
    return None


def _short(labels: Sequence[tuple[str, str] | None]) -> bool:
    """Whether every label says all there is to its level: "strongly agree"."""
    return all(label and not label[1] and len(label[0].split()) <= 3 for label in labels)


def _in_words(text: str) -> Levels | None:
    for run in _runs(text, _IN_WORDS):
        return _of_run(run)
    return None


def _fractions(text: str) -> Levels | None:
    """At least three lines whose values go up or down: what lies between them is allowed too."""
    for run in runs(
        _DECIMAL.finditer(text),
        lambda run, match: text.count("\n", run[-1].end(), match.start()) <= _WIDEST_GAP,
    ):
        values = [float(line["value"]) for line in run]
        if len(set(values)) > 2 and values in (sorted(values), sorted(values, reverse=True)):
            scale = {"type": "number", "min": min(values), "max": max(values)}
            return Levels(tuple(sorted(values)), scale, run[0].start())
    return None


def _runs(text: str, pattern: re.Pattern[str]) -> list[list[re.Match[str]]]:
    several = runs(pattern.finditer(text), lambda run, match: _follows(text, run[-1], match, run))
    return [run for run in several if len(run) > 1]


def _follows(
    text: str, last: re.Match[str], match: re.Match[str], run: list[re.Match[str]]
) -> bool:
    step = _value(match) - _value(last)
    if abs(step) != 1 or text.count("\n", last.end(), match.start()) > _WIDEST_GAP:
        return False
    return len(run) < 2 or step == _value(run[1]) - _value(run[0])


def _entry(label: str, meaning: str) -> str | dict[str, str]:
    return {"label": label, "meaning": meaning} if meaning else label


def _shows_text(match: re.Match[str]) -> bool:
    """Whether a line is but a number before a place for a text: "1: {answer}"."""
    bare = re.match(r"[ \t]*\d{1,2}\s*[:：=]", match[0]) is not None
    return (
        bare
        and re.fullmatch(r"[{<$]{1,3}[^{}<>\n]{1,60}[}>]{0,3}", match["rest"].strip()) is not None
    )


def _label(match: re.Match[str]) -> tuple[str, str] | None:
    """Label and meaning: "The answer is terrible: off topic" → ("terrible", "off topic")."""
    rest = match["rest"].strip(" \t*_|.")
    if rest.startswith(("{", "<", "[", "$", "%")) or "‹" in rest:
        return None  # a placeholder: what the level means comes with the item
    if match["name"]:
        meaning = re.sub(r"^(?:means?\s+)?(?:that\s+)?", "", rest, flags=re.IGNORECASE)
        return match["name"].strip(), meaning.strip()
    head, _, meaning = _split(rest)
    said = re.search(r"\bis\s+((?:\w+[\s-]?){1,5})$", head)
    label = said[1] if said else head
    label = label.strip(" *_`\"'“”.")
    if not label or len(label.split()) > _LONGEST_LABEL or len(label) > 40:
        return None
    if re.fullmatch(r"[\d.,\s-]+", label):
        return None
    return label, meaning.strip(" *_|")


def _split(rest: str) -> tuple[str, str, str]:
    match = re.search(r"\s*(?:[:：;；|,，.。(（]|\s[–—-]\s)\s*", rest)
    return (rest[: match.start()], match[0], rest[match.end() :]) if match else (rest, "", "")
