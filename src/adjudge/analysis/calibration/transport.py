"""Whether a kept calibration holds for other items than those that were labelled.

With a calibration are kept the traits of its labelled items. A run of other data is compared with
them: the judge's scores, the length and the language of the texts, and the columns that the
calibration was sliced by.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from adjudge.analysis.scores.reader import cell_text
from adjudge.core.item import Item, length_of
from adjudge.core.judge import Judge
from adjudge.core.language import detect_language
from adjudge.core.reason import Field, Reason
from adjudge.stats.arrays import Floats, Ints
from adjudge.stats.ppi import FEWEST_LABELS
from adjudge.stats.transport import Shift, Trait, Transport, transport
from adjudge.stores import KeptFinding, RunRecord, Store

_LOOKED_AT = 300  # items of a run whose texts are compared
_MOST_UNCOVERED = 0.25  # share of items unlike any labelled one that an interval can still hold
_COLUMN = "column:"  # before the name of a column among traits
# The reasons why a mean is refused, or its interval wider, for items unlike the labelled ones.
UNLIKE = ("map.uncovered", "map.unlike", "map.partly_covered", "map.widened")
Traits = Mapping[str, Sequence[Any]]


class Carried(NamedTuple):
    """What the labels are worth for other items, and what is to be said about it: why the interval
    is wider, or with `refused` why no mean can be given. `by` is None where nothing differs."""

    by: Transport | None = None
    why: Reason | None = None
    refused: bool = False


def traits_of(items: Sequence[Item], judge: Judge, columns: Sequence[str]) -> dict[str, list[Any]]:
    """The traits of items, to be kept or to be compared with kept ones."""
    traits: dict[str, list[Any]] = {
        "length": [sum(map(length_of, item.fields.values())) for item in items],
        "language": [_language(item, judge) for item in items],
    }
    for column in columns:
        values = ({**item.fields, **item.extra}.get(column) for item in items)
        texts = [None if value is None else cell_text(value) for value in values]
        traits[f"{_COLUMN}{column}"] = texts
    return traits


def _language(item: Item, judge: Judge) -> str | None:
    """Of the judged texts; None where they are short or not kept."""
    texts = [item.fields[name] for name in judge.judged if name in item.fields]
    if any(length_of(text) != len(text) for text in texts):
        return None
    language = detect_language("\n".join(texts))
    return None if language == "?" else language


def carried(
    kept: KeptFinding,
    labelled: tuple[str, Floats, Ints | None],
    scores: Floats,
    run: tuple[RunRecord, Store, Judge],
) -> Carried:
    """From the `labelled` pairs (criterion, scores of the judge, groups) to the scores of a run."""
    criterion, judge_scores, groups = labelled
    traits = [Trait("score", judge_scores.tolist(), scores.tolist())]
    record, store, judge = run
    then: Traits = kept.content["criteria"][criterion].get("traits", {})
    if then and kept.content.get("data") != record.manifest.data_hash:
        columns = [name.removeprefix(_COLUMN) for name in then if name.startswith(_COLUMN)]
        now = traits_of(_some_items(record, store), judge, columns)
        traits += [Trait(name, then[name], now[name], name != "length") for name in then]
    weighed = transport(traits, len(judge_scores), groups)
    return _judged(weighed, len(judge_scores), kept.created[:10]) if weighed.shifts else Carried()


def _some_items(record: RunRecord, store: Store) -> list[Item]:
    """Evenly over the run, so that every part of the data is among them."""
    ids = store.items.ids(record.id)
    step = max(1, -(-len(ids) // _LOOKED_AT))
    return list(store.items.get(record.id, ids[::step]).values())


def _judged(weighed: Transport, labels: int, date: str) -> Carried:
    fields: dict[str, Field] = {
        "date": date,
        "traits": tuple(map(_told, weighed.shifts)),
        "count": labels,
    }
    if weighed.uncovered > _MOST_UNCOVERED:
        return Carried(
            weighed, Reason("map.uncovered", share=weighed.uncovered, **fields), refused=True
        )
    worth = int(weighed.effective)
    if worth < FEWEST_LABELS:
        why = Reason("map.unlike", worth=worth, least=FEWEST_LABELS, **fields)
        return Carried(weighed, why, refused=True)
    if weighed.uncovered:
        return Carried(
            weighed, Reason("map.partly_covered", share=weighed.uncovered, worth=worth, **fields)
        )
    return Carried(weighed, Reason("map.widened", worth=worth, **fields))


def _told(shift: Shift) -> Reason:
    figures = {"then": shift.then, "now": shift.now}
    if shift.name == "score":
        return Reason("map.trait.score", **figures)
    if shift.name == "length":
        return Reason("map.trait.length", **figures)
    if shift.name == "language":
        return Reason("map.trait.language", **figures)
    return Reason("map.trait.column", column=shift.name.removeprefix(_COLUMN), **figures)
