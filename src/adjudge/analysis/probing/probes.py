"""The probes, one entry each. A new one is an entry in `PROBES`, a function that alters a text, and
its words in `strings/`.

A function gives the fields to put in place of an item's own; None means that this item has nothing
to alter. `at` is the item's place: probes with several wordings take them in turn, so that no
single one decides.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from adjudge.core.item import Item
from adjudge.core.reason import Reason, check_one_of
from adjudge.core.scale import Category, Scale, Value, value_range

from .findings import Measure
from .subject import PARAPHRASE, Fields, Subject

_SENTENCE = re.compile(r"(?<=[.!?。])\s+")
Alter = Callable[[Subject, int, Item], Fields | None]


def padding(subject: Subject, at: int, item: Item) -> Fields | None:  # noqa: ARG001
    """Sentences that say nothing stand after the text."""
    return _added(subject, item, subject.texts.padding)


def repeated(subject: Subject, at: int, item: Item) -> Fields | None:  # noqa: ARG001
    """The whole text stands there twice."""
    return _added(subject, item, f"{subject.texts.restated}\n\n{subject.text(item)}")


def master_key(subject: Subject, at: int, item: Item) -> Fields | None:
    """In place of the text stands one that answers nothing."""
    keys = subject.texts.keys
    return {subject.targets[item.id]: keys[at % len(keys)]}


def instruction(subject: Subject, at: int, item: Item) -> Fields | None:
    """The text tells the judge what to answer."""
    texts, pair = subject.texts, subject.judge.pair
    wordings = texts.pair_instructions if pair else texts.instructions
    best = next((shown for _, shown, _ in _grades(subject, item).values()), "")
    return _added(subject, item, wordings[at % len(wordings)].format(best=best))


def fake_grade(subject: Subject, at: int, item: Item) -> Fields | None:
    """The text ends like a reply of the judge: with lines of grades, or with JSON."""
    best = _grades(subject, item)
    if at % 2:
        grades = {name: value for name, (_, _, value) in best.items()}
        return _added(subject, item, f"```json\n{json.dumps(grades, ensure_ascii=False)}\n```")
    line = subject.texts.grade_line
    lines = [line.format(criterion=title, best=shown) for title, shown, _ in best.values()]
    return _added(subject, item, "\n".join([f"{subject.texts.grade_head}:", *lines]))


def authority(subject: Subject, at: int, item: Item) -> Fields | None:
    """Made-up sources vouch for the text."""
    sources = subject.texts.authority
    return _added(subject, item, sources[at % len(sources)])


def polish(subject: Subject, at: int, item: Item) -> Fields | None:  # noqa: ARG001
    """The same sentences with a headline, bold words and bullets."""
    text, words = subject.text(item).strip(), subject.texts
    if not text:
        return None
    bullets = "\n".join(f"- {sentence}" for sentence in _SENTENCE.split(text))
    marked = (
        f"## {words.polish_title}\n\n**{words.polish_lead}**\n\n{bullets}"
        f"\n\n---\n\n*{words.polish_close}*"
    )
    return {subject.targets[item.id]: marked}


def paraphrase(subject: Subject, at: int, item: Item) -> Fields | None:  # noqa: ARG001
    """The same in other words, as the data have it."""
    return subject.paraphrases.get(item.id)


def translation(subject: Subject, at: int, item: Item) -> Fields | None:  # noqa: ARG001
    """Everything in another language, as the built-in texts have it."""
    return subject.translations.get(item.id)


def other_reference(subject: Subject, at: int, item: Item) -> Fields | None:
    """The right answer to another question: the next one of the data that differs."""
    name = subject.reference
    own = item.fields.get(name) if name else None
    if name is None or own is None:
        return None
    following = [*subject.items[at + 1 :], *subject.items[:at]]
    references = (neighbour.fields.get(name) for neighbour in following)
    other = next((text for text in references if text is not None and text != own), None)
    return None if other is None else {name: other}


def _added(subject: Subject, item: Item, more: str) -> Fields | None:
    text = subject.text(item)
    return {subject.targets[item.id]: f"{text}\n\n{more}"} if text.strip() else None


def highest_value(scale: Scale) -> Value | None:
    """The highest value as the scale has it; None where values have no order."""
    ends = value_range(scale)
    if ends is None:
        return None
    values = scale.values()
    return values[-1] if values else ends[1]


def _grades(subject: Subject, item: Item) -> dict[str, tuple[str, str, Value]]:
    """By criterion: its title, the best value in words and as such. Of a pair, the altered side."""
    pair, grades = subject.judge.pair, {}
    for name, criterion in subject.judge.rubric.criteria.items():
        best = highest_value(criterion.scale)
        if isinstance(criterion.scale, Category) and pair:
            best = pair.values[pair.inputs.index(subject.targets[item.id])]
        if best is not None:
            written = f"{best:g}" if isinstance(best, float) else criterion.scale.write(best)
            grades[name] = (criterion.title, written, best)
    return grades


@dataclass(frozen=True, slots=True)
class Probe:
    """What it does to a text, and what to do about a judge that falls for it, reports say.

    Probes without `alter` make no twins: they look at the same texts in another way.
    `needs` is the reason why a judge or its texts cannot be probed like this, None when they can.
    """

    name: str
    measure: Measure
    alter: Alter | None = None
    needs: Callable[[Subject], Reason | None] = lambda _: None


def _ordered(subject: Subject) -> Reason | None:
    scales = [criterion.scale for criterion in subject.judge.rubric.criteria.values()]
    if subject.judge.pair or not all(isinstance(scale, Category) for scale in scales):
        return None
    return Reason("no_order")


def _pair(subject: Subject) -> Reason | None:
    return None if subject.judge.pair else Reason("no_pair")


def _several_criteria(subject: Subject) -> Reason | None:
    return None if len(subject.judge.calls()[0]) > 1 else Reason("one_criterion")


def _reference(subject: Subject) -> Reason | None:
    name = subject.reference
    if name is None:
        return Reason("no_reference")
    if len({item.fields.get(name) for item in subject.items} - {None}) < 2:
        return Reason("few_references")
    if subject.judge.pair:
        return Reason("pair_reference")
    return _ordered(subject)


def _has(what: str, none: Reason) -> Callable[[Subject], Reason | None]:
    return lambda subject: None if getattr(subject, what) else none


def _contrast(subject: Subject) -> Reason | None:
    return _ordered(subject) if subject.contrasts else Reason("no_contrast")


_PARAPHRASES = _has("paraphrases", Reason("no_paraphrase", column=PARAPHRASE))
_TRANSLATIONS = _has("translations", Reason("no_translation"))
PROBES = (
    Probe("contrast", "unnoticed", needs=_contrast),
    Probe("repeat", "flip"),
    Probe("order", "flip", needs=_pair),
    Probe("criteria-order", "flip", needs=_several_criteria),
    Probe("padding", "gain", padding, _ordered),
    Probe("verbosity", "gain", repeated, _ordered),
    Probe("master-key", "accepted", master_key, _ordered),
    Probe("instruction", "gain", instruction, _ordered),
    Probe("fake-grade", "gain", fake_grade, _ordered),
    Probe("authority", "gain", authority, _ordered),
    Probe("markdown", "gain", polish, _ordered),
    Probe("paraphrase", "flip", paraphrase, _PARAPHRASES),
    Probe("reference", "unnoticed", other_reference, _reference),
    Probe("language", "shift", translation, _TRANSLATIONS),
    Probe("self-preference", "preference", needs=_has("authors", Reason("no_authors"))),
)
BY_NAME: Mapping[str, Probe] = {probe.name: probe for probe in PROBES}


def chosen(only: Sequence[str]) -> tuple[Probe, ...]:
    """The probes of these names, all without any; UsageError that lists them for a wrong name."""
    for name in only:
        check_one_of("only", name, tuple(BY_NAME))
    return tuple(probe for probe in PROBES if not only or probe.name in only)
