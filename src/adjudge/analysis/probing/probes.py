"""The probes, one entry each. A new one is an entry here, a function in `alter`, and its words in
`strings/`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from adjudge.analysis.probing import alter
from adjudge.core.item import Item
from adjudge.core.reason import Reason
from adjudge.core.scale import Category
from adjudge.errors import UsageError

from .findings import Measure
from .subject import PARAPHRASE, Fields, Subject

Alter = Callable[[Subject, int, Item], Fields | None]


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
    Probe("padding", "gain", alter.padding, _ordered),
    Probe("verbosity", "gain", alter.repeated, _ordered),
    Probe("master-key", "accepted", alter.master_key, _ordered),
    Probe("instruction", "gain", alter.instruction, _ordered),
    Probe("fake-grade", "gain", alter.fake_grade, _ordered),
    Probe("authority", "gain", alter.authority, _ordered),
    Probe("markdown", "gain", alter.polish, _ordered),
    Probe("paraphrase", "flip", alter.paraphrase, _PARAPHRASES),
    Probe("reference", "unnoticed", alter.other_reference, _reference),
    Probe("language", "shift", alter.translation, _TRANSLATIONS),
    Probe("self-preference", "preference", needs=_has("authors", Reason("no_authors"))),
)
BY_NAME: Mapping[str, Probe] = {probe.name: probe for probe in PROBES}


def chosen(only: Sequence[str]) -> tuple[Probe, ...]:
    """The probes of these names, all without any; UsageError that lists them for a wrong name."""
    for name in only:
        if name not in BY_NAME:
            raise UsageError(Reason("probes.unknown", known=tuple(BY_NAME)).at_option("only", name))
    return tuple(probe for probe in PROBES if not only or probe.name in only)
