"""Labels of a file go into the store."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path

from adjudge.core.label import Label
from adjudge.datasets.labels import read_labels
from adjudge.errors import DataError
from adjudge.running.reread import judge_as_kept
from adjudge.stores.base import Store
from adjudge.stores.records import RunRecord

from .labelling import scales_of

_SHOWN = 3  # ids


@dataclass(frozen=True, slots=True)
class Imported:
    """How many labels came, how many of them in place of others, and how many were left out since
    the run does not have their items."""

    labels: int
    replaced: int
    elsewhere: int


def import_labels(
    record: RunRecord, store: Store, judge_name: str, path: Path, rater: str = ""
) -> Imported:
    """Keeps the file's labels in one commit; those that name nobody become the `rater`'s."""
    read = read_labels(path, scales_of(judge_as_kept(record, judge_name)))
    named = [each if each.rater else replace(each, rater=rater) for each in read]
    return keep_labels(record, store, judge_name, named, str(path))


def keep_labels(
    record: RunRecord, store: Store, judge_name: str, read: Sequence[Label], where: str
) -> Imported:
    """Keeps checked labels in one commit; DataError, in words about `where`, if none fits."""
    items = set(store.item_ids(record.id))
    labels = [label for label in read if label.item in items]
    if not labels:
        ours = ", ".join(map(repr, islice(sorted(items), _SHOWN)))
        theirs = ", ".join(map(repr, islice(dict.fromkeys(each.item for each in read), _SHOWN)))
        raise DataError(
            f"{where}: no label is about an item of run {record.id}. The file has {theirs}; the run"
            f" has {ours}. `adjudge export` writes the ids of the items."
        )
    data = record.manifest.data_hash
    there = {(each.item, each.rater, each.criterion) for each in store.labels.of(data, judge_name)}
    replaced = sum((each.item, each.rater, each.criterion) in there for each in labels)
    store.labels.put(data, judge_name, labels)
    store.sync()
    return Imported(len(labels), replaced, len(read) - len(labels))
