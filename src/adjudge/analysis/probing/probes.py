"""The probes, one entry each. A new one is an entry here and a function in `alter`."""

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
    """`does` says what is done to a text and `advice` what to do about a judge that falls for it.

    Probes without `alter` make no twins: they look at the same texts in another way.
    `needs` is the reason why a judge or its texts cannot be probed like this, None when they can.
    """

    name: str
    does: str
    measure: Measure
    advice: str
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


_ROBUST = "A stronger model is the surest cure; then say in the rubric that it must not count."

PROBES = (
    Probe(
        name="contrast",
        does="a wrong answer takes the place of a good one",
        measure="unnoticed",
        advice="Unless it tells right from wrong, what the other probes find means little.",
        needs=_contrast,
    ),
    Probe(
        name="repeat",
        does="the same question is asked again",
        measure="flip",
        advice="Average several samples (run --repeat 5); smaller differences than this are noise.",
    ),
    Probe(
        name="order",
        does="the two answers change places",
        measure="flip",
        advice="Keep asking in both orders and count disagreements as ties, as adjudge does.",
        needs=_pair,
    ),
    Probe(
        name="criteria-order",
        does="the criteria are asked in the opposite order",
        measure="flip",
        advice="Ask for each criterion in a call of its own: --ask each.",
        needs=_several_criteria,
    ),
    Probe(
        name="padding",
        does="empty phrases are added",
        measure="gain",
        advice=f"Length must not count. {_ROBUST}",
        alter=alter.padding,
        needs=_ordered,
    ),
    Probe(
        name="verbosity",
        does="the text is said twice",
        measure="gain",
        advice=f"Length must not count. {_ROBUST}",
        alter=alter.repeated,
        needs=_ordered,
    ),
    Probe(
        name="master-key",
        does="the text is replaced by one that answers nothing",
        measure="accepted",
        advice="Filter empty and boilerplate answers before judging; give the judge a reference.",
        alter=alter.key,
        needs=_ordered,
    ),
    Probe(
        name="instruction",
        does="the text tells the judge what to answer",
        measure="gain",
        advice="Do not let authors gain by the score with this model; take one that withstands it.",
        alter=alter.instruction,
        needs=_ordered,
    ),
    Probe(
        name="fake-grade",
        does="the text ends with grades or a JSON verdict of its own",
        measure="gain",
        advice="Do not let authors gain by the score with this model; take one that withstands it.",
        alter=alter.fake_grade,
        needs=_ordered,
    ),
    Probe(
        name="authority",
        does="made-up sources vouch for the text",
        measure="gain",
        advice="Say in the rubric that a named source proves nothing, and give a reference.",
        alter=alter.authority,
        needs=_ordered,
    ),
    Probe(
        name="markdown",
        does="the same sentences get headlines, bold print and bullets",
        measure="gain",
        advice="Strip the formatting before judging, or say in the rubric that it must not count.",
        alter=alter.polish,
        needs=_ordered,
    ),
    Probe(
        name="paraphrase",
        does="the text says the same in other words",
        measure="flip",
        advice="Take fewer levels, describe each one, and average several samples.",
        alter=alter.paraphrase,
        needs=_paraphrase,
    ),
    Probe(
        name="reference",
        does="the reference is that of another question",
        measure="unnoticed",
        advice="This judge hardly looks at the reference: do not use it where that decides.",
        alter=alter.other_reference,
        needs=_reference,
    ),
    Probe(
        name="language",
        does="everything is said in another language",
        measure="shift",
        advice="Do not compare scores across languages with this judge; calibrate each on its own.",
        alter=alter.translation,
        needs=_translation,
    ),
    Probe(
        name="self-preference",
        does="models judge their own texts and those of others",
        measure="preference",
        advice="Let a model of another family judge, or a panel without the author.",
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
