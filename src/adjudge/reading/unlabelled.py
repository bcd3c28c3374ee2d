"""Where the value of a criterion stands that was asked alone, and so needs no label."""

from __future__ import annotations

import re

from adjudge.core.judge import Judge
from adjudge.core.rubric import Criterion

from .brackets import as_option, bracketed
from .grades import relabelled
from .place import Place, withdrawn
from .quoted import without_code, without_quotations
from .revised import taken_back
from .stated import stated_in
from .written import holds_value

_LONGEST_WHOLE = 60
_FENCED = re.compile(r"```\w{0,20}\s*+([^`\s][^`\n]{0,60}?)\s*+```")


def place_of_one(
    judge: Judge, criterion: Criterion, text: str, labelled: Place | None, *, cut_off: bool
) -> Place | None:
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


def _last_word(criterion: Criterion, text: str, place: Place, *, by_sentence: bool) -> Place:
    """A labelled value, or what the reply puts in its stead behind it."""
    if place.span is None:
        return place
    # Behind the value: what follows on its line is of the place too.
    text = without_quotations(without_code(text))
    begin = taken_back(text, place.span[0])
    again = relabelled(criterion.scale, text, place.span[1], begin)
    if again:
        return again
    if begin is None:
        return place
    instead = stated_in(criterion.scale, text[begin:]) if by_sentence else None
    if instead is None or instead.span is None:
        return withdrawn(place)
    return instead._replace(span=(instead.span[0] + begin, instead.span[1] + begin))


def _unlabelled(criterion: Criterion, text: str, *, by_sentence: bool) -> Place | None:
    """A [[value]], a reply that is nothing but the value, or a plain statement.

    A place that holds no value yields to the next one, but is what an unreadable reply is told by.
    """
    bare = text.strip()
    fenced = _FENCED.fullmatch(bare)
    bare = fenced[1] if fenced else bare
    begin = text.find(bare)
    whole = Place(bare, "the whole reply", (begin, begin + len(bare)), begin)
    places = [
        bracketed(without_code(text)),
        stated_in(criterion.scale, text) if by_sentence else None,
        whole if len(bare) <= _LONGEST_WHOLE and "\n" not in bare else None,
        bracketed(text),
    ]
    there = [as_option(criterion.scale, place) for place in places if place]
    readable = (place for place in there if holds_value(criterion.scale, place.raw))
    return next(readable, next(iter(there), None))


def _yields(label: Place, other: Place) -> bool:
    """Whether a label without a value gives way: to [[…]], and to a sentence in its own line."""
    if other.words.startswith(("[[", "\\boxed")):
        return True
    inside = label.span is not None and other.span is not None
    return inside and label.span[0] <= other.span[0] < label.span[1]  # type: ignore[index]
