"""What a prompt states and its judge leaves aside: keys of the reply, ranges and lists of options.

Each is a scale of the judge, feedback, or told here: nothing that the prompt states is dropped
without a word.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from adjudge.core.reason import Reason

from .choice import SURE
from .choices import listed_choices
from .findings import ImportFindings
from .labels import SCORES_AND_VERDICTS, alike_places, open_labels
from .naming import slug
from .ranges import find_ranges
from .sample import SampleField, described
from .titles import LABEL_IN_QUOTES
from .values import with_lowest
from .words import IDENTIFIERS, REASONS, spaced

_PLAIN = 3  # a range of this weight says both ends


def tell_of_unread_keys(
    criteria: Mapping[str, Mapping[str, Any]],
    fields: Collection[str],
    sample: Sequence[SampleField],
    findings: ImportFindings,
) -> None:
    """Notes the keys of the reply that nothing reads; `fields` are those of feedback."""
    groups = {one.within for one in sample} | {entry.get("title") for entry in criteria.values()}
    unread = [
        one.key for one in sample
        if re.match(r"\[\s*\{", one.value)  # the objects of a list
        or not ({slug(one.key), slug(one.within)} & {*criteria, *fields}
                or (one.key in REASONS and not one.tells)
                or one.key in IDENTIFIERS
                or groups & {one.key, one.within or one.key})
    ]  # fmt: skip
    if unread:
        findings.note("reply", Reason("import.note.unread", keys=tuple(dict.fromkeys(unread))))


def doubt_labels(
    text: str,
    criteria: Mapping[str, Mapping[str, Any]],
    sample: Sequence[SampleField],
    findings: ImportFindings,
) -> None:
    """Doubts the criteria where the form of a reply in words, “write "Score: N" and "Decision: X"”,
    or in lines with nothing behind their labels has another one of a score or verdict."""
    known = {spaced(name) for name in criteria}
    known |= {spaced(str(entry.get("title"))) for entry in criteria.values()}
    lines = (*LABEL_IN_QUOTES.finditer(text), *open_labels(text))
    labels = (match["title"].strip() for match in lines)
    left = [one for one in labels if one in SCORES_AND_VERDICTS and spaced(one) not in known]
    left += [one for one in alike_places(text) if spaced(one) not in known]
    if left and not sample:
        besides = Reason("import.doubt.labels", labels=tuple(dict.fromkeys(left)))
        findings.doubt("criterion", besides, "criteria")


def doubt_what_is_left(
    text: str,
    criteria: Mapping[str, Mapping[str, Any]],
    sample: Sequence[SampleField],
    findings: ImportFindings,
) -> None:
    """Doubts the scales where the prompt states another range, or other options, that belongs to no
    criterion, to no other key of the reply, and is not told as a rival."""
    doubts = " ".join(str(one.doubt) for one in findings.all)
    aside = "\n".join(
        f"{one.value}\n{described(text, one.key)}"
        for one in sample
        if slug(one.key) not in criteria
    )
    scales = [entry["scale"] for entry in criteria.values() if "scale" in entry]
    for said in (*_ranges(text, scales, aside), *_options(text, scales, aside)):
        if said not in doubts:
            findings.doubt("scale", Reason("import.doubt.left", scale=said), "scale")
            return


def _ranges(text: str, scales: Sequence[Mapping[str, Any]], aside: str) -> Iterator[str]:
    used = {_bounds(scale) for scale in scales}
    used |= {one.bounds for one in find_ranges(aside, labelled=True)}
    left = dict.fromkeys(
        (one.low, one.high)
        for one in find_ranges(text)
        if one.weight >= _PLAIN and one.bounds not in used and not one.values
    )
    for low, high in left:
        if (with_lowest(text, low), high) not in used:
            yield f"{low:g} to {high:g}"


def _bounds(scale: Mapping[str, Any]) -> tuple[float, float]:
    if "levels" in scale:
        return min(scale["levels"]), max(scale["levels"])
    return (scale["min"], scale["max"]) if "min" in scale else (0, 1)


def _options(text: str, scales: Sequence[Mapping[str, Any]], aside: str) -> Iterator[str]:
    used = {"yes", "no"}
    for scale in scales:
        levels = [one if isinstance(one, str) else one["label"]
                  for one in scale.get("levels", {}).values()]  # fmt: skip
        used |= {str(one).casefold() for one in (*scale.get("options", ()), *levels)}
    aside = aside.casefold()
    for one in listed_choices(text):
        elsewhere = all(option in aside for option in one.options)
        if one.weight >= SURE and not one.options & used and not elsewhere:
            yield one.words
