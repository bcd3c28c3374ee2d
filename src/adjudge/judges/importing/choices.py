"""Scales without an order: the few answers that a prompt lets its judge choose from.

Every place that may list the answers is weighed. The heaviest wins, and of equals the last, since
prompts end with what they want; a list says more than a part of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain, combinations, islice

from adjudge.core.scale import NO_WORDS, YES_WORDS

from .choice import (
    CLOSE,
    ENOUGH,
    MOST,
    ONE_OF_THESE,
    OPEN,
    OPTION,
    OR,
    SIDE,
    SPLIT,
    SURE,
    TIE,
    ChoiceFound,
    as_words,
    category,
    options_in,
    weight_of,
)
from .numerals import goes_on, is_of_confidence, words_after, words_before
from .option_lines import with_meanings
from .vocabulary import OPPOSITES, VERDICT_WORDS
from .vocabulary import words as of

_QUOTED = re.compile(
    rf"{OPEN}{OPTION}{CLOSE}(?:\s{{0,3}}{OR}\s{{0,3}}{OPEN}{OPTION}{CLOSE}){{1,7}}(?!\s*:)",
    re.IGNORECASE,
)
# One word, or up to three in capitals; a sign behind it as in A++.
_WORD = (
    r"(?:[nN]/[aA]\b|[^\W\d_][\w+-]{0,19}(?:[ _][A-Z]{2,14}|(?-i: [A-Z]{2,14}){2})?|[01](?![\d.]))"
)
_BARE = re.compile(rf"(?<![\w/|]){_WORD}(?:\s{{0,2}}(?:\||/)\s{{0,2}}{_WORD}){{1,7}}(?![\w/|])")
_ENCLOSED = re.compile(
    rf"[\[<({{【（]\s{{0,2}}(?P<list>{_WORD}"
    rf"(?:{SPLIT.pattern}{_WORD}){{1,7}})\s{{0,2}}[\]>)}}】）]",
    re.IGNORECASE,
)
# "fully right|partly right|wrong" in one pair of quotes: options of several words.
_WORDS = r"[^\W_][\w+-]{0,19}(?: [\w+-]{1,20}){0,3}"
_PIPED = re.compile(
    rf"(?<=[\"'“`<\[({{]){_WORDS}(?:\s?[|/]\s?{_WORDS}){{1,7}}(?=[\"'”`>\])}}])", re.IGNORECASE
)
# "PASS or FAIL" in one pair of quotes
_OR_QUOTED = re.compile(
    rf"(?<=[\"'“`<\[({{])[^\W_][\w-]{{0,19}}(?: [\w-]{{1,20}})?(?:\s?{of('or')}\s?[^\W_"
    rf"][\w-]{{0,19}}(?: [\w-]{{1,20}})?){{1,7}}(?=[\"'”`>\])}}])",
    re.IGNORECASE,
)
# yes, no, or unclear: without quotes, in a sentence
_FREE = r"[^\W\d_][\w-]{0,14}(?: [^\W\d_][\w-]{0,14})?"
_IN_A_SENTENCE = re.compile(
    rf"(?<![\w\"']){_FREE}(?:(?:\s?[,，、/]\s?{_FREE}){{0,6}}[,，、]?\s?{of('or')}\s?{_FREE}"
    rf"|(?:\s?[,，、]\s?{_FREE}){{2,6}}(?=[.。]|\s*$))",
    re.IGNORECASE,
)
# trueかfalseかnull, PASS 또는 FAIL: words in Latin letters inside of a text without them
_LATIN = r"(?<![A-Za-z0-9_\u00c0-\u1eff])[A-Za-z]{1,15}(?![\u00c0-\u1eff])"
_IN_OTHER_LETTERS = re.compile(
    rf"{_LATIN}(?:\s?(?:か|または|もしくは|或者?|还是|또는|혹은|이나|[、，,/])\s?[A-Za-z]{{1,15}}){{1,5}}"
    r"(?=\s?[^\x00-\u1eff])"
)
# falseと出力しなさい, 输出 true, "YES"를 출력
_ONE_ANSWER = re.compile(
    rf"(?:(?:输出|返回|回答|回复)[:：]?\s?[“\"「『]?(?P<behind>{_LATIN})(?![A-Za-z])"
    rf"|(?P<before>{_LATIN})[”\"」』]?\s?(?:[とを](?:出力|回答|答え|返)|(?:을|를|으?로)?\s?"
    r"(?:출력|반환|답변?하|응답하|표시)))"
)
# "Verdict: GOOD" or "Verdict: BAD"
_LABELLED = re.compile(
    rf"{OPEN}(?P<label>[^\W\d_][\w ]{{1,24}})[:：] ?{OPTION}{CLOSE}"
    rf"(?:\s{{0,3}}{OR}\s{{0,3}}{OPEN}(?P=label)[:：] ?{OPTION}{CLOSE}){{1,7}}",
    re.IGNORECASE,
)
# A, B, C, D, or F
_LETTERS = re.compile(
    rf"(?<![\w\"'])(?-i:[A-F])(?:\s?[,、，/]\s?(?-i:[A-F])){{0,5}}(?:[,，、]?\s?(?:"
    rf"{of('or')})\s?(?-i:[A-F]))(?![A-Za-z0-9_\"']|\s?{OR})",
    re.IGNORECASE,
)
# A~E 등급, "grades A-F", which leave out the E
_LETTER_RANGE = re.compile(
    r"(?<![A-Za-z0-9-])A\s?(?:[-–~〜～]|to)\s?(?P<last>[C-F])(?![A-Za-z0-9+-])"
)
_GRADES = re.compile(of("labels", "rating", "level"), re.IGNORECASE)
_CAPITAL = r"[A-ZÀ-Ý][A-ZÀ-Ý_]{1,20}(?: [A-ZÀ-Ý]{3,14}){0,2}"
_CAPITALS = re.compile(
    rf"(?<![\w_]){_CAPITAL}(?:(?:,\s*(?:{of('or')}\s*)?"
    rf"|\s*{of('or')}\s*){_CAPITAL}){{1,6}}(?![A-Za-z0-9_])"
)
_EITHER = re.compile(r"\beither\s+(?P<one>[a-z]{2,20})\s+or\s+(?P<other>[a-z]{2,20})\b")
_YES_OR_NO = re.compile(
    rf"(?:{of('yes')}\W{{0,3}}(?:{OR})\W{{0,3}}{of('no')}"
    rf"|{of('no')}\W{{0,3}}(?:{OR})\W{{0,3}}{of('yes')}|(?-i:\bY(?:{OR}|/)\s?N\b))"
    rf"(?!\s?[/|]\s?\w|[\"'”」]?[,，、]?\s?{of('or')}\s)",
    re.IGNORECASE,
)
# "exactly one of: good, bad, mixed", 仅输出一个词：属实、谣言 或 误导
_NAMED = re.compile(
    rf"(?:{of('one of', 'only')})[^\n:：.。]{{0,20}}[:：]\s?(?P<list>[^\n:：.。;\"'“”<>"
    rf"()\[\]{{}}]{{3,160}})",
    re.IGNORECASE,
)
# 상, 중, 하 중 하나; 高、中、低のいずれか; 高、中、低之一
_NAMED_BEFORE = re.compile(
    r"(?:^|(?<=[\s(（:：는은はを]))(?P<list>[^\s\dを,、，/:：\"'“”「」(){}\[\]<>]{1,12}"
    r"(?:\s?[,、，/]\s?[^\s\dを,、，/:：\"'“”「」(){}\[\]<>]{1,12}){1,6}?)" + ONE_OF_THESE,
    re.MULTILINE,
)
_COMMAS = re.compile(r"\s?[,、，/]\s?")
# [[A]], and as mathematics marks a result: \boxed{yes}
_BRACKETED = re.compile(
    r"\[\[([A-Za-z0-9][\w <>=+]{0,14})\]\]"
    r"|\\boxed\s?\{{1,2}\s?(?:\\text\{)?([A-Za-z01][\w ]{0,14})\s?\}"
)
_UNDECIDED = re.compile(of("undecided"), re.IGNORECASE)
_ONE_OF = re.compile(r"(?:Output|Response|Answer|Assistant)\s*\(?\b([AaBb12])\b\)?")
_SIDES = re.compile(
    rf"(?:{SIDE.pattern})(?:\s?(?:[/|,，、]|[,，、]?\s?{of('or')})\s?(?:{SIDE.pattern}"
    rf"|{of('tie')})){{1,4}}",
    re.IGNORECASE,
)
# A++, A+, A=B, B+, B++: how much better one is.
_GRADED = re.compile(r"(?<![\w+])(?:[AB]\+{1,2}(?![+\w])|A=B|(?<=[\"'`])(?:tie|same|C)(?=[\"'`]))")
# A>>B, A>B, A=B, B>A, B>>A
_ORDERED = re.compile(r"(?<![\w<>=])[AB](?:>{1,2}|<{1,2}|=|~)[AB](?![\w<>=])")
_NOT_OPTIONS = frozenset(
    [
        "rating",
        "score",
        "verdict",
        "x",
        "answer",
        "number",
        "n",
        "점수",
        "choice",
        "grade",
        "your",
        "letter",
        "label",
        "option",
        "value",
        "result",
    ]
)
_AROUND = " \t\n\"'“”`<>[](){}.,。（）「」"


def find_choices(text: str, *, labelled: bool = False, example: str = "") -> ChoiceFound | None:
    """The heaviest choice; `labelled` says that the text stands behind a label of the reply,
    `example` is one of the options."""
    best: ChoiceFound | None = None
    choices = [one for one in listed_choices(text, labelled=labelled) if one.weight >= ENOUGH]
    if example:
        choices = [one for one in choices if _offers(one, example)]
    for choice in choices:
        if best is None or choice.weight >= best.weight:
            best = choice
    for choice in choices:  # yes, no, or unclear: a list says more than a part of it
        if best and best.options < choice.options and choice.weight >= best.weight - 3:
            best = choice
    if best is None:
        return None if example else _named(text)
    near = [one for one in choices if one.weight >= max(best.weight - 1, SURE - 1)]
    others = {one.options for one in near if not one.options & best.options}
    return replace(best, rivals=tuple(as_words(other) for other in others))


def listed_choices(text: str, *, labelled: bool = False) -> Iterator[ChoiceFound]:
    """Every list of options, however heavy, but those of how sure the judge is."""
    for one in _candidates(text, labelled=labelled):
        if not is_of_confidence(words_before(text, one.at)):
            yield one


def _offers(choice: ChoiceFound, option: str) -> bool:
    options = choice.scale.get("options")
    word = option.casefold()
    if options is None:
        return word in YES_WORDS | NO_WORDS
    return word in {one.casefold() for one in options}


def _named(text: str) -> ChoiceFound | None:
    """Output (a) and Output (b), wherever they stand."""
    matches = list(_ONE_OF.finditer(text))
    scale = category([match[1] for match in matches])
    return ChoiceFound(scale, matches[0].start(), ENOUGH) if scale else None


def find_bracketed(text: str) -> ChoiceFound | None:
    """[[A]] and [[B]], which no prompt shows but for its verdict."""
    marked = [(match[1] or match[2], match.start()) for match in _BRACKETED.finditer(text)]
    numbered = {word[:-1] for word, _ in marked if word[-1].isdigit()}
    marked = [
        (word, at)
        for word, at in marked
        if word.casefold() not in _NOT_OPTIONS
        # [[Response X]] beside [[Response 2]] stands for any of them.
        and not (word[-1] in "XNxn" and word[:-1] in numbered and word[:-1])
    ]
    scale = category([word for word, _ in marked])
    return ChoiceFound(scale, marked[0][1], 9) if scale else None


def _candidates(text: str, *, labelled: bool) -> Iterator[ChoiceFound]:
    own = 2 if labelled else 0
    for pattern, group, extra in (
        (_QUOTED, 0, 1), (_ENCLOSED, "list", 1), (_BARE, 0, 0), (_CAPITALS, 0, 1),
        (_PIPED, 0, 2), (_LABELLED, 0, 1), (_LETTERS, 0, 2), (_YES_OR_NO, 0, 1), (_OR_QUOTED, 0, 1),
        (_SIDES, 0, 2),
    ):  # fmt: skip
        for match in islice(pattern.finditer(text), MOST):
            if goes_on(text, match.end()):
                continue
            words = ["yes", "no"] if pattern is _YES_OR_NO else options_in(match[group])
            scale = category(words)
            if scale and not _are_keys(pattern, match[0], words):
                weight = own + extra + weight_of(text, match.start(), match.end(), words)
                weight = max(weight, SURE) if labelled and _is_all(text, match) else weight
                yield ChoiceFound(scale, match.start(), weight)
    yield from _of_names(text)
    if labelled:
        yield from _all_of(text)
    yield from with_meanings(text, own)
    yield from _in_other_letters(text)
    yield from _in_a_sentence(text)
    yield from _in_letters(text)


def _in_letters(text: str) -> Iterator[ChoiceFound]:
    """ "either good or bad", A~E 등급, A++ … B++, A>B … B>A."""
    for match in islice(_EITHER.finditer(text), MOST):
        scale = category([match["one"], match["other"]])
        if scale:
            yield ChoiceFound(scale, match.start(), 3)
    for match in islice(_LETTER_RANGE.finditer(text), MOST):
        letters = {"C": "ABC", "D": "ABCD", "E": "ABCDE", "F": "ABCDF"}[match["last"]]
        if _GRADES.search(words_before(text, match.start()) + words_after(text, match.end())):
            scale = {"type": "category", "options": list(letters)}
            yield ChoiceFound(scale, match.start(), SURE)
    for pattern, ends in ((_GRADED, {"A++", "B++"}), (_ORDERED, {"A>B", "B>A"})):
        graded = list(pattern.finditer(text))
        scale = category([match[0] for match in graded])
        if scale and ends <= {match[0] for match in graded}:
            yield ChoiceFound(scale, graded[0].start(), 8)


def _are_keys(pattern: re.Pattern[str], written: str, words: Sequence[str]) -> bool:
    """Whether { clarity, tone, reason } are the keys of an object."""
    braces = pattern is _ENCLOSED and written.startswith("{") and "," in written
    return braces and not any(word.casefold() in VERDICT_WORDS for word in words)


def _is_all(text: str, match: re.Match[str]) -> bool:
    """Whether nothing else stands in the place of the value."""
    before, behind = text[: match.start()], text[match.end() :]
    return not before.strip(_AROUND) and not behind.strip(_AROUND)


def _of_names(text: str) -> Iterator[ChoiceFound]:
    """ "exactly one of: good, bad, mixed"."""
    for match in islice(chain(_NAMED.finditer(text), _NAMED_BEFORE.finditer(text)), MOST):
        split = SPLIT if match.re is _NAMED else _COMMAS
        words = [word.strip(" .`*") for word in split.split(match["list"])]
        if match.re is _NAMED_BEFORE and len(words[0]) > 1 + max(map(len, words[1:])):
            continue  # 请给出甲、乙、丙之一: the sentence begins in the first
        scale = category(words) if all(re.fullmatch(OPTION, word) for word in words) else None
        if scale and all(len(word) <= 24 and len(word.split()) <= 4 for word in words):
            yield ChoiceFound(scale, match.start(), 7)


def _in_a_sentence(text: str) -> Iterator[ChoiceFound]:
    """ "yes, no, or unclear": verdicts that we know, without quotes."""
    for match in islice(_IN_A_SENTENCE.finditer(text), MOST):
        words = [word.strip() for word in SPLIT.split(match[0]) if word.strip()]
        if len(words) < 2:
            continue
        # What stands before the first and behind the last belongs to the sentence.
        if words[0].casefold() not in VERDICT_WORDS:
            words[0] = words[0].split()[-1]
        if words[-1].casefold() not in VERDICT_WORDS:
            words[-1] = words[-1].split()[0]
        tied = any(TIE.fullmatch(word) for word in words)
        known = [word.casefold() in VERDICT_WORDS and (tied or len(word) > 1) for word in words]
        scale = category(words) if all(known) and _differ(words) else None
        if scale:
            weight = weight_of(text, match.start(), match.end(), words) - (
                0 if len(words) > 2 else 1
            )
            yield ChoiceFound(scale, match.start(), min(weight, SURE))


def _in_other_letters(text: str) -> Iterator[ChoiceFound]:
    """Verdicts that we know, in Latin letters, in a Korean, Chinese or Japanese sentence."""
    for match in islice(_IN_OTHER_LETTERS.finditer(text), MOST):
        words = re.findall(r"[A-Za-z]+", match[0])
        scale = category(words) if all(word.casefold() in VERDICT_WORDS for word in words) else None
        if scale:
            yield ChoiceFound(
                scale, match.start(), 1 + weight_of(text, match.start(), match.end(), words)
            )
    answers = list(islice(_ONE_ANSWER.finditer(text), MOST))
    words = [match["behind"] or match["before"] for match in answers]
    scale = category(words) if all(word.casefold() in VERDICT_WORDS for word in words) else None
    if scale:
        yield ChoiceFound(scale, answers[0].start(), SURE)


def _differ(words: Sequence[str]) -> bool:
    """Whether verdicts exclude one another, unlike “accurate, relevant or complete”."""
    plain = any(_UNDECIDED.fullmatch(word) or TIE.fullmatch(word) for word in words[1:])
    return any(are_opposite(one, other) for one, other in combinations(words, 2)) or (
        len(words) > 2 and plain
    )


def are_opposite(one: str, other: str) -> bool:
    """Whether one of two verdicts denies the other: correct and incorrect, 적절 and 부적절."""
    first, second = sorted((one.casefold(), other.casefold()), key=len)
    return (second.endswith(first) and second != first) or frozenset({first, second}) in OPPOSITES


def _all_of(text: str) -> Iterator[ChoiceFound]:
    """A label's line that is nothing but its options: "选择：A 或 B 或 平局"."""
    line = text.strip().partition("\n")[0].strip(" \t.。:：\"'<>[]()（）")
    words = [word.strip(" \"'") for word in SPLIT.split(line)]
    scale = category(words) if all(re.fullmatch(OPTION, word) for word in words) else None
    known = sum(word.casefold() in VERDICT_WORDS for word in words)
    named = known and all(word[:1].isupper() for word in words)  # "Shortlist, Maybe or Reject"
    if scale and (known * 2 >= len(words) or named):
        yield ChoiceFound(scale, 0, ENOUGH + known)
