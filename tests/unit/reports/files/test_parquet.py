from __future__ import annotations

import io
import math

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from adjudge.core.score import Outcome, Score
from adjudge.reports.files import parquet
from adjudge.reports.files.rows import flat


def table(*rows):
    out = io.BytesIO()
    parquet.write(lambda: iter(rows), out)
    assert not out.closed
    return pq.read_table(io.BytesIO(out.getvalue()))


def test_columns_are_flat_typed_and_in_the_order_of_a_row(make_row):
    made = table(make_row())
    types = {field.name: field.type for field in made.schema}
    assert types["run"] == types["scores.accuracy.rule"] == pa.string()
    assert types["scores.accuracy.value"] == types["usage.cost_usd"] == pa.float64()
    assert types["scores.tone.raw"] == pa.float64()  # 12 here, 7.5 in another run
    assert types["usage.input_tokens"] == types["repeat"] == pa.int64()
    assert types["flags.accuracy.serious_error"] == pa.bool_()
    assert types["feedback.strengths"] == types["notes"] == pa.list_(pa.string())
    assert list(types)[:7] == ["run", "item", "judge", "fingerprint", "model", "repeat", "outcome"]
    assert list(types)[-1] == "reply"


def test_values_come_back_as_they_were(make_row):
    (row,) = table(make_row()).to_pylist()
    assert row["scores.accuracy.value"] == 5.0
    assert row["scores.accuracy.explanation"] == "Sai số liệu."
    assert row["scores.accuracy.distribution"] == '{"5":0.75,"6":0.25}'
    assert row["scores.tone.value"] is None
    assert row["feedback.strengths"] == ["짧다", "clear"]
    assert row["flags.accuracy.serious_error"] is True
    assert set(row) == set(flat(make_row()))


def test_integers_among_floats_are_floats_and_numbers_among_texts_texts(make_row):
    def scored(value):
        return make_row(scores={"fit": Score(outcome=Outcome.SCORED, value=value, raw=value)})

    made = table(scored(3), scored(2.5))
    assert made["scores.fit.value"].to_pylist() == [3.0, 2.5]
    mixed = table(scored(3), scored("tie"), scored(True))
    assert mixed["scores.fit.value"].to_pylist() == ["3", "tie", "true"]
    huge = table(scored(3), scored(10**30))
    assert math.isclose(huge["scores.fit.raw"].to_pylist()[1], 1e30)


@pytest.mark.parametrize("value", [True, 3, 2.5])
def test_files_of_scored_and_unscored_runs_fit_together(make_row, value):
    none = table(make_row(scores={"fit": Score(outcome=Outcome.REFUSED)}))
    some = Score(outcome=Outcome.SCORED, value=value, raw=value, unit=1, confidence=1, mass=1)
    both = pa.concat_tables([none, table(make_row(scores={"fit": some}))])
    for part in ("value", "raw", "unit", "confidence", "mass"):
        assert both.schema.field(f"scores.fit.{part}").type == pa.float64()
    assert both["scores.fit.value"].to_pylist() == [None, float(value)]


def test_only_scores_have_the_types_of_scores(make_row):
    made = table(make_row(flags={"value": True}) | {"data": {"mass": 3, "span": None}})
    assert made.schema.field("flags.value").type == pa.bool_()
    assert made.schema.field("data.mass").type == pa.int64()
    assert made.schema.field("data.span").type == pa.string()


def test_lists_among_texts_are_text(make_row):
    made = table(make_row(feedback={"tips": ("a", "b")}), make_row(feedback={"tips": "c"}))
    assert made["feedback.tips"].to_pylist() == ["• a\n• b", "c"]


def test_columns_without_a_value_have_the_type_that_other_runs_give_them(make_row):
    made = table(make_row(scores={"fit": Score(outcome=Outcome.REFUSED)}))
    assert made.schema.field("scores.fit.value").type == pa.float64()
    assert made.schema.field("scores.fit.span").type == pa.list_(pa.int64())
    assert made.schema.field("scores.fit.why").type == pa.string()


def test_rows_that_lack_a_column_have_null_there(make_row):
    other = make_row(scores={"fluency": Score(outcome=Outcome.SCORED, value=1)}, feedback={})
    made = table(make_row(), other)
    assert made["scores.fluency.value"].to_pylist() == [None, 1]
    assert made["feedback.analysis"].to_pylist() == ["Gut.", None]


def test_a_file_without_rows_still_has_columns():
    assert table().schema.names == ["run", "item", "judge", "fingerprint", "model", "outcome"]


def test_rows_are_written_in_groups(make_row, monkeypatch):
    monkeypatch.setattr(parquet, "_ROW_GROUP", 2)
    out = io.BytesIO()
    parquet.write(lambda: (make_row(item=str(n)) for n in range(5)), out)
    file = pq.ParquetFile(io.BytesIO(out.getvalue()))
    assert (file.num_row_groups, file.metadata.num_rows) == (3, 5)


@pytest.mark.parametrize("text", ["", "한국어 \U0001f600", "=1+1", "a\0b"])
def test_texts_are_not_touched(make_row, text):
    assert table(make_row(item=text))["item"].to_pylist() == [text]
