"""Rows that a program hands in go the way of a file's rows."""

from __future__ import annotations

import datetime
import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import datasets
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from adjudge.core.judge import Input
from adjudge.core.scale import Integer
from adjudge.datasets import DatasetPlan, data_of, read_labels, scan
from adjudge.datasets.in_memory import cell
from adjudge.errors import DataError, UsageError

INPUTS = [
    {
        "question": Input(name="question", title="Question"),
        "answer": Input(name="answer", title="Answer", judged=True),
        "context": Input(name="context", title="Context", required=False),
    }
]
ROWS: list[dict[str, Any]] = [
    {"question": "How tall?", "answer": "3 m", "context": ["a", "b"], "n": 1, "note": None},
    {"question": "Why?", "answer": "", "context": ["c"], "n": 2, "note": "x"},
]


def scanned(data: object) -> DatasetPlan:
    return scan(data, INPUTS, {})


KINDS: dict[str, Callable[[], object]] = {
    "list": lambda: ROWS,
    "tuple": lambda: tuple(ROWS),
    "generator": lambda: (row for row in ROWS),
    "pandas": lambda: pd.DataFrame(ROWS),
    "polars": lambda: pl.DataFrame(ROWS),
    "polars lazy": lambda: pl.DataFrame(ROWS).lazy(),
    "arrow": lambda: pa.Table.from_pylist(ROWS),
    "arrow batch": lambda: pa.RecordBatch.from_pylist(ROWS),
    "arrow reader": lambda: pa.Table.from_pylist(ROWS).to_reader(),
    "datasets": lambda: datasets.Dataset.from_list(ROWS),
    "datasets, streamed": lambda: datasets.Dataset.from_list(ROWS).to_iterable_dataset(),
}


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_is_the_same_data_as_a_file(kind: str, tmp_path: Path) -> None:
    file = tmp_path / "rows.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    from_file, plan = scanned(file), scanned(KINDS[kind]())
    assert plan.hash == from_file.hash
    for _ in range(2):  # also what can be walked only once is read twice
        assert [item.id for item in plan.items()] == [item.id for item in from_file.items()]
    first = next(plan.items())
    assert first.fields == {"question": "How tall?", "answer": "3 m", "context": '["a","b"]'}
    assert first.extra == {"n": 1}
    assert first.place.endswith(", row 1")


@pytest.mark.parametrize(
    ("value", "plain"),
    [
        (float("nan"), None),
        (np.nan, None),
        (pd.NA, None),
        (pd.NaT, None),
        (np.int64(3), 3),
        (np.float64("nan"), None),
        (np.bool_(True), True),
        (np.array(["a", "b"], dtype=object), ["a", "b"]),
        (np.str_("x"), "x"),
        (pd.Timestamp("2024-01-02"), "2024-01-02T00:00:00"),
        (datetime.date(2024, 1, 2), "2024-01-02"),
        ({"a": np.int64(1), "b": (1, np.nan)}, {"a": 1, "b": [1, None]}),
        (pl.Series([1, 2]), [1, 2]),
    ],
)
def test_cells_are_what_a_file_would_hold(value: object, plain: object) -> None:
    assert cell(value) == plain
    assert type(cell(value)) is type(plain)


def test_an_absent_cell_is_as_good_as_no_column() -> None:
    frame = pd.DataFrame([{"question": "a", "answer": "b", "context": float("nan")}])
    (item,) = scanned(frame).items()
    assert "context" not in item.fields


def test_an_index_with_a_name_is_a_column() -> None:
    frame = pd.DataFrame(ROWS, index=pd.Index(["q1", "q2"], name="id"))
    assert [item.id for item in scanned(frame).items()] == ["q1", "q2"]
    assert "index" not in next(scanned(pd.DataFrame(ROWS)).items()).extra


def test_rows_that_change_while_they_are_judged_are_noticed() -> None:
    rows = [dict(row) for row in ROWS]
    plan = scanned(rows)
    rows[1]["answer"] = "changed"
    with pytest.raises(DataError, match="changed while it was in use"):
        list(plan.items())


@pytest.mark.parametrize("data", [7, {"question": "a"}, b"rows", None, object()])
def test_what_is_no_table_is_refused(data: object) -> None:
    with pytest.raises(UsageError, match="iterable of dicts"):
        data_of(data)


def test_a_row_that_is_no_dict_is_named() -> None:
    with pytest.raises(DataError, match="row 2: is a str, and a row is a dict"):
        scanned([ROWS[0], "Why?"])


def test_splits_are_listed() -> None:
    split = datasets.DatasetDict(train=datasets.Dataset.from_list(ROWS))
    with pytest.raises(UsageError, match=r"the splits train; choose one: data\['train'\]"):
        data_of(split)


def test_two_columns_of_one_name_are_refused() -> None:
    frame = pd.DataFrame([["a", "b", "c"]], columns=["question", "answer", "answer"])
    with pytest.raises(DataError, match="two columns are called 'answer'"):
        scanned(frame)


def test_a_text_that_is_no_path_is_said_to_be_none() -> None:
    with pytest.raises(DataError, match="cannot be a path"):
        scanned("question,answer\n" * 500)


def labelled() -> Iterable[dict[str, object]]:
    yield {"item": "q1", "rater": "ana", "polite": 4}
    yield {"item": "q2", "rater": "ana", "polite": float("nan")}


def test_labels_from_memory() -> None:
    scales = {"polite": Integer(1, 5)}
    for source in (labelled(), pd.DataFrame(labelled()), pl.DataFrame(list(labelled()))):
        (label,) = read_labels(source, scales)
        assert (label.item, label.rater, label.value) == ("q1", "ana", 4)


def test_wrong_labels_from_memory_are_named() -> None:
    with pytest.raises(DataError, match="row 1"):
        read_labels([{"item": "q1", "polite": 9}], {"polite": Integer(1, 5)})
