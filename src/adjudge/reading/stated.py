"""A score that a sentence states: "so I would give it a score of 4", "Output (a) is better".

Only for judges that ask for text and only for a criterion asked alone, after labelled lines were
looked for. Sentences that quote, deny, suppose or repeat the scale state nothing; of several that
state a value the last one counts, since judges weigh aloud first and decide at the end.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from adjudge.core.scale import Category, NotAValue, Scale

from .words import normal
from .written import value_of

# Possessive (++): a long run of digits must not be tried again from each of them.
_NUM = r"(?P<value>(?<!\d)\d++(?:[.,]\d++)?(?:\s?/\s?\d++|\sout of\s\d++)?)(?![\d%]|[.,]\d)"
_RANGE_BEHIND = re.compile(r"\s*(?:-|–|—|~|to|or|and|đến|hoặc|から|至|到|부터|에서)\s*\d")
_RANGE_BEFORE = re.compile(r"\d\s*(?:-|–|—|~|to|or|and|/|đến|hoặc|から|至|到)\s*$")

# Numbers, in the words of those who grade. Each pattern says plainly that a grade is given.
_GRADES = tuple(
    re.compile(pattern.replace("NUM", _NUM), re.IGNORECASE)
    for pattern in (
        (
            r"\b(?:score|rating|grade|mark)\b(?:\s+(?!scale|range|from|between)[\w'’-]+){0,6}?"
            r"\s*(?:(?<!\bout )of|is|was|as|be|at|to|[:=])\s*(?:an?\s+|to\s+)?[*_\[(“\"]*NUM"
        ),
        (
            r"\b(?:give|gave|given|giving|assign|assigned|award|awarded|rate|rated|deserves?|gets?"
            r"|earns?|receives?|merits?|warrants?|score|scored|scores|scoring)\b"
            r"(?:\s+[\w'’-]+){0,5}?\s+(?:an?|as|at|with|of)?\s*[*_\[(]*NUM"
            r"(?:\s*(?:stars?|points?|/\s*\d+|out of \d+))?(?=[\s.,;:!*_)\]]|$)"
        ),
        r"\b[*_]*NUM[*_]*\s*stars?\b",
        (
            r"[*_\[]*NUM\s*점[*_\]]*\s*(?:으로|을|를|이라고|정도로|만점에서)?"
            r"\s*(?:평가|부여|매기|주|드리|책정|채점|입니다|이다)"
        ),
        r"(?:평점|점수|평가)\s*(?:은|는|이|가|를|을|:)?\s*[*_\[]*NUM\s*점?",
        r"(?:评分|打分|得分|给|评|评为)[^\d\n]{0,8}NUM\s*分",
        r"(?:評価|点数|スコア)[^\d\n]{0,8}[*_\[]*NUM\s*点?",
        r"(?:chấm|cho|đạt|được|đánh giá)[^\d\n]{0,20}NUM\s*(?:điểm|/\s*\d+)",
        r"điểm\s*(?:số)?\s*(?:là|:)\s*NUM",
        r"\b(?:bewerte|vergebe|gebe|Bewertung|Note)\b[^\d\n.]{0,40}NUM",
    )
)
# Verdicts stand at the beginning or at the end; what lies between in a very long reply is not
# searched, which also bounds the time that any text can take.
_HEAD, _TAIL = 2000, 6000

# What makes a sentence no statement of a grade: it denies, supposes, or names the scale itself.
_NOT_STATED = re.compile(
    r"\b(?:if|unless|were it)\b|\b(?:instead of|rather than)\s+(?:an?\s+)?\d"
    r"|\b(?:would|could|should|might) have (?:been|given|received|scored|got(?:ten)?|earned)\b"
    r"|\b(?:not|n['’]t|never|cannot)\s+(?:\w+\s+){0,4}?(?:an?\s+)?(?:score|rating|give|deserve|be)?\s*"
    r"(?:of\s+)?(?:an?\s+)?\d",
    re.IGNORECASE,
)
_SCALE_ECHO = re.compile(
    r"\b(?:scale|range)\b\s*(?:of|from|is|:|between)?\s*\d+(?:\.\d+)?\s*(?:-|–|to|and)\s*\d+(?:\.\d+)?"
    r"|\(\s*\d+\s*(?:-|–|to)\s*\d+[^)]*\)|\bfrom\s+\d+\s+to\s+\d+|\b\d+\s*(?:-|–)\s*\d+\b"
    r"|\d+\s*(?:점)?\s*(?:부터|에서)\s*\d+\s*점?(?:까지)?",
    re.IGNORECASE,
)
_NUMERALS = {
    word: str(number)
    for number, word in enumerate(
        ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"]
    )
}
# Only where a grade is counted: "one" is too common a word otherwise.
_NUMERAL = re.compile(
    rf"\b(?:{'|'.join(_NUMERALS)})\b(?=\s*(?:stars?|out of)\b|\.?\s*$)", re.IGNORECASE
)
_QUOTED = re.compile(
    r"```.*?(?:```|\Z)|“[^”]{0,600}”|\"[^\"\n]{0,600}\"|「[^」]{0,600}」|`[^`\n]+`", re.DOTALL
)
_BARE_END = re.compile(r"(?:[.!?。]\s|\n)[ \t]*[*_\[(]*" + _NUM + r"[*_\])]*\s*\.?\s*\Z")
_BARE_START = re.compile(r"^[ \t]*[*_\[(]*" + _NUM + r"[*_\])]*\s*[.:–—-]\s+(?=\S)", re.MULTILINE)
_BARE_LINE = re.compile(r"^[ \t]*[*_\[(]*" + _NUM + r"[*_\])]*[.:]?[ \t]*$", re.MULTILINE)
_OUT_OF = re.compile(r"(?<![\d./])(?P<value>\d+(?:[.,]\d+)?)\s*(?:/|out of)\s*\d+(?![\d/])")
_ANY_LABEL = re.compile(
    r"^[ \t]*[-*•]?[ \t]*(?P<label>[^\W\d][\w \t'’()/-]{0,50}?)[*_]*[ \t]*[:：][*_ \t]*[\[(]*"
    + _NUM
    + r"[*_\])]*[ \t]*(?:\([^()\n]*\))?\.?[ \t]*$",
    re.MULTILINE,
)  # fmt: skip


def stated_in(scale: Scale, text: str) -> tuple[str, str] | None:
    """What the text states, and the words that state it; None when it states nothing."""
    if len(text) > _HEAD + _TAIL:
        text = f"{text[:_HEAD]}\n…\n{text[-_TAIL:]}"
    text = _QUOTED.sub(lambda found: " " * len(found[0]), text)
    text = _NUMERAL.sub(lambda found: _NUMERALS[found[0].lower()].ljust(len(found[0])), text)
    ways: tuple[Callable[[Scale, str], tuple[str, str] | None], ...]
    if isinstance(scale, Category):
        ways = (_chosen,)
    else:
        text = _SCALE_ECHO.sub(lambda found: " " * len(found[0]), text)
        ways = (_labelled, _graded, _bare, _fraction)
    return next((found for way in ways if (found := way(scale, text))), None)


def _labelled(scale: Scale, text: str) -> tuple[str, str] | None:
    """The last of several lines "Label: 4", as long as they all bear the same label."""
    found = [match for match in _ANY_LABEL.finditer(text) if _reads(scale, match["value"])]
    if len({normal(match["label"]) for match in found}) == 1:
        return found[-1]["value"], found[-1][0].strip()
    return None


def _graded(scale: Scale, text: str) -> tuple[str, str] | None:
    last: re.Match[str] | None = None
    for match in _statements(text):
        if _reads(scale, match["value"]) and (last is None or match.start() >= last.start()):
            last = match
    return _unless_revised(text, last)


# Whoever says this after a verdict has taken it back, and another one did not come.
_REVISED = re.compile(r"\b(?:actually|wait|let me re-?|let['’]s (?:re-?|look))", re.IGNORECASE)


def _unless_revised(text: str, last: re.Match[str] | None) -> tuple[str, str] | None:
    if last is None or _REVISED.search(text, last.end()):
        return None
    return last["value"], last[0].strip()


def _statements(text: str) -> Iterator[re.Match[str]]:
    for pattern in _GRADES:
        for match in pattern.finditer(text):
            begin = max(text.rfind(sign, 0, match.start()) for sign in ("\n", ". ", "! ", "? ")) + 1
            end = re.compile(r"[\n!?]|\.(?:\s|$)|$").search(text, match.end())
            sentence = text[begin : end.start() if end else None]
            clause = re.split(r"[;,]\s", sentence[: match.end() - begin])[-1]
            around = _RANGE_BEHIND.match(text, match.end("value")) or _RANGE_BEFORE.search(
                text, max(0, match.start("value") - 12), match.start("value")
            )
            if not around and not _NOT_STATED.search(clause + sentence[match.end() - begin :][:40]):
                yield match


def _bare(scale: Scale, text: str) -> tuple[str, str] | None:
    """A number alone: before the first sentence, behind the last, or on a line of its own.

    Where further lines begin with numbers, the first is a list's and no score.
    """
    starts = [match for match in _BARE_START.finditer(text) if _reads(scale, match["value"])]
    if len(starts) == 1 and not text[: starts[0].start("value")].strip(" *_[("):
        return starts[0]["value"], starts[0][0].strip()
    end = _BARE_END.search(text)
    if end and _reads(scale, end["value"]):
        return end["value"], end[0].strip()
    lines = [match for match in _BARE_LINE.finditer(text) if _reads(scale, match["value"])]
    return (lines[0]["value"], lines[0][0].strip()) if len(lines) == 1 else None


def _fraction(scale: Scale, text: str) -> tuple[str, str] | None:
    """The only one of its kind, as in "therefore it is irrelevant (1/5)"."""
    found = [match for match in _OUT_OF.finditer(text) if _reads(scale, match[0])]
    return (found[0][0], found[0][0]) if len(found) == 1 else None


def _reads(scale: Scale, value: str) -> bool:
    try:
        value_of(scale, value)
    except NotAValue as error:
        return type(error) is not NotAValue  # off the scale is still what was said
    return True


_NOUN = (
    r"(?:outputs?|assistants?|answers?|responses?|options?|models?|candidates?|systems?"
    r"|summar(?:y|ies)|texts?)"
)
_BETTER = (
    r"(?:better|best|preferable|preferred|superior|stronger|strongest|the (?:clear )?winner"
    r"|the (?:\w+ ){0,2}(?:better|best|superior|preferred|stronger)\b)"
)
_NO_CHOICE = re.compile(r"\b(?:not|neither|nor|n['’]t|if|unless|whether)\b", re.IGNORECASE)


def _chosen(scale: Scale, text: str) -> tuple[str, str] | None:
    """The option that is called the better one, or preferred."""
    options = "|".join(re.escape(str(value)) for value in scale.values() or ())
    name = rf"(?:{_NOUN}\s*)[(\[*_'\"]*(?P<value>{options})\b[)\]*_'\"]*"
    adverbs = (
        r"(?:\s+(?:clearly|slightly|overall|definitely|much|far|generally|therefore|also|thus))*"
    )
    patterns = (
        (
            rf"{name}(?:['’]s\s+(?:answer|response|output|reply))?{adverbs}"
            rf"\s+(?:is|was|wins as|would be|appears to be|seems){adverbs}\s+{_BETTER}"
        ),
        rf"\b(?:prefer|choose|select|pick|favou?r|go with)\s+(?:the\s+)?{name}",
        (
            r"\b(?:better|best|preferred|superior|stronger)"
            r"\s+(?:one|output|answer|response|option|assistant)?\s*(?:is|would be|:)\s*[*_]*"
            + name
        ),
        rf"{name}\s+wins\b",
        (
            r"\b(?:verdict|judge?ment|decision|winner|choice|answer)\s*(?:is|:)\s*[*_\[(]*"
            rf"(?:{_NOUN}\s*)?[(\[*_]*(?P<value>{options})\b"
        ),
    )
    found: re.Match[str] | None = None
    for pattern in patterns:
        for match in re.finditer(pattern, text, re.IGNORECASE):
            begin = max(text.rfind(sign, 0, match.start()) for sign in ("\n", ". ")) + 1
            if not _NO_CHOICE.search(text[begin : match.end()]) and (
                found is None or match.start() > found.start()
            ):
                found = match
    return _unless_revised(text, found)
