"""The value of a criterion that was asked alone, and so needs no label.

It may stand in [[…]], in a plain sentence ("so I give it a score of 4", "Output (a) is better"), on
a line of its own, or be the whole reply. Sentences are read only where the judge asks for text.
Those that quote, deny, suppose or repeat the scale state nothing; of several that state a value the
last one counts, since judges weigh aloud first and decide at the end.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import islice
from typing import Any

from adjudge.core.judge import Judge
from adjudge.core.reason import Reason
from adjudge.core.rubric import Criterion
from adjudge.core.scale import Binary, Category, NotAValue, Ordinal, Scale, as_truth, folded

from ..labelled.brackets import as_option, bracketed
from ..quotations import without_code, without_quotations
from ..readings import ScorePlace, Span, place_of, withdrawn
from ..values import holds_value, parse_value
from ..verdicts import begins_with_verdict, find_verdict, is_contested
from ..vocabulary import GRADING, NUMBER_WORDS, is_no_score, normal
from .choices import find_choice
from .grades import LISTED, find_grade, find_labelled_grade, find_later_label
from .running_text import find_retraction, running_text, sentence_around

_LONGEST_WHOLE = 60
# A value is read from what the model said, never from a program or from the markup around it.
_FENCED = re.compile(
    r"```(?:[^\n`]{0,30}\n\s*+|(?:text|txt|json|markdown|md|plaintext|plain|yaml|xml)\b\s*+)?"
    r"(?P<closed>[^`\s][^`\n]{0,60}?)\s*+```|(?:```"
    r"|~~~)[^\n`]{0,30}\n\s*+(?P<open>[^`~\n]{1,60}?)\s*+"
    r"(?:~~~|\Z)",
    re.IGNORECASE,
)
# "probably a 3"; print(1)
_NO_VALUE = re.compile(r"でしょう|だろう|かもしれ|\w\(\d")


# "9/10は高すぎます": a sentence that begins with a value
_GOES_ON = re.compile(
    r"[\[(*_]{0,4}\d{1,4}(?:[.,]\d{1,2})?(?:/\d{1,4})?[\])*_]{0,4}(?:は(?!、)|에는|은 |까지|이상)"
)


def place_of_single_criterion(
    judge: Judge, criterion: Criterion, text: str, labelled: ScorePlace | None, *, cut_off: bool
) -> ScorePlace | None:
    """The label's place, unless its value is taken back, or else one without a label."""
    by_sentence = judge.reply == "text"
    if labelled is not None and holds_value(criterion.scale, labelled.raw):
        return _last_word(criterion, text, labelled, by_sentence=by_sentence)
    if cut_off:
        return labelled
    other = _unlabelled(criterion, text, by_sentence=by_sentence)
    if labelled is None or (other and _yields(labelled, other)):
        return other
    return labelled


def _last_word(
    criterion: Criterion, text: str, place: ScorePlace, *, by_sentence: bool
) -> ScorePlace:
    """A labelled value, or what the reply replaces it by after it."""
    if place.span is None:
        return place
    # Behind the value: what follows on its line is of the place too.
    text = without_quotations(without_code(text))
    begin = _taken_back_at(criterion.scale, text, place.span[0])
    if again := find_later_label(criterion.scale, text, place.span[1], begin):
        return again
    if begin is None:
        return place
    rest, names = text[begin:], _names(criterion)
    instead = (
        (bracketed(rest) or find_statement(criterion.scale, rest, names)) if by_sentence else None
    )
    if instead is None or instead.span is None:
        return withdrawn(place)
    return instead._replace(span=(instead.span[0] + begin, instead.span[1] + begin))


# "Correction: the capital is Paris": of the judged text, and of no score
_CORRECTION = re.compile(
    r"\W{0,5}(?:correction|korrektur|更正|订正|訂正|정정|đính chính)\s?[:：](?P<what>[^\n]*)",
    re.IGNORECASE,
)


def _taken_back_at(scale: Scale, text: str, after: int) -> int | None:
    """Where the text begins to take a value back, which a correction without a grade does not."""
    begin = find_retraction(text, after)
    correction = None if begin is None else _CORRECTION.match(text, begin)
    if correction is None or isinstance(scale, Category | Binary):
        return begin
    what = correction["what"]
    labels = [one.label for one in scale.levels.values()] if isinstance(scale, Ordinal) else []
    grades = [*labels, *NUMBER_WORDS]
    if (
        re.search(r"\d", what)
        or GRADING.search(what)
        or any(re.search(rf"(?i)\b{re.escape(one)}\b", what) for one in grades)
    ):
        return begin
    return _taken_back_at(scale, text, correction.end())


