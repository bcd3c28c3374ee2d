"""Verdict rows as tables of other libraries."""

from __future__ import annotations

from typing import Any

import pytest

from adjudge.core.score import Outcome, Score
from adjudge.core.verdict import Verdict
from adjudge.errors import UsageError
from adjudge.reports.files import tables
from adjudge.reports.files.rows import Row, verdict_row

SCORED = Score(outcome=Outcome.SCORED, value=4, raw=4, unit=0.75, label="good", explanation="Why.")
YES = Score(outcome=Outcome.SCORED, value=True, raw=True, unit=1.0)
NAME = Score(outcome=Outcome.SCORED, value="a", raw="a")
NONE = Score(outcome=Outcome.UNREADABLE)


def rows(*by_item: dict[str, Score]) -> list[Row]:
    return [
        verdict_row("run1", _verdict(f"q{at}", scores), {"question": f"Q{at}?", "tags": ["x"]})
        for at, scores in enumerate(by_item, 1)
    ]


def _verdict(item: str, scores: dict[str, Score]) -> Verdict:
    ends = {score.outcome for score in scores.values()}
    outcome = Outcome.SCORED if ends == {Outcome.SCORED} else Outcome.UNREADABLE
    return Verdict(item=item, judge="j", fingerprint="f", model="m", outcome=outcome, scores=scores)


def test_tidy_has_a_row_per_criterion() -> None:
    made = tables.table_rows(rows({"fit": SCORED, "polite": YES}, {"fit": NONE}), tidy=True)
    assert [(row["item"], row["criterion"], row["value"], row["outcome"]) for row in made] == [
        ("q1", "fit", 4.0, "scored"),
        ("q1", "polite", 1.0, "scored"),
        ("q2", "fit", None, "unreadable"),
    ]
    assert made[0]["label"] == "good"
    assert made[0]["data.question"] == "Q1?"


def test_names_are_labels_and_no_numbers() -> None:
    (row,) = tables.table_rows(rows({"winner": NAME}), tidy=True)
    assert (row["value"], row["label"]) == (None, "a")


def test_wide_rows_have_the_same_columns() -> None:
    made = tables.table_rows(rows({"fit": SCORED}, {"polite": YES}), tidy=False)
    assert list(made[0]) == list(made[1])
    assert made[0]["scores.fit.value"] == 4
    assert made[1]["scores.fit.value"] is None


@pytest.mark.parametrize("tidy", [True, False])
@pytest.mark.parametrize("library", ["pandas", "polars", "arrow"])
def test_every_library_gets_every_row(library: str, tidy: bool) -> None:
    mixed = rows({"fit": SCORED, "winner": NAME}, {"fit": NONE, "winner": NONE})
    made = tables.table_rows(mixed, tidy=tidy)
    table: Any = getattr(tables, f"as_{library}")(made)
    assert table.shape[0] == len(made)
    names = table.column_names if library == "arrow" else list(table.columns)
    assert names == list(made[0])


def test_a_column_of_two_kinds_is_text() -> None:
    table = tables.as_arrow([{"value": 4}, {"value": "tie"}, {"value": None}])
    assert table.column("value").to_pylist() == ["4", "tie", None]


def test_no_rows() -> None:
    assert tables.as_pandas(tables.table_rows([], tidy=True)).empty
    assert tables.as_arrow([]).num_rows == 0


@pytest.mark.parametrize(("library", "name"), [("pandas", "pandas"), ("polars", "polars")])
def test_a_library_that_is_not_there_is_named(
    library: str, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(__import__("sys").modules, name, None)
    with pytest.raises(UsageError, match="pip install"):
        getattr(tables, f"as_{library}")([])
