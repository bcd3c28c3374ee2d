"""What a prompt states and its judge leaves aside: keys of the reply, ranges and lists of options.

Each is a scale of the judge, feedback, or told here: nothing that the prompt states is dropped
without a word.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from .choice import SURE
from .choices import listed_choices
from .findings import ImportFindings
from .keys import described
from .naming import slug
from .numerals import is_of_confidence, words_before
from .ranges import find_ranges
from .sample import SampleField
from .words import CONFIDENCES, EXPLANATIONS, IDENTIFIERS, REASONS, SCORES

_PLAIN = 4  # a range of this weight is one of scores


def tell_of_left_over(
    text: str,
    criteria: Mapping[str, Mapping[str, Any]],
    fields: Sequence[str],
    sample: Sequence[SampleField],
    findings: ImportFindings,
) -> None:
    """Doubts whatever the prompt states and nothing accounts for; `fields` are those of feedback"""
    keys = list(dict.fromkeys(_keys(criteria, fields, sample)))
    if keys:
        findings.note("reply", f"{', '.join(keys)} of the sample is not read")
    told = " ".join(one.doubt for one in findings.all)
    aside = [one for one in sample if slug(one.key) not in criteria]
    for said in [*_ranges(text, criteria, aside), *_options(text, criteria, aside)][:1]:
        if said not in told:
            findings.doubt("scale", f"{said} is the scale of no criterion", "scale")


def _keys(
    criteria: Mapping[str, Mapping[str, Any]], fields: Sequence[str], sample: Sequence[SampleField]
) -> Iterator[str]:
    groups = {one.within for one in sample}
    for one in sample:
        known = {slug(one.key), slug(one.within)} & {*criteria, *fields}
        words = one.key in REASONS and not one.tells
        if not known and not words and one.key not in IDENTIFIERS and one.key not in groups:
            yield one.key


def _ranges(
    text: str, criteria: Mapping[str, Mapping[str, Any]], aside: Sequence[SampleField]
) -> Iterator[str]:
    used = {bounds for entry in criteria.values() for bounds in _bounds(entry.get("scale", {}))}
    own = "\n".join(f"{one.value}\n{described(text, one.key)}" for one in aside)
    used |= {one.bounds for one in find_ranges(own, labelled=True)}
    for one in find_ranges(text):
        if one.weight >= _PLAIN and one.bounds not in used and not one.values:
            yield f"{one.low:g} to {one.high:g}"


def _bounds(scale: Mapping[str, Any]) -> Iterator[tuple[float, float]]:
    if "levels" in scale:
        yield min(scale["levels"]), max(scale["levels"])
    elif "min" in scale:
        yield scale["min"], scale["max"]
    elif scale.get("type") == "binary" or {"0", "1"} >= set(scale.get("options", ["?"])):
        yield 0, 1


def _options(
    text: str, criteria: Mapping[str, Mapping[str, Any]], aside: Sequence[SampleField]
) -> Iterator[str]:
    own = "\n".join(f"{one.value}\n{described(text, one.key)}" for one in aside).casefold()
    used: set[str] = {"yes", "no"}
    for entry in criteria.values():
        scale = entry.get("scale", {})
        used |= {str(one).casefold() for one in scale.get("options", ())}
        used |= {str(level if isinstance(level, str) else level["label"]).casefold()
                 for level in scale.get("levels", {}).values()}
    for one in listed_choices(text):
        if one.weight >= SURE and not one.options & used and not all(w in own for w in one.options):
            yield " / ".join(one.scale.get("options", ("yes", "no")))
