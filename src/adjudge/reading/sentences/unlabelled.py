"""The value of a criterion that was asked alone, and so needs no label.

It may stand in [[…]], in a plain sentence ("so I give it a score of 4", "Output (a) is better"), on
a line of its own, or be the whole reply. Sentences are read only where the judge asks for text.
Those that quote, deny, suppose or repeat the scale state nothing; of several that state a value the
last one counts, since judges weigh aloud first and decide at the end.
"""

from __future__ import annotations

import re

from adjudge.core.judge import Judge
from adjudge.core.reason import Reason
from adjudge.core.rubric import Criterion
from adjudge.core.scale import Binary, Category, NotAValue, Scale, as_truth

from ..labelled.brackets import as_option, bracketed
from ..quotations import without_code, without_quotations
from ..readings import ScorePlace, Span, place_of, withdrawn
from ..values import holds_value, parse_value
from .choices import find_choice
from .grades import find_grade, find_labelled_grade, find_later_label
from .running_text import find_retraction, running_text

_LONGEST_WHOLE = 60
# A value is read from what the model said, never from a program or from the markup around it.
_FENCED = re.compile(
    r"```(?:(?:text|txt|json|markdown|md|plaintext|plain|yaml|xml)\b)?\s*+"
    r"([^`\s][^`\n]{0,60}?)\s*+```",
    re.IGNORECASE,
)
_SUPPOSED = re.compile(r"でしょう|だろう|かもしれ|れば|たら|[었았였]을|\w\(\d")


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
    begin = find_retraction(text, place.span[0])
    if again := find_later_label(criterion.scale, text, place.span[1], begin):
        return again
    if begin is None:
        return place
    instead = find_statement(criterion.scale, text[begin:]) if by_sentence else None
    if instead is None or instead.span is None:
        return withdrawn(place)
    return instead._replace(span=(instead.span[0] + begin, instead.span[1] + begin))


def _unlabelled(criterion: Criterion, text: str, *, by_sentence: bool) -> ScorePlace | None:
    """A [[value]], a reply that is nothing but the value, or a plain statement.

    A place without a value gives way to the next one, but is what an unreadable reply is shown by.
    """
    bare = text.strip()
    fenced = _FENCED.fullmatch(bare)
    bare = fenced[1] if fenced else bare
    begin = text.find(bare)
    whole = ScorePlace(bare, Reason("at.whole"), (begin, begin + len(bare)), begin)
    is_value = len(bare) <= _LONGEST_WHOLE and "\n" not in bare and not _SUPPOSED.search(bare)
    places = [
        bracketed(without_code(text)),
        find_statement(criterion.scale, text) if by_sentence else None,
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


def find_statement(scale: Scale, text: str) -> ScorePlace | None:
    """What the text states, with the words that state it; None when it states nothing."""
    prose = running_text(text)
    if isinstance(scale, Category):
        place = find_choice(scale, prose.text) or value_on_own_line(scale, prose.text)
    elif isinstance(scale, Binary):
        place = find_answer(scale, prose.text) or value_on_own_line(scale, prose.text)
        place = place or find_labelled_grade(scale, prose.text)
    else:
        place = find_grade(scale, prose.text)
    return prose.placed(place)


_LONGEST_LINE, _MOST_WORDS = 40, 4
_MORE = re.compile(r"[,:;–—?]\s{0,3}\S|\?")  # "Output (b): yes", "Output (b), on the other hand"
_OPENING = re.compile(
    r"\s{0,9}[*_]{0,3}(?P<value>yes|no|예|네|아니오|아니요|có|không|是|否|はい|いいえ|ja|nein|oui"
    r"|non|sí|sim|não)[*_]{0,3}(?:[,.:;!。，、—–]|\s-\s|\s*\n)",
    re.IGNORECASE,
)
_CONCLUDED = re.compile(
    r"\b(?:(?:final |my )?(?:answer|verdict|judge?ment|decision|conclusion) (?:is|would be)"
    r"|the answer:)"
    r"\s{0,3}[:*_\"“']{0,4}\s?(?P<value>yes|no|true|false|[yn](?=[.*\"”'\s]|$))\b",
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
    if _SUPPOSED.search(bare):
        return None
    try:
        parse_value(scale, bare)
    except NotAValue:
        return None
    begin += whole.find(bare)
    return ScorePlace(bare, Reason("at.line", text=bare), (begin, begin + len(bare)))


def find_answer(scale: Binary, text: str) -> ScorePlace | None:
    """A yes or no that opens the reply, or that it names as its answer."""
    concluded = list(_CONCLUDED.finditer(text))
    match = concluded[-1] if concluded else _OPENING.match(text)
    if match is None or find_retraction(text, match.end()) is not None:
        return None
    last = value_on_own_line(scale, text)
    if last and parse_value(scale, last.raw) != as_truth(match["value"]):
        return None
    return place_of(match)