def _unlabelled(criterion: Criterion, text: str, *, by_sentence: bool) -> ScorePlace | None:
    """A [[value]], a reply that is nothing but the value, or a plain statement.

    A place without a value gives way to the next one, but is what an unreadable reply is shown by.
    """
    bare = text.strip()
    fenced = _FENCED.fullmatch(bare)
    bare = (
        fenced[fenced.lastgroup or 0] if fenced else "" if bare.startswith(("```", "~~~")) else bare
    )
    begin = text.find(bare)
    whole = ScorePlace(bare, Reason("at.whole"), (begin, begin + len(bare)), begin)
    none = _NO_VALUE.search(bare) or LISTED.match(bare) or _GOES_ON.match(bare)
    is_value = 0 < len(bare) <= _LONGEST_WHOLE and "\n" not in bare and not none
    if isinstance(criterion.scale, Binary | Category) and is_value:
        goes_on = begins_with_verdict(criterion.scale, bare)
        is_value = not goes_on or find_verdict(criterion.scale, bare) is not None
    places = [
        bracketed(without_code(text)),
        find_statement(criterion.scale, text, _names(criterion)) if by_sentence else None,
        whole if is_value else None,
        bracketed(text),
    ]
    options = [as_option(criterion.scale, place) for place in places if place]
    readable = (place for place in options if holds_value(criterion.scale, place.raw))
    return next(readable, next(iter(options), None))


def _yields(label: ScorePlace, other: ScorePlace) -> bool:
    """Whether a label without a value gives way: to [[…]], and to a sentence in its own line."""
    if other.form == "brackets":
        return True
    inside = label.span is not None and other.span is not None
    return inside and label.span[0] <= other.span[0] < label.span[1]  # type: ignore[index]


def _names(criterion: Criterion) -> tuple[str, ...]:
    return criterion.name.replace("_", " "), criterion.title


def find_statement(scale: Scale, text: str, names: tuple[str, ...] = ()) -> ScorePlace | None:
    """What the text states, with the words that state it; None when it states nothing.

    `names` are those of the criterion, which may stand for the word "score".
    """
    prose = running_text(text)
    ways: tuple[Callable[[Any, str], ScorePlace | None], ...]
    if isinstance(scale, Category):
        ways = (find_choice, value_on_own_line, find_labelled_word, verdict_with_reason)
    elif isinstance(scale, Binary):
        if is_contested(scale, prose.text):  # a word in between may be anybody's
            return prose.placed(value_on_own_line(scale, prose.text))
        ways = (find_answer, value_on_own_line, find_labelled_grade, find_labelled_word)
    else:
        return prose.placed(find_grade(scale, prose.text, names))
    places = (way(scale, prose.text) for way in ways)
    place = next(filter(None, places), None)
    return prose.placed(place) or stressed_word(scale, text)


_LONGEST_LINE, _MOST_WORDS = 40, 4
_MORE = re.compile(r"[,:;–—?]\s{0,3}\S|\?")  # "Output (b): yes", "Output (b), on the other hand"
_CONCLUDED = re.compile(
    r"(?:\b(?:final |my |correct )?(?:answer|verdict|judge?ment|decision|conclusion|label) (?:is"
    r"|would be)|(?:^|[.!?\n]\s)answer:|\bi (?:would |['’]d )?(?:answer|say)"
    r"|\A[^?]{3,200}\?\s(?:a:\s)?(?=\w{2,3}\.?\s*\Z)"
    r"|\bthe answer:|\[(?:result|verdict|결과|判定|结果|結果|resultado|ergebnis|kết quả)\])"
    r"\s{0,3}[:*_\"“'(]{0,4}\s?(?P<value>yes|no|true|false|[yn](?=[.*\"”'\s]|$))\b",
    re.IGNORECASE,
)
# "Assessment: grounded"; not what was asked, expected or judged.
_WORD_BEHIND_LABEL = re.compile(
    r"^[ \t>#*_•-]{0,6}(?P<label>[^\W\d][^\n:：=|]{0,40}?)[*_\s]{0,4}[:：][*_ \t]{0,6}"
    r"(?P<value>[^\s*_|\d][^\n|]{0,40}?)[*_ \t.。]{0,6}$",
    re.MULTILINE,
)
_NO_VERDICT = re.compile(
    r"worse|worst|weaker|los(?:er|ing)|reject|wrong|reference|expected|correct|gold|truth|question"
    r"|input|context|student|user|option|example|criteri|claim|statement|explanation|reason|정답"
    r"|질문|예시|이유|标准|参考|正确|问题|理由|模範|正解|質問|đáp án|câu hỏi|lý do|frage|grund"
    r"|pregunta|question|pergunta",
    re.IGNORECASE,
)
_STRESSED_WORD = re.compile(
    r"(?:\*\*|[\"“'`「])(?P<value>[^\W\d_][^*\"“”'`「」\n]{0,30})(?:\*\*|[\"”'`」])"
)
_CONCLUDES = re.compile(
    r"\b(?:so|therefore|thus|hence|overall|conclu\w+|verdict|classif\w+|labell?ed|categor\w+"
    r"|judg\w+"
    r"|daher|somit|donc|por (?:lo )?tanto|portanto|vì vậy|do đó|kết luận)\b|따라서|결론|그러므로"
    r"|因此|所以|综上|よって|したがって|結論",
    re.IGNORECASE,
)


