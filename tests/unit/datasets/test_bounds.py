"""A file that describes more than can be read is an error that names the limit, at once."""

from __future__ import annotations

import gzip
import time
from pathlib import Path

import pytest

from adjudge.core.judge import Input
from adjudge.datasets import bounds
from adjudge.datasets.columns import ColumnMapping
from adjudge.datasets.rows import scan
from adjudge.errors import DataError

INPUTS = {name: Input(name=name, title=name, required=True) for name in ("question", "answer")}


def refused(path: Path, text: str | bytes) -> str:
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    with pytest.raises(DataError) as told:
        scan(path, [INPUTS], {})
    return str(told.value)


def header(count: int) -> str:
    return ",".join(f"c{number}" for number in range(count)) + "\n" + "x," * (count - 1) + "x\n"


def test_a_table_has_only_so_many_columns(tmp_path: Path) -> None:
    told = refused(tmp_path / "a.csv", header(16_385))
    assert "a.csv, line 1: there are 16,385 columns, and at most 16,384 are allowed" in told


def test_as_many_as_there_may_be_take_no_time_worth_a_square(tmp_path: Path) -> None:
    """As a ratio, so that it holds on any machine: linear is 8, the square would be 64."""

    def seconds(count: int) -> float:
        began = time.process_time()
        assert "columns are" in refused(tmp_path / "a.csv", header(count))
        return time.process_time() - began

    seconds(100)
    assert seconds(16_384) < 24 * max(seconds(2_048), 0.02)


def test_messages_do_not_list_thousands_of_columns(tmp_path: Path) -> None:
    told = refused(tmp_path / "a.csv", header(16_384))
    assert "and 16,354 more" in told
    assert len(told) < 2_000


def test_nor_thousands_of_inputs() -> None:
    many = {f"i{number}": Input(name=f"i{number}", title="") for number in range(2_500)}
    with pytest.raises(DataError) as told:
        ColumnMapping.plan([f"c{number}" for number in range(16_384)], many, {})
    assert "2,490 more inputs" in str(told.value)
    assert len(str(told.value)) < 4_000


def test_a_text_in_place_of_a_header(tmp_path: Path) -> None:
    told = refused(tmp_path / "a.csv", "x" * 1_001 + ",b\n1,2\n")
    assert "the name of column 1 has 1,001 characters, and at most 1,000 are allowed" in told
    assert "is the first row a header?" in told


@pytest.mark.parametrize("ending", ["jsonl", "json"])
def test_an_object_has_only_so_many_fields(tmp_path: Path, ending: str) -> None:
    row = "{" + ",".join(f'"c{number}":1' for number in range(16_385)) + "}"
    told = refused(tmp_path / f"a.{ending}", f"[{row}]" if ending == "json" else row)
    assert "has more than 16,384 fields" in told


@pytest.mark.parametrize("ending", ["csv", "tsv", "jsonl", "jsonl.gz", "csv.gz"])
def test_a_line_has_an_end(tmp_path: Path, ending: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounds, "ROW", 1_000)
    text = b"question,answer\n" if "csv" in ending else b'{"question": "", "answer": ""}\n'
    text += b"x" * 2_000
    told = refused(tmp_path / f"a.{ending}", gzip.compress(text) if "gz" in ending else text)
    assert f"a.{ending}, line 2: is larger than 67,108,864 bytes, the most for one row" in told


@pytest.mark.parametrize("ending", ["jsonl", "json"])
@pytest.mark.parametrize(
    ("value", "why"),
    [("[" * 100_000 + "]" * 100_000, "nested too deeply|depth limit"), ("1" * 5_000, "number")],
    ids=["deep", "a number of many digits"],
)
def test_values_that_are_hard_to_read(tmp_path: Path, ending: str, value: str, why: str) -> None:
    row = f'{{"question": "q", "answer": {value}}}'
    path = tmp_path / f"a.{ending}"
    path.write_text(f"[{row}]" if ending == "json" else row)
    with pytest.raises(DataError, match=why):
        scan(path, [INPUTS], {})


def test_slips_are_looked_for_where_that_is_quick() -> None:
    assert bounds.close_name("anser", ["answer"]) == ["answer"]
    assert bounds.close_name("a" * 101, ["a" * 101]) == []
    assert bounds.close_name("a", ["a" * 101]) == []
