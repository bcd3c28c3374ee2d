"""How a probe alters a text: each function gives the fields to put in place of an item's own.

None means that this item has nothing to alter. `at` is the item's place: probes with several
wordings take them in turn, so that no single one decides.
"""

from __future__ import annotations

import json
import re

from adjudge.core.item import Item
from adjudge.core.scale import Category, Scale, Value, value_range

from .subject import Fields, Subject

_SENTENCE = re.compile(r"(?<=[.!?。])\s+")


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
