"""Files of rows: JSON Lines, JSON, and what holds for every format."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import orjson
import pytest

from adjudge.errors import AdjudgeError, UsageError
from adjudge.reports.files import WRITERS, check_path, write_file


def test_json_lines(tmp_path, make_row, walk):
    rows = [make_row(), make_row(item="질문\n2")]
    write_file(tmp_path / "a.jsonl", walk(*rows))
    lines = (tmp_path / "a.jsonl").read_bytes().splitlines()
    assert [orjson.loads(line) for line in lines] == rows


@pytest.mark.parametrize("count", [0, 1, 3])
def test_json(tmp_path, make_row, walk, count):
    rows = [make_row(item=str(number)) for number in range(count)]
    write_file(tmp_path / "a.JSON", walk(*rows))
    assert orjson.loads((tmp_path / "a.JSON").read_bytes()) == rows


@pytest.mark.parametrize("ending", WRITERS)
def test_every_format_replaces_the_file_as_a_whole(tmp_path, make_row, walk, ending):
    path = tmp_path / f"a{ending}"
    path.write_text("old")
    link = tmp_path / f"link{ending}"
    link.symlink_to(path)

    def breaks():
        yield make_row()
        raise RuntimeError("the store went away")

    with pytest.raises(RuntimeError):
        write_file(link, breaks)
    assert path.read_text() == "old"
    write_file(link, walk(make_row()))
    if ending != ".xlsx":  # which is packed
        assert b"accuracy" in path.read_bytes()
    assert sorted(tmp_path.iterdir()) == sorted([path, link])
    assert link.is_symlink()


class Counted(dict):
    """A row that knows how many there are at once."""

    alive = most = 0

    def __init__(self, row):
        super().__init__(row)
        Counted.alive += 1
        Counted.most = max(Counted.most, Counted.alive)

    def __del__(self):
        Counted.alive -= 1


@pytest.mark.parametrize("ending", WRITERS)
@pytest.mark.parametrize(("rows", "text", "most"), [(6_000, "x", 2_001), (40, "x" * 10**6, 20)])
def test_every_format_holds_few_rows_at_a_time(tmp_path, make_row, ending, rows, text, most):
    """Few as rows, fewer where their texts are long: files of any length fit into memory."""
    if ending == ".xlsx" and rows > 600:
        rows, most = 600, 200  # a workbook takes a millisecond per row
    Counted.alive = Counted.most = 0
    row = make_row() | {"data": {"answer": text}}
    write_file(tmp_path / f"a{ending}", lambda: (Counted(row) for _ in range(rows)))
    assert 0 < Counted.most <= most
    assert Counted.alive == 0


@pytest.mark.parametrize("ending", WRITERS)
def test_every_format_writes_a_run_without_rows(tmp_path, walk, ending):
    write_file(tmp_path / f"a{ending}", walk())
    assert (tmp_path / f"a{ending}").exists()


def test_a_full_disk_is_an_error_with_the_path(tmp_path, walk, monkeypatch):
    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(AdjudgeError, match=r"a\.csv: cannot be written \(No space left") as caught:
        write_file(tmp_path / "a.csv", walk())
    assert caught.value.exit_code == 1
    assert list(tmp_path.iterdir()) == []


def test_wrong_places_are_found_before_anything_is_written(tmp_path, monkeypatch):
    known = r"\.jsonl, \.json, \.csv, \.xlsx, \.parquet, \.md, \.html, \.xml"
    with pytest.raises(UsageError, match=rf"'\.doc' is unknown; results end in one of: {known}"):
        check_path(tmp_path / "a.doc")
    with pytest.raises(UsageError, match="the name has no ending"):
        check_path(tmp_path / "out")
    (tmp_path / "folder.csv").mkdir()
    with pytest.raises(UsageError, match="is a folder"):
        check_path(tmp_path / "folder.csv")
    with pytest.raises(UsageError, match=r"the folder .*absent is not there; create it: mkdir -p"):
        check_path(tmp_path / "absent" / "a.csv")
    monkeypatch.setattr(os, "access", lambda *_: False)
    with pytest.raises(UsageError, match="cannot be written to"):
        check_path(tmp_path / "a.csv")


def test_a_plain_name_lies_in_the_working_folder(tmp_path, monkeypatch, walk):
    monkeypatch.chdir(tmp_path)
    check_path(Path("a.csv"))
    assert list(tmp_path.iterdir()) == []
    write_file(Path("a.csv"), walk())
    assert (tmp_path / "a.csv").exists()
