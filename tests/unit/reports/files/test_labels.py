from __future__ import annotations

from pathlib import Path

import pytest

from adjudge.core.label import Label
from adjudge.core.scale import Binary, Category, Integer, Number
from adjudge.errors import UsageError
from adjudge.reports.files.labels import check_label_path, long_rows, wide_rows, written

SCALES = {"fit": Integer(1, 5), "polite": Binary()}
LABELS = [
    Label("1", "ann", "fit", 4.0, "random", "T1"),
    Label("1", "ann", "polite", 0.0, "uncertain", "T2"),
    Label("1", "ann", "gone", 2.5, "random", "T3"),
]


def test_long() -> None:
    rows = list(long_rows(LABELS, SCALES))
    assert rows[1] == {
        "item": "1",
        "rater": "ann",
        "criterion": "polite",
        "value": "no",
        "draw": "uncertain",
        "created": "T2",
        "comment": "",
    }
    assert [row["value"] for row in rows] == [4, "no", 2.5]


def test_wide_keeps_draws_apart() -> None:
    assert list(wide_rows(LABELS, SCALES)) == [
        {"item": "1", "rater": "ann", "draw": "random", "fit": 4, "polite": None, "gone": 2.5},
        {"item": "1", "rater": "ann", "draw": "uncertain", "fit": None, "polite": "no"},
    ]


def test_values_as_people_write_them() -> None:
    assert written(Integer(1, 5), 3.5) == 3.5
    assert repr(written(Number(0, 10), 3.0)) == "3.0"
    assert repr(written(Integer(1, 5), 3.0)) == "3"
    assert written(Category(("a", "b")), "b") == "b"


def test_only_files_that_can_be_read_again(tmp_path: Path) -> None:
    check_label_path(tmp_path / "labels.CSV")
    with pytest.raises(UsageError, match="labels end in one of"):
        check_label_path(tmp_path / "labels.md")
    with pytest.raises(UsageError, match="is not there"):
        check_label_path(tmp_path / "no" / "labels.csv")
