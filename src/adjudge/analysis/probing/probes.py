"""The probes, one entry each. A new one is an entry here, a function in `alter`, and its words in
`reports/strings`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from adjudge.core.item import Item
from adjudge.core.scale import Category
from adjudge.errors import UsageError

from . import alter
from .findings import Measure
from .subject import PARAPHRASE, Fields, Subject

Alter = Callable[[Subject, int, Item], Fields | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Probe:
    """What it does to a text, and what to do about a judge that falls for it, is told in reports.

    Probes without `alter` make no twins: they look at the same texts in another way.
    `needs` is the reason why a judge or its texts cannot be probed like this, None when they can.
    """

    name: str
    measure: Measure
    alter: Alter | None = None
    needs: Callable[[Subject], str | None] = lambda _: None


def _ordered(subject: Subject) -> str | None:
    scales = [each.scale for each in subject.judge.rubric.criteria.values()]
    if subject.judge.pair or not all(isinstance(scale, Category) for scale in scales):
        return None
    return "its values are names without an order, so no score can rise"


def _pair(subject: Subject) -> str | None:
    return None if subject.judge.pair else "it judges one text at a time, not a pair"


def _several_criteria(subject: Subject) -> str | None:
    calls = subject.judge.calls()
    return None if len(calls[0]) > 1 else "it is asked for one criterion at a time"


def _reference(subject: Subject) -> str | None:
    name = subject.reference
    if name is None:
        return "it has no input for a reference answer"
    if len({item.fields.get(name) for item in subject.items} - {None}) < 2:
        return "the texts have fewer than two different references to swap"
    if subject.judge.pair:
        return "of two answers, neither need lose by a wrong reference"
    return _ordered(subject)


def _paraphrase(subject: Subject) -> str | None:
    if subject.paraphrases:
        return None
    return f"the data have no column {PARAPHRASE!r}, and no model is asked to make one up"


def _translation(subject: Subject) -> str | None:
    return None if subject.translations else "only the built-in texts come in other languages"


def _contrast(subject: Subject) -> str | None:
    if not subject.contrasts:
        return "only of the built-in texts is it known which answers are good and which are wrong"
    return _ordered(subject)


def _authors(subject: Subject) -> str | None:
    if subject.authors:
        return None
    return "it needs data whose authors are known: --author COLUMN, and several models with -m"


PROBES = (
    Probe(
        name="contrast",
        measure="unnoticed",
        needs=_contrast,
    ),
    Probe(
        name="repeat",
        measure="flip",
    ),
    Probe(
        name="order",
        measure="flip",
        needs=_pair,
    ),
    Probe(
        name="criteria-order",
        measure="flip",
        needs=_several_criteria,
    ),
    Probe(
        name="padding",
        measure="gain",
        alter=alter.padding,
        needs=_ordered,
    ),
    Probe(
        name="verbosity",
        measure="gain",
        alter=alter.repeated,
        needs=_ordered,
    ),
    Probe(
        name="master-key",
        measure="accepted",
        alter=alter.key,
        needs=_ordered,
    ),
    Probe(
        name="instruction",
        measure="gain",
        alter=alter.instruction,
        needs=_ordered,
    ),
    Probe(
        name="fake-grade",
        measure="gain",
        alter=alter.fake_grade,
        needs=_ordered,
    ),
    Probe(
        name="authority",
        measure="gain",
        alter=alter.authority,
        needs=_ordered,
    ),
    Probe(
        name="markdown",
        measure="gain",
        alter=alter.polish,
        needs=_ordered,
    ),
    Probe(
        name="paraphrase",
        measure="flip",
        alter=alter.paraphrase,
        needs=_paraphrase,
    ),
    Probe(
        name="reference",
        measure="unnoticed",
        alter=alter.other_reference,
        needs=_reference,
    ),
    Probe(
        name="language",
        measure="shift",
        alter=alter.translation,
        needs=_translation,
    ),
    Probe(
        name="self-preference",
        measure="preference",
        needs=_authors,
    ),
)
BY_NAME: Mapping[str, Probe] = {probe.name: probe for probe in PROBES}


def chosen(only: Sequence[str]) -> tuple[Probe, ...]:
    """The probes of these names, all without any; UsageError that lists them for a wrong name."""
    for name in only:
        if name not in BY_NAME:
            raise UsageError(f"--only {name}: there is no such probe. Known: {', '.join(BY_NAME)}.")
    return tuple(probe for probe in PROBES if not only or probe.name in only)
