"""Options that a prompt gives one by one, each with its meaning, often on a line of its own."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice, pairwise

from .choice import (
    CLOSE,
    CUE,
    ENOUGH,
    MOST,
    OPEN,
    OPTION,
    SIDE,
    SURE,
    TIE,
    ChoiceFound,
    bare,
    category,
    weight_of,
)
from .numerals import runs
from .vocabulary import VERDICT_WORDS
from .vocabulary import words as of
from .words import EXPLANATIONS

# “"A" if …, "B" if …”, “'yes' when …. Answer 'no' otherwise”: one by one, with what each means.
_ONE_BY_ONE = re.compile(
    rf"{OPEN}(?P<option>{OPTION}){CLOSE}\s{{0,3}}(?:[:：=–—→(（-]"
    rf"|[로으]*로?\s?{of('if', 'otherwise', 'is')})",
    re.IGNORECASE,
)
# “true if …, false otherwise”, without quotes
_BARE_IF = re.compile(
    rf"(?:(?P<yes>{of('yes')})|(?P<no>{of('no')}))[`*]{{0,2}}\s?[,，:：(（]?\s?"
    rf"{of('if', 'otherwise')}",
    re.IGNORECASE,
)
# “if it is right, print "Y"; otherwise "N"”, “정답이면 "O", 아니면 "X"”: the condition goes first.
_AFTER_IF = re.compile(
    rf"{of('if', 'otherwise')}(?:[^\"“「『'`\n]"
    rf"|(?<=\w)'(?=\w)){{0,80}}{OPEN}(?P<option>{OPTION}){CLOSE}",
    re.IGNORECASE,
)
_OTHERWISE = re.compile(of("otherwise"), re.IGNORECASE)
_TOLD = re.compile(rf"{of('answer', 'give')}\W{{0,4}}$", re.IGNORECASE)
# "- poor: hard to follow", "2. partial_refusal": names of levels or classes, a line each; no
# labels of what is shown: "- Question: {question}".
_LABEL_AND_OPTION = re.compile(
    rf"(?<![\w\"'])(?P<label>{of('rating', 'verdict')}|[A-Z]{{4,14}})[*_]{{0,2}}[:：][*_]{{0,2}} ?"
    rf"[\[(]{{0,2}}(?P<option>[^\W\d_][\w-]{{0,20}})[\])]{{0,2}}"
    rf"(?:,?\s{{1,3}}{of('if', 'or', 'otherwise')}|[ \t](?=[(（=→]|[–—-][ \t]))",
    re.IGNORECASE,
)
_NAMED_LINE = re.compile(
    r"^[ \t]*+(?:(?P<bullet>[-−–*•+]|\d{1,2})[.)]?)[ \t]*[*_`\"“']{0,3}(?P<name>[^\W\d"
    r"_][\w-]*(?:(?: | & | ?/ ?)[\w-]+){0,3})"
    r"[*_`\"”']{0,3}[ \t]*(?:[:：](?:[*_]{0,2}[ \t](?![{$<%])|$)|[–—-][ \t]|[(（=→]|$)",
    re.MULTILINE,
)
_LEADS_TO_NAMES = re.compile(of("labels"), re.IGNORECASE)
_LEADS_TO_CRITERIA = re.compile(of("criteria"), re.IGNORECASE)
# "PASS = all of it is right", a line each; also "Score NO: …"
_CAPITAL_LINE = re.compile(
    rf"^[ \t]*(?:[-*•][ \t]*)?[*_`]{{0,3}}(?:(?i:{of('rating')})[ \t]+)?(?P<name>[A-ZÀ-"
    rf"Ý][A-ZÀ-Ý_-]{{1,20}}(?: [A-ZÀ-Ý]{{2,14}}){{0,2}})[*_`]{{0,3}}[ \t]*(?:[:：=→]"
    r"|[–—-][ \t])",
    re.MULTILINE,
)
_WORD_LINES = re.compile(
    r"(?:^[ \t]*(?:[-*•][ \t]*)?[\"'`]?[^\W\d_][\w -]{0,20}[\"'`]?[ \t]*(?:\n|\Z)){2,8}",
    re.MULTILINE,
)
_IF_LINE = re.compile(
    rf"^[ \t]*+(?:[-*•][ \t]*+)?(?P<name>[^\W\d_][\w-]{{1,24}})[ \t]+{of('if')}[ \t]",
    re.MULTILINE | re.IGNORECASE,
)
_LETTERED = re.compile(
    r"^[ \t]*(?:[-*•][ \t]*)?[*_]{0,2}[(\[（]?(?P<letter>[A-H])"
    r"(?:[)\].:：）=]|[ \t][–—-])[*_]{0,2}[ \t]+"
    r"(?P<rest>[^\n{}$<]{2,300})$",
    re.MULTILINE,
)
# "A. right B. partly right C. wrong" in one line
_LETTERED_INLINE = re.compile(
    r"(?<![A-Za-z0-9(\[（])[(\[（]?(?P<letter>[A-H])[)\].．、:：）=][ \t]?"
    r"(?P<rest>[^\s\d{}$<][^\n{}$<]{0,80}?)"
    rf"(?=[ \t,;/，；、。]{{1,3}}(?:{of('or', 'and')}\s?)?"
    r"[(\[（]?[B-H][)\].．、:：）=]"
    r"|[.。,，;；?？!！]|[ \t]*$)",
    re.MULTILINE,
)
_ASKED = re.compile(
    rf"{of('labels', 'one of')}|letter|answer by|알파벳|字母|chữ cái|buchstabe|lettre|letra",
    re.IGNORECASE,
)
_NEXT = (
    r"[\"'`]?(?:\s?\([^()\n]{1,60}\)|:)?(?:[^\d\n]{1,60}[,;]\s{0,2}|\s?[,;/]\s?)?"
    r"(?:\s{0,2}(?:or|and)\s)?\s{0,2}[\"'`]?"
)
_SIDES_BY_NUMBER = re.compile(
    rf"(?<![\d.,/-])(?P<one>[0-3]){_NEXT}(?P<two>[0-3]){_NEXT}(?P<three>[0-3])"
    r"(?![\d.,]\d|\d|\s?[-–/])"
)
_HEADING = re.compile(r"^[ \t]*#{1,6}[ \t]", re.MULTILINE)  # what follows is another list
# How many lines may lie between two names: their meanings may take some.
_WIDEST_GAP = 5
_CONDITIONS_APART = 240  # characters between two conditions, at most


def with_meanings(text: str, own: int) -> Iterator[ChoiceFound]:
    """Options that stand one by one, each with what it means or when it holds.

    `own` is what a place of its own in the reply counts for.
    """
    yield from _by_meaning(text, own)
    yield from _lettered(text)
    yield from _same_label(text)
    yield from _numbered_sides(text)
    conditions = islice(_BARE_IF.finditer(text), MOST)
    for one, other in pairwise(conditions):
        if bool(one["yes"]) != bool(other["yes"]) and other.start() - one.end() < _CONDITIONS_APART:
            yield ChoiceFound({"type": "binary"}, one.start(), own + 5)
    yield from _line_by_line(text)
    yield from _in_capitals(text)
    yield from _alone_on_lines(text)
    yield from _by_conditions(text)


def _by_meaning(text: str, own: int) -> Iterator[ChoiceFound]:
    """Options that stand one by one, near each other, each with its meaning."""
    options = [
        match for one in (_ONE_BY_ONE, _AFTER_IF) for match in islice(one.finditer(text), MOST)
    ]
    options.sort(key=lambda option: option.start("option"))
    for run in runs(options, lambda run, match: match.start() - run[-1].end() <= 400):
        yield from _of_run(text, run, own)


def _of_run(text: str, run: Sequence[re.Match[str]], own: int) -> Iterator[ChoiceFound]:
    known = [match for match in run if _is_known(bare(match["option"]))]
    counted = [match for match in run if _TOLD.search(text[: match.start("option")][-16:])]
    if len(counted) > 1 and any(_OTHERWISE.match(match[0]) for match in counted):
        known, own = counted, own + 4
    known = _with_neighbours(text, run, known)
    words = [bare(match["option"]) for match in known]
    scale = category(words)
    if scale:
        weight = own + 1 + weight_of(text, known[0].start(), known[0].end(), words)
        yield ChoiceFound(scale, known[0].start(), weight)


def _is_known(option: str) -> bool:
    return option.casefold() in VERDICT_WORDS or bool(SIDE.fullmatch(option))


def _with_neighbours(
    text: str, run: Sequence[re.Match[str]], known: list[re.Match[str]]
) -> list[re.Match[str]]:
    """The options of a list, a line each, where most are verdicts that we know: "Y", "N" and "P"
    are given alike, so "P" is an option too. A key of the reply is none."""
    lines = [match for match in run if not _line_before(text, match.start()).strip(" \t-*•+")]
    most = 2 * len([match for match in lines if match in known]) > len(lines)
    keys = [match for match in lines if match["option"] in EXPLANATIONS]
    return lines if most and not keys and len(lines) > len(known) else known


def _numbered_sides(text: str) -> Iterator[ChoiceFound]:
    """“1 (if the first is better), 2 (if …) or 0 (if both are equal)”, “"1", "2" or "0" for a tie”:
    numbers that stand for the sides of a comparison."""
    for match in islice(_SIDES_BY_NUMBER.finditer(text), MOST):
        options = [match["one"], match["two"], match["three"]]
        said = match[0] + text[match.end() : match.end() + 80].partition("\n")[0]
        if sorted(options) in (["0", "1", "2"], ["1", "2", "3"]) and TIE.search(said):
            scale = {"type": "category", "options": options}
            yield ChoiceFound(scale, match.start(), SURE + 2)


def _line_before(text: str, at: int) -> str:
    return text[text.rfind("\n", 0, at) + 1 : at]


def _same_label(text: str) -> Iterator[ChoiceFound]:
    """ "GRADE: C if it is right, or GRADE: I if not": a label of the reply with each option."""
    by_label: dict[str, list[re.Match[str]]] = {}
    for match in islice(_LABEL_AND_OPTION.finditer(text), MOST):
        by_label.setdefault(match["label"].casefold(), []).append(match)
    for run in by_label.values():
        near = [one for one in run if one.start() - run[0].end() < 2 * _CONDITIONS_APART]
        scale = category([one["option"] for one in near])
        if scale:
            yield ChoiceFound(scale, near[0].start(), SURE + 1)


def _lettered(text: str) -> Iterator[ChoiceFound]:
    """(A) … (E), each with its meaning, a line each or in one; with placeholders they would be the
    texts judged."""
    for pattern, lines_between in ((_LETTERED, 3), (_LETTERED_INLINE, 0)):
        for run in runs(
            islice(pattern.finditer(text), MOST),
            lambda run, match, most=lines_between: (  # type: ignore[misc]
                ord(match["letter"]) == ord(run[-1]["letter"]) + 1
                and text.count("\n", run[-1].end(), match.start()) <= most
            ),
        ):
            scale = category([line["letter"] for line in run])
            if scale and run[0]["letter"] == "A" and _is_asked(text, run):
                yield ChoiceFound(scale, run[0].start(), 7)


def _line_by_line(text: str) -> Iterator[ChoiceFound]:
    """Lines "- poor: …", "- good: …" below words that speak of levels, classes or labels."""
    for run in runs(
        _NAMED_LINE.finditer(text),
        lambda run, match: (
            match["bullet"].isdigit() == run[0]["bullet"].isdigit()
            and _is_near(text, run[-1], match, _WIDEST_GAP)
        ),
    ):
        names = [line["name"] for line in run]
        scale = category(names)
        lead = _lead(text, run[0].start()) if scale else ""
        if scale and _LEADS_TO_NAMES.search(lead):
            known = sum(name.casefold() in VERDICT_WORDS for name in names)
            if known * 2 >= len(names) or not _LEADS_TO_CRITERIA.search(lead):
                plain = 1 if _ASKED.search(lead) else 0
                yield ChoiceFound(scale, run[0].start(), ENOUGH + plain + min(known, 3))


def _is_near(text: str, one: re.Match[str], other: re.Match[str], most: int) -> bool:
    between = text[one.end() : other.start()]
    return between.count("\n") <= most and not _HEADING.search(between)


def _alone_on_lines(text: str) -> Iterator[ChoiceFound]:
    """Below “one of these”, a verdict that we know on each of a few lines, and nothing else."""
    for match in islice(_WORD_LINES.finditer(text), MOST):
        words = [row.strip(" \t-*•\"'`") for row in match[0].strip().split("\n")]
        scale = category(words) if all(word.casefold() in VERDICT_WORDS for word in words) else None
        if scale and _ASKED.search(_lead(text, match.start())):
            yield ChoiceFound(scale, match.start(), SURE)


def _in_capitals(text: str) -> Iterator[ChoiceFound]:
    """Lines "PASS = …", "FAIL = …": verdicts that we know, with what each means."""
    lines = [one for one in _CAPITAL_LINE.finditer(text) if one["name"].casefold() in VERDICT_WORDS]
    for run in runs(lines, lambda run, match: _is_near(text, run[-1], match, 2 * _WIDEST_GAP)):
        scale = category([line["name"] for line in run])
        if scale:
            yield ChoiceFound(scale, run[0].start(), SURE)


def _by_conditions(text: str) -> Iterator[ChoiceFound]:
    """Lines "supported if …", "unsupported if …", without quotes."""
    for run in runs(
        islice(_IF_LINE.finditer(text), MOST),
        lambda run, match: text.count("\n", run[-1].end(), match.start()) <= _WIDEST_GAP,
    ):
        scale = category([line["name"] for line in run])
        if scale and CUE.search(_lead(text, run[0].start())):
            yield ChoiceFound(scale, run[0].start(), SURE)


def _lead(text: str, at: int) -> str:
    """The last two lines with words before an offset."""
    rows = [row for row in text[max(0, at - 400) : at].split("\n") if row.strip()]
    return " ".join(rows[-2:])


def _is_asked(text: str, run: Sequence[re.Match[str]]) -> bool:
    """Whether the words around a lettered list make it the answers of the judge."""
    around = text[max(0, run[0].start() - 200) : run[0].start()] + text[run[-1].end() :][:300]
    return _ASKED.search(around) is not None
