"""A score that a sentence states: "so I would give it a score of 4", "Output (a) is better".

Only for judges that ask for text and only for a criterion asked alone, after labelled lines were
looked for. Sentences that quote, deny, suppose or repeat the scale state nothing; of several that
state a value the last one counts, since judges weigh aloud first and decide at the end.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace

from adjudge.core.scale import Category, Scale

from .place import Place
from .words import normal
from .written import holds_value

# Possessive (++): a long run of digits must not be tried again from each of them.
_NUM = r"(?P<value>(?<!\d)\d++(?:[.,]\d++)?(?:\s?/\s?\d++|\sout of\s\d++)?)(?![\d%]|[.,]\d)"
_RANGE_BEHIND = re.compile(
    r"[\])]{0,2}\s*(?:[,;&]\s*\[*|-|–|—|~|to|or|and|đến|hoặc|から|至|到|부터|에서)\s*\d"
)
_RANGE_BEFORE = re.compile(r"\d\s*(?:-|–|—|~|to|or|and|/|đến|hoặc|から|至|到)\s*$")

# Numbers, in the words of those who grade. Each pattern says plainly that a grade is given.
_GRADES = tuple(
    re.compile(pattern.replace("NUM", _NUM), re.IGNORECASE)
    for pattern in (
        (
            r"\b(?:score|rating|grade|mark|judge?ment|verdict)\b(?:\s+(?!scale|range|from|between)[\w'’-]+){0,6}?"
            r"\s*(?:(?<!\bout )of|is|was|as|be|at|to|[:=])\s*(?:an?\s+|to\s+)?[*_\[(“\"]*NUM"
        ),
        (
            r"\b(?:give|gave|giving|assign|assigned|award|awarded|rate|rated|deserves?|gets?"
            r"|earns?|receives?|merits?|warrants?|score|scored|scores|scoring)\b"
            r"(?:\s+[\w'’-]+){0,5}?\s+(?:an?|as|at|with|of)?\s*[*_\[(]*NUM"
            r"(?:\s*(?:stars?|points?|/\s*\d+|out of \d+))?(?=[\s.,;:!*_)\]]|$)"
            r"(?!\s*(?:years?|people|days?|weeks?|months?|hours?|minutes?|times|goals|percent|million))"
        ),
        r"\b(?:making|makes) it an? NUM",
        r"\[RESULT\]\s*\(?NUM",
        r"\bis an? NUM(?=\s*(?:out of|/|in terms|for|because|as|,|\.))",
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
    r"\b(?:if|unless|were it|asks?|asked|claims?|claimed|demands?|requests?|insists?|wants?)\b"
    r"|\b(?:perfect|ideal|better) (?:answer|response|reply|summary|text|one)\b"
    r"|\b(?:không|chưa|nếu|giả sử|lẽ ra|yêu cầu|đòi|tự nhận|tự cho)\b|다면|라면|달라고|요구|주장"
    r"|\b(?:instead of|rather than)\s+(?:an?\s+)?\d"
    r"|\b(?:would|could|should|might) have (?:been|given|received|scored|got(?:ten)?|earned)\b"
    r"|\b(?:not|n['’]t|never|cannot)\s+(?:\w+\s+){0,4}?(?:an?\s+)?(?:score|rating|give|deserve|be)?\s*"
    r"(?:of\s+)?(?:an?\s+)?\d",
    re.IGNORECASE,
)
# In any part of the sentence: a condition, a comparison, a definition, somebody else's grade.
_SUPPOSED = re.compile(
    r"\b(?:if it|if the|had it|to (?:get|earn|receive|deserve|reach|merit)|fails? to|was going to"
    r"|(?:higher|lower|more|less) than|means|previous|another judge|facts)\b",
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
    r"^[ \t]*(?:[-*•][ \t]*|\d{1,2}[.)][ \t]+)?[*_]*(?P<label>[^\W\d][\w \t'’()/-]{0,50}?)"
    r"[*_]*[ \t]*[:：][*_ \t]*[\[(]*"
    + _NUM
    + r"[*_\])]*[ \t]*(?:\([^()\n]*\))?\.?[ \t]*$",
    re.MULTILINE,
)  # fmt: skip


def stated_in(scale: Scale, text: str) -> Place | None:
    """What the text states, with the words that state it; None when it states nothing."""
    left_out = len(text) - _HEAD - _TAIL
    if left_out > 0:
        found = stated_in(scale, f"{text[:_HEAD]}\n{text[-_TAIL + 1 :]}")
        return found if found is None else _moved(found, left_out)
    text = _QUOTED.sub(lambda found: " " * len(found[0]), text)
    text = _NUMERAL.sub(lambda found: _NUMERALS[found[0].lower()].ljust(len(found[0])), text)
    ways: tuple[Callable[[Scale, str], Place | None], ...]
    if isinstance(scale, Category):
        ways = (_chosen,)
    else:
        text = _SCALE_ECHO.sub(lambda found: " " * len(found[0]), text)
        ways = (_graded, _labelled, _bare, _fraction)
    return next((found for way in ways if (found := way(scale, text))), None)


_MID_LINE = re.compile(
    r"(?:\bscore|\brating|\bgrade|điểm|점수|평점|评分|評価)\s*[:：]\s*[*_\[(]*" + _NUM,
    re.IGNORECASE,
)


def relabelled(scale: Scale, text: str, after: int) -> Place | None:
    """A label within a line behind a labelled line: "On reflection, score: 4" changes the score."""
    found = [m for m in _MID_LINE.finditer(text, after) if holds_value(scale, m["value"])]
    return _place(found[-1]) if found else None


def _moved(found: Place, left_out: int) -> Place:
    if found.span is None or found.span[0] < _HEAD:
        return found
    return replace(found, span=(found.span[0] + left_out, found.span[1] + left_out))


def _place(match: re.Match[str]) -> Place:
    return Place(match["value"], f"“{match[0].strip()}”", match.span("value"))


_OTHER_LABELS = frozenset(
    {"confidence", "certainty", "note", "step", "page", "question", "item", "line", "example"}
)


def _labelled(scale: Scale, text: str) -> Place | None:
    """The last of several lines "Label: 4", as long as they all bear the same label."""
    found = [match for match in _ANY_LABEL.finditer(text) if holds_value(scale, match["value"])]
    found = [match for match in found if normal(match["label"]) not in _OTHER_LABELS]
    if len({normal(match["label"]) for match in found}) == 1:
        return _place(found[-1])
    return None


def _graded(scale: Scale, text: str) -> Place | None:
    last: re.Match[str] | None = None
    for match in _statements(text):
        if holds_value(scale, match["value"]) and (last is None or match.start() >= last.start()):
            last = match
    return _unless_revised(text, last)


# Whoever says this after a verdict has taken it back, and another one did not come.
_REVISED = re.compile(r"\b(?:actually\b|wait\b|let me re-?|let['’]s (?:re-?|look))", re.IGNORECASE)


def _unless_revised(text: str, last: re.Match[str] | None) -> Place | None:
    if last is None or _REVISED.search(text, last.end()):
        return None
    return _place(last)


def _statements(text: str) -> Iterator[re.Match[str]]:
    for pattern in _GRADES:
        for match in pattern.finditer(text):
            begin = max(text.rfind(sign, 0, match.start()) for sign in ("\n", ". ", "! ", "? ")) + 1
            end = re.compile(r"[\n!?]|\.(?:\s|$)|$").search(text, match.end())
            sentence = text[begin : end.start() if end else None]
            if _SUPPOSED.search(sentence):
                continue
            clause = re.split(r"[;,]\s", sentence[: match.end() - begin])[-1]
            around = _RANGE_BEHIND.match(text, match.end("value")) or _RANGE_BEFORE.search(
                text, max(0, match.start("value") - 12), match.start("value")
            )
            if not around and not _NOT_STATED.search(clause + sentence[match.end() - begin :][:40]):
                yield match


def _bare(scale: Scale, text: str) -> Place | None:
    """A number alone: before the first sentence, behind the last, or on a line of its own.

    Where further lines begin with numbers, the first is a list's and no score.
    """
    starts = [match for match in _BARE_START.finditer(text) if holds_value(scale, match["value"])]
    if len(starts) == 1 and not text[: starts[0].start("value")].strip(" *_[("):
        return _place(starts[0])
    end = _BARE_END.search(text)
    if end and holds_value(scale, end["value"]):
        return _place(end)
    lines = [match for match in _BARE_LINE.finditer(text) if holds_value(scale, match["value"])]
    return _place(lines[0]) if len(lines) == 1 else None


def _fraction(scale: Scale, text: str) -> Place | None:
    """The only one of its kind, as in "therefore it is irrelevant (1/5)"."""
    found = [match for match in _OUT_OF.finditer(text) if holds_value(scale, match[0])]
    return Place(found[0][0], found[0][0], found[0].span()) if len(found) == 1 else None


_NOUN = (
    r"(?:outputs?|assistants?|answers?|responses?|options?|models?|candidates?|systems?"
    r"|summar(?:y|ies)|texts?)"
)
_BETTER = (
    r"(?:better|best|preferable|preferred|superior|stronger|strongest|the (?:clear )?winner"
    r"|the (?:\w+ ){0,2}(?:better|best|superior|preferred|stronger)\b)"
)
_NO_CHOICE = re.compile(r"\b(?:not|neither|nor|n['’]t|if|unless|whether)\b", re.IGNORECASE)


def _chosen(scale: Scale, text: str) -> Place | None:
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
            rf"(?:{_NOUN}\s*|답변\s*)?[(\[*_]*(?<![A-Za-z])(?P<value>{options})[)\]*_]*"
            r"\s*(?:가|이|의\s*답변이)\s*(?:훨씬|조금|약간)?\s*더\s*(?:나은|낫|우수|좋|뛰어)"
        ),
        (
            r"\b(?:verdict|judge?ment|decision|winner|choice|answer)\s*(?:is|:)\s*[*_\[(]*"
            rf"(?:{_NOUN}\s*)?[(\[*_]*(?P<value>{options})\b"
        ),
    )
    found: re.Match[str] | None = None
    for pattern in patterns:
        for match in re.finditer(pattern, text, re.IGNORECASE):
            begin = max(text.rfind(sign, 0, match.start()) for sign in ("\n", ". ", ", ", "; ")) + 1
            if not _NO_CHOICE.search(text[begin : match.end()]) and (
                found is None or match.start() > found.start()
            ):
                found = match
    return _unless_revised(text, found)
