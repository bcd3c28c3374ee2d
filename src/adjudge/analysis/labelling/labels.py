"""Labels of a run: where they belong, how many there are, and how those of a file are kept."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import NamedTuple

from adjudge.analysis.scores.item_values import criteria_asked
from adjudge.core.judge import Judge
from adjudge.core.label import ADJUDICATED, Label
from adjudge.core.reason import Reason
from adjudge.core.scale import Scale, value_range
from adjudge.datasets import DataLike, opened_labels, read_labels
from adjudge.errors import DataError, UsageError
from adjudge.running import judge_as_kept
from adjudge.stores import RunRecord, Store

_SHOWN = 3  # ids


class LabelPlace(NamedTuple):
    """Where labels belong: the hash of the data, and the judge's name."""

    data: str
    judge: str


def judge_of(record: RunRecord, name: str | None = None) -> str:
    """The judge that is meant; UsageError when the run has not this one, or several."""
    known = tuple(record.manifest.judges)
    if name is None and len(known) == 1:
        return known[0]
    if not name:
        reason = Reason("run.several_judges", run=record.id, known=known)
        raise UsageError(reason.at_option("judge"))
    if name not in known:
        reason = Reason("run.no_such_judge", run=record.id, known=known)
        raise UsageError(reason.at_option("judge", name))
    return name


def scales_of(judge: Judge, names: Sequence[str] = ()) -> dict[str, Scale]:
    """The scales of these criteria, or of all, in the judge's order."""
    return {name: criterion.scale for name, criterion in criteria_asked(judge, names).items()}


@dataclass(frozen=True, slots=True)
class LabelConflict:
    """A question that raters answered differently, `apart` by how much on 0-1; `adjudicated` is the
    answer that counts, if one was chosen."""

    item: str
    criterion: str
    labels: tuple[Label, ...]
    apart: float
    adjudicated: Label | None


def conflicts_of(labels: Iterable[Label], scales: Mapping[str, Scale]) -> list[LabelConflict]:
    """Those still open first, the furthest apart first."""
    questions: dict[tuple[str, str], list[Label]] = {}
    for label in labels:
        if label.criterion in scales:
            questions.setdefault((label.item, label.criterion), []).append(label)
    conflicts = []
    for (item, criterion), answers in questions.items():
        people = tuple(label for label in answers if label.rater != ADJUDICATED)
        if len({label.value for label in people}) > 1:
            settled = next((label for label in answers if label.rater == ADJUDICATED), None)
            apart = _apart(scales[criterion], [label.value for label in people])
            conflicts.append(LabelConflict(item, criterion, people, apart, settled))
    return sorted(conflicts, key=lambda c: (c.adjudicated is not None, -c.apart))


def _apart(scale: Scale, values: Sequence[float | str]) -> float:
    """Names are all as far apart as can be."""
    if any(isinstance(value, str) for value in values):
        return 1.0
    low, high = value_range(scale) or (0.0, 1.0)
    numbers = [float(value) for value in values]
    return (max(numbers) - min(numbers)) / (high - low) if high > low else 1.0


def complete_by_rater(
    labels: Iterable[Label], items: Container[str], criteria: Collection[str]
) -> dict[str, int]:
    """How many of the items have a label for each of the criteria, by rater."""
    counts = Counter((label.rater, label.item) for label in labels if label.criterion in criteria)
    complete = dict.fromkeys((rater for rater, _ in counts), 0)
    for (rater, item), count in counts.items():
        complete[rater] += count == len(criteria) and item in items
    return complete


@dataclass(frozen=True, slots=True)
class ImportedLabels:
    """How many labels came, how many of them in place of others, and how many were left out since
    the run does not have their items."""

    labels: int
    replaced: int
    elsewhere: int


def import_labels(
    record: RunRecord, store: Store, judge_name: str, source: DataLike, rater: str = ""
) -> ImportedLabels:
    """Keeps the labels in one commit; those that name nobody become the `rater`'s."""
    data = opened_labels(source)
    read = read_labels(data, scales_of(judge_as_kept(record, judge_name)))
    named = [label if label.rater else replace(label, rater=rater) for label in read]
    return keep_labels(record, store, judge_name, named, data.name)


def keep_labels(
    record: RunRecord, store: Store, judge_name: str, read: Sequence[Label], where: str
) -> ImportedLabels:
    """Keeps checked labels in one commit; DataError, in words about `where`, if none fits."""
    items = set(store.items.ids(record.id))
    labels = [label for label in read if label.item in items]
    if not labels:
        ours = ", ".join(map(repr, islice(sorted(items), _SHOWN)))
        theirs = ", ".join(map(repr, islice(dict.fromkeys(label.item for label in read), _SHOWN)))
        why = Reason("labels.elsewhere", run=record.id, theirs=theirs, ours=ours)
        raise DataError(why.in_file(where))
    data = record.manifest.data_hash
    there = {
        (label.item, label.rater, label.criterion) for label in store.labels.of(data, judge_name)
    }
    replaced = sum((label.item, label.rater, label.criterion) in there for label in labels)
    store.labels.put(data, judge_name, labels)
    store.sync()
    return ImportedLabels(len(labels), replaced, len(read) - len(labels))
