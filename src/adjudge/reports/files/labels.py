"""Labels as rows of a file that `calibrate --labels` and `label --import` read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from adjudge.core.label import Label
from adjudge.core.reason import Reason
from adjudge.core.scale import Binary, Integer, Ordinal, Scale

from . import check_path, write_file
from .rows import Row

ENDINGS = (".csv", ".jsonl", ".json")


def check_label_path(path: Path) -> None:
    """UsageError when the file could not be written; looks, but leaves no trace."""
    check_path(path, ENDINGS, Reason("output.labels", endings=ENDINGS))


def write_labels(
    path: Path, labels: Sequence[Label], scales: Mapping[str, Scale], *, wide: bool = False
) -> None:
    """Long: a row per label. Wide: a row for each item and rater, a column per criterion."""
    check_label_path(path)
    rows = wide_rows if wide else long_rows
    write_file(path, lambda: rows(labels, scales))


def long_rows(labels: Sequence[Label], scales: Mapping[str, Scale]) -> Iterator[Row]:
    for label in labels:
        yield {
            "item": label.item,
            "rater": label.rater,
            "criterion": label.criterion,
            "value": written(scales.get(label.criterion), label.value),
            "draw": label.draw,
            "created": label.created,
            "comment": label.comment,
        }


def wide_rows(labels: Sequence[Label], scales: Mapping[str, Scale]) -> Iterator[Row]:
    """Labels of an item that were drawn in different ways stand in rows of their own."""
    rows: dict[tuple[str, str, str], Row] = {}
    for label in labels:
        row = rows.setdefault(
            (label.item, label.rater, label.draw),
            {"item": label.item, "rater": label.rater, "draw": label.draw} | dict.fromkeys(scales),
        )
        row[label.criterion] = written(scales.get(label.criterion), label.value)
    yield from rows.values()


def written(scale: Scale | None, value: float | str) -> object:
    """The value as a person would write it: yes, 4, 4.5, tie.

    There is no scale where the judge had the criterion once, and has it no more.
    """
    if isinstance(value, str):
        return value
    if isinstance(scale, Binary):
        return "yes" if value else "no"
    whole = isinstance(scale, Ordinal | Integer) and value == int(value)
    return int(value) if whole else value
