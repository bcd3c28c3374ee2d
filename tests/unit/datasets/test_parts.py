"""Data that is read file by file comes to what one process makes of it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

import pytest

from adjudge.core.judge import Input
from adjudge.datasets import scan
from adjudge.datasets.files import DataFile, files_of
from adjudge.datasets.parts import PartedData, scan_parts
from adjudge.errors import DataError, UsageError

INPUTS = [{"answer": Input(name="answer", title="Answer", judged=True)}]
Rows = list[dict[str, object]]


def here(function: Callable[[DataFile], Iterator[Any]], files: Sequence[DataFile]) -> Iterator[Any]:
    return chain.from_iterable(map(function, files))


def parted(name: str, **options: Any) -> PartedData:
    return scan_parts(name, files_of(name), here, INPUTS, {}, **options)


def write(path: Path, rows: Rows) -> None:
    path.parent.mkdir(exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")


def both(tmp_path: Path, *files: Rows, **options: Any) -> PartedData:
    """Checked both ways, and the same."""
    for number, rows in enumerate(files):
        write(tmp_path / f"{number}.jsonl", rows)
    name = str(tmp_path / "*.jsonl")
    whole, parts = scan(name, INPUTS, {}, **options), parted(name, **options)
    for field in ("name", "columns", "rows", "bad_rows", "problems", "hash", "set_aside"):
        assert getattr(parts, field) == getattr(whole, field), field
    assert list(parts.items()) == list(whole.items())
    return parts


def test_ids_positions_and_hash_are_those_of_one_process(tmp_path: Path) -> None:
    parts = both(
        tmp_path,
        [{"id": "a", "answer": "x"}, {"answer": "y"}],
        [{"answer": "z", "topic": 1}],
    )
    places = [place for file in parts.files for place, _ in file.items()]
    assert places == [0, 1, 2]


def test_equal_rows_without_ids_are_told_apart_over_all_files(tmp_path: Path) -> None:
    same = {"answer": "x"}
    parts = both(tmp_path, [same, {"answer": "y"}, same], [same], [{"answer": "y"}])
    ids = [item.id for item in parts.items()]
    assert len(set(ids)) == 5
    assert [item.partition("-")[2] for item in ids] == ["", "", "2", "3", "2"]


def test_an_id_that_another_file_has_is_named_with_both_places(tmp_path: Path) -> None:
    rows = [{"id": "a", "answer": "x"}], [{"id": "b", "answer": "x"}, {"id": "a", "answer": "y"}]
    parts = both(tmp_path, *rows, skip_bad=True)
    assert parts.bad_rows == 1
    whole = str(tmp_path / "*.jsonl")
    with pytest.raises(DataError) as alone:
        scan(whole, INPUTS, {})
    with pytest.raises(DataError) as spread:
        parted(whole)
    assert str(spread.value) == str(alone.value)
    assert "1.jsonl, line 2" in str(spread.value)
    assert "0.jsonl, line 1" in str(spread.value)


def test_bad_rows_are_counted_and_the_first_ones_named(tmp_path: Path) -> None:
    bad = [{"id": str(n)} for n in range(4)]
    good = {"id": "good", "answer": "x"}
    parts = both(tmp_path, [good, *bad], [{"id": f"b{n}", "question": "?"} for n in range(4)],
                 skip_bad=True)  # fmt: skip
    assert parts.bad_rows == 8
    assert len(parts.problems) == 5


def test_a_limit_counts_rows_over_all_files(tmp_path: Path) -> None:
    rows: Rows = [{"id": str(n), "answer": "x"} for n in range(6)]
    parts = both(tmp_path, rows[:2], rows[2:4], rows[4:], limit=3)
    assert [item.id for item in parts.items()] == ["0", "1", "2"]
    assert len(parts.files) == 2
    with pytest.raises(UsageError):
        parted(str(tmp_path / "*.jsonl"), limit=0)


def test_a_file_that_changed_is_noticed_before_its_row_is_given_out(tmp_path: Path) -> None:
    parts = both(tmp_path, [{"id": "a", "answer": "x"}, {"id": "b", "answer": "y"}])
    write(tmp_path / "0.jsonl", [{"id": "a", "answer": "x"}, {"id": "b", "answer": "other"}])
    rows = parts.files[0].items()
    assert next(rows)[1].id == "a"
    with pytest.raises(DataError, match="line 2"):
        next(rows)


def test_a_folder_is_all_files_below_it_that_can_be_read(tmp_path: Path) -> None:
    write(tmp_path / "b.jsonl", [{"id": "b", "answer": "x"}])
    write(tmp_path / "a" / "a.jsonl", [{"id": "a", "answer": "x"}])
    write(tmp_path / "_SUCCESS.jsonl", [])
    (tmp_path / "notes.txt").write_text("no rows", "utf-8")
    assert [item.id for item in parted(str(tmp_path)).items()] == ["a", "b"]
    (tmp_path / "empty").mkdir()
    with pytest.raises(DataError):
        files_of(str(tmp_path / "empty"))


def test_an_address_is_read_as_a_path_is(tmp_path: Path) -> None:
    write(tmp_path / "0.jsonl", [{"id": "a", "answer": "x"}])
    write(tmp_path / "1.jsonl", [{"id": "b", "answer": "y"}])
    local = parted(str(tmp_path / "*.jsonl"))
    for name in (tmp_path.as_uri(), f"{tmp_path.as_uri()}/*.jsonl"):
        there = parted(name)
        assert there.hash == local.hash
        assert all(file.file.path.startswith("file://") for file in there.files)
    (one,) = files_of(f"{tmp_path.as_uri()}/1.jsonl")
    assert one.alone
    with pytest.raises(DataError):
        files_of(f"{tmp_path.as_uri()}/*.csv")
    with pytest.raises(UsageError):
        files_of("nothing://there")
    with pytest.raises(UsageError):
        files_of("-")