def find_labelled_word(scale: Binary | Category, text: str) -> ScorePlace | None:
    """The last of several lines "Label: word", as long as they all have the same label."""
    matches = [
        match
        for match in islice(_WORD_BEHIND_LABEL.finditer(text), _MOST_LINES)
        if holds_value(scale, match["value"])
        and not is_no_score(match["label"])
        and not _NO_VERDICT.search(match["label"])
    ]
    if len({normal(match["label"]) for match in matches}) != 1:
        return None
    last = matches[-1]
    return None if find_retraction(text, last.end()) is not None else place_of(last)


def stressed_word(scale: Binary | Category, text: str) -> ScorePlace | None:
    """The one word of the scale that is set off, where it concludes: so it is **unrelated**."""
    words = scale.options if isinstance(scale, Category) else _TRUTHS
    known = {folded(word) for word in words if len(word) > 1}
    matches = [m for m in _STRESSED_WORD.finditer(text[-_FAR:]) if folded(m["value"]) in known]
    if len({folded(match["value"]) for match in matches}) != 1:
        return None
    last, cut = matches[-1], max(0, len(text) - _FAR)
    begin, end = sentence_around(text, cut + last.start(), cut + last.end())
    before = text[begin : cut + last.start()]
    asks = text[begin:end].rstrip().endswith("?")
    if asks or not _CONCLUDES.search(before) or _DENIES.search(before):
        return None
    span = (cut + last.start("value"), cut + last.end("value"))
    return ScorePlace(last["value"], Reason("at.text", text=last[0]), span, begin, span[1])


_FAR, _MOST_LINES = 4000, 200
_TRUTHS = frozenset({"yes", "no", "true", "false"})
_DENIES = re.compile(
    r"n['’]t\b|\b(?:not|never|neither|nor|than|instead|rather|nicht|kein\w*|pas|no|não|không)\b|않"
    r"|아니",
    re.IGNORECASE,
)


def value_on_own_line(scale: Scale, text: str) -> ScorePlace | None:
    """The value on the last line, or on the first; None when they differ or hold more than it."""
    begin, end = len(text) - len(text.lstrip()), len(text.rstrip())
    first_end, last_begin = text.find("\n", begin, end), text.rfind("\n", begin, end) + 1
    lines = {(begin, first_end if first_end >= 0 else end), (max(begin, last_begin), end)}
    places = [place for line in sorted(lines) if (place := _only(scale, text, line))]
    if len({parse_value(scale, place.raw) for place in places}) != 1:
        return None
    return places[-1]


def _only(scale: Scale, text: str, line: Span) -> ScorePlace | None:
    begin, end = line
    whole = text[begin:end]
    bare = whole.strip()
    if len(bare) > _LONGEST_LINE or len(bare.split()) > _MOST_WORDS or _MORE.search(bare):
        return None
    if _NO_VALUE.search(bare):
        return None
    try:
        parse_value(scale, bare)
    except NotAValue:
        return None
    begin += whole.find(bare)
    return ScorePlace(bare, Reason("at.line", text=bare), (begin, begin + len(bare)))


def find_answer(scale: Binary, text: str) -> ScorePlace | None:
    """A yes or no that opens or closes the reply, or that it names as its answer."""
    concluded = list(_CONCLUDED.finditer(text))
    place = place_of(concluded[-1]) if concluded else verdict_with_reason(scale, text)
    if place is None or find_retraction(text, place.stop or 0) is not None:
        return None
    last = value_on_own_line(scale, text)
    if last and parse_value(scale, last.raw) != as_truth(str(place.raw)):
        return None
    return place


def verdict_with_reason(scale: Binary | Category, text: str) -> ScorePlace | None:
    """The verdict that opens or closes the reply: "PASS - it greets the customer"."""
    verdict = find_verdict(scale, text)
    if verdict is None or find_retraction(text, verdict.end) is not None:
        return None
    span = (verdict.begin, verdict.end)
    return ScorePlace(verdict.word, Reason("at.text", text=verdict.word), span, *span)
