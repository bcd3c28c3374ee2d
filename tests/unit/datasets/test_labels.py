from __future__ import annotations

import gzip
import json
from pathlib import Path

import openpyxl
import pytest

from adjudge.core.label import Label
from adjudge.core.scale import Binary, Category, Integer, Level, Number, Ordinal
from adjudge.datasets.labels import read_labels
from adjudge.errors import DataError

SCALES = {
    "rating": Ordinal({1: Level("terrible"), 2: Level("excellent")}),
    "accuracy": Number(0, 10),
    "polite": Binary(),
    "winner": Category(("a", "b", "tie")),
}


def file(folder: Path, text: str, name: str = "labels.csv") -> Path:
    path = folder / name
    path.write_text(text, "utf-8")
    return path


def refused(path: Path) -> str:
    with pytest.raises(DataError) as error:
        read_labels(path, SCALES)
    return str(error.value)


def test_wide(tmp_path: Path) -> None:
    path = file(
        tmp_path,
        "Item;Rater;Draw;Rating;ACCURACY;polite;comment\n"
        "1;ann;random;excellent;8,5;yes;fine\n"
        "1;bob;Random;1;;0;\n"
        "2;ann;;;;;nothing\n",
    )
    assert read_labels(path, SCALES) == [
        Label("1", "ann", "rating", 2.0, "random", comment="fine"),
        Label("1", "ann", "accuracy", 8.5, "random", comment="fine"),
        Label("1", "ann", "polite", 1.0, "random", comment="fine"),
        Label("1", "bob", "rating", 1.0, "random"),
        Label("1", "bob", "polite", 0.0, "random"),
    ]


def test_long(tmp_path: Path) -> None:
    rows = [
        {"item": 7, "rater": "ann", "criterion": "Winner", "value": "tie", "draw": "uncertain",
         "created": "2026-01-02T03:04:05.000+00:00"},
        {"value": 9, "criterion": "accuracy", "item": 7},
        {"value": None, "criterion": "accuracy", "item": 8},
        {"value": 3, "criterion": "toxicity", "item": 7},
    ]  # fmt: skip
    path = file(tmp_path, "".join(json.dumps(row) + "\n" for row in rows), "labels.jsonl")
    assert read_labels(path, SCALES) == [
        Label("7", "ann", "winner", "tie", "uncertain", "2026-01-02T03:04:05.000+00:00"),
        Label("7", "", "accuracy", 9.0),
    ]


def test_packed(tmp_path: Path) -> None:
    path = tmp_path / "labels.csv.gz"
    path.write_bytes(gzip.compress("item,accuracy\ná,3\n".encode()))
    assert read_labels(path, SCALES) == [Label("á", "", "accuracy", 3.0)]


@pytest.mark.parametrize("column", ["id", "item_id", "Question ID", "item"])
def test_usual_names_of_the_item(tmp_path: Path, column: str) -> None:
    (label,) = read_labels(file(tmp_path, f"{column},accuracy\n q1,3\n"), SCALES)
    assert label.item == " q1"  # ids are as in the data


def test_item_goes_before_id(tmp_path: Path) -> None:
    (label,) = read_labels(file(tmp_path, "id,item,accuracy\n900,q1,3\n"), SCALES)
    assert label.item == "q1"


def test_a_criterion_may_have_the_name_of_another_column(tmp_path: Path) -> None:
    path = file(tmp_path, "item,value,criterion\nq1,3,4\n")
    found = read_labels(path, {"value": Integer(1, 5), "criterion": Integer(1, 5)})
    assert [each.value for each in found] == [3.0, 4.0]


def test_what_an_export_covered(tmp_path: Path) -> None:
    (label,) = read_labels(file(tmp_path, "item,rater,accuracy\n'-5,'@ann,3\n"), SCALES)
    assert (label.item, label.rater) == ("-5", "@ann")


def test_wrong_rows_are_named(tmp_path: Path) -> None:
    path = file(
        tmp_path,
        "item,rater,draw,rating,accuracy\n"
        "1,ann,,excellent,5\n"
        "2,ann,,good,5\n"
        "3,ann,,1,11\n"
        ",ann,,1,5\n"
        "4,ann,often,1,5\n"
        "1,ann,,1,\n"
        "5,ann\n",
    )
    assert refused(path).splitlines() == [
        f"{path}: 6 rows are wrong",
        "  line 3: rating: 'good' is none of 1 terrible, 2 excellent",
        "  line 4: accuracy: 11 lies outside 0 to 10",
        "  line 5: column 'item' is empty; name the item",
        (
            "  line 6: the draw 'often' is unknown; write random, uncertain, abstained,"
            " planned 3/120 or nothing"
        ),
        (
            "  line 7: 'ann' has labelled rating of item '1' on line 2 already;"
            " keep one, or name the people in a column `rater`"
        ),
        "  and 1 more",
        "Correct them: a label is never guessed.",
    ]


def test_two_people_without_names(tmp_path: Path) -> None:
    path = file(tmp_path, "item,accuracy\n1,5\n1,6\n")
    assert "somebody has labelled accuracy of item '1' on line 2 already" in refused(path)


def test_no_item_column_is_said_once(tmp_path: Path) -> None:
    path = file(tmp_path, "number,accuracy\n1,5\n2,6\n")
    assert "1 row is wrong\n  line 2: no column names the item: number, accuracy;" in refused(path)


def test_two_columns_for_one_criterion(tmp_path: Path) -> None:
    path = file(tmp_path, "item,accuracy,Accuracy\n1,5,6\n")
    assert "'accuracy' and 'Accuracy' are the same criterion; drop one" in refused(path)


def test_a_slip_of_the_pen(tmp_path: Path) -> None:
    path = file(tmp_path, "item,criterion,value\n1,acuracy,6\n")
    assert "there is no criterion 'acuracy'; did you mean accuracy?" in refused(path)


def test_no_label_at_all(tmp_path: Path) -> None:
    assert "holds no label. The criteria are rating," in refused(file(tmp_path, "item,x\n1,5\n"))
    assert "the columns are item, x" in refused(file(tmp_path, "item,x\n1,5\n"))
    long = file(tmp_path, "item,criterion,value\n1,toxicity,6\n")
    assert "the rows name toxicity" in refused(long)
    assert "there are no rows; write at least one" in refused(file(tmp_path, "item,rating\n"))


def test_no_such_file(tmp_path: Path) -> None:
    file(tmp_path, "")
    assert "did you mean" in refused(tmp_path / "label.csv")


def test_a_cell_that_holds_nothing_readable_is_a_wrong_row(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    for row in (["item", "accuracy"], ["1", 5], ["2", "=A1"]):
        book.active.append(row)
    book.save(tmp_path / "labels.xlsx")
    said = refused(tmp_path / "labels.xlsx")
    assert "  row 3: holds a formula without a saved value; open and save the workbook" in said
