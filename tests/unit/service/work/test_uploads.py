from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from adjudge.errors import StoreError, UsageError
from adjudge.service.work.uploads import Uploads


@pytest.mark.parametrize(
    ("name", "ending"),
    [
        ("a.csv", ".csv"),
        ("A.JSONL", ".jsonl"),
        ("a.b.jsonl.gz", ".jsonl.gz"),
        ("../../etc/x.tsv", ".tsv"),
        ("/etc/x.parquet", ".parquet"),
    ],
)
def test_only_the_ending_of_a_name_counts(tmp_path: Path, name: str, ending: str) -> None:
    uploads = Uploads(tmp_path / "runs.db", 1000)
    kept = uploads.keep([b"ab", b"c"], name)
    assert kept.removesuffix(ending) == (
        "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    )
    assert uploads.path(kept).read_bytes() == b"abc"
    assert uploads.path(kept).parent == tmp_path / "uploads" / "runs.db"
    assert uploads.keep([b"abc"], name) == kept


@pytest.mark.parametrize("name", ["a.pdf", "a", "", ".", "..", "a.yaml", "a.parquet.gz", "a.csv/"])
def test_what_is_no_data_file_is_refused(
    tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    if name == "a.csv/":
        assert Uploads(tmp_path / "runs.db", 1000).keep([b""], name).endswith(".csv")
        return
    with pytest.raises(UsageError):
        Uploads(tmp_path / "runs.db", 1000).keep([b"x"], name)
    assert not list(tmp_path.rglob("*"))


def test_what_breaks_off_leaves_nothing_behind(tmp_path: Path) -> None:
    def broken() -> object:
        yield b"half"
        raise ValueError("gone")

    with pytest.raises(ValueError, match="gone"):
        Uploads(tmp_path / "runs.db", 1000).keep(broken(), "a.csv")  # type: ignore[arg-type]
    assert not list((tmp_path / "uploads" / "runs.db").iterdir())


def test_a_place_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "uploads").write_text("in the way")
    with pytest.raises(StoreError):
        Uploads(tmp_path / "runs.db", 1000).keep([b"x"], "a.csv")


def test_what_is_not_needed_goes_after_some_minutes(tmp_path: Path) -> None:
    uploads, other = Uploads(tmp_path / "runs.db", 1000), Uploads(tmp_path / "b.db", 1000)
    needed, old = uploads.keep([b"a"], "a.csv"), uploads.keep([b"b"], "b.jsonl.gz")
    judge, elsewhere = uploads.keep_judge("judge: x"), other.keep([b"b"], "b.jsonl.gz")
    strange = uploads.folder / "not-ours.csv"
    strange.write_text("x")
    for file in tmp_path.rglob("*.*"):
        if file.is_file():
            os.utime(file, (time.time() - 3600,) * 2)
    new = uploads.keep([b"c"], "c.csv")
    uploads.sweep({needed})
    assert {each.name for each in uploads.folder.iterdir()} == {needed, new, strange.name}
    assert not {old, judge} & {needed, new}
    assert other.path(elsewhere).exists()
    Uploads(tmp_path / "none.db", 1000).sweep(())  # nothing was brought yet


@pytest.mark.parametrize(
    ("title", "command"),
    [
        ("mine.csv", "iconv -t UTF-8 mine.csv > mine.utf8.csv"),
        ("my data.CSV", "iconv -t UTF-8 'my data.CSV' > 'my data.utf8.csv'"),
        ("Tháng 5", "iconv -t UTF-8 'Tháng 5' > 'Tháng 5.utf8.csv'"),
    ],
)
def test_messages_name_the_file_of_the_user(tmp_path: Path, title: str, command: str) -> None:
    uploads = Uploads(tmp_path / "runs.db", 1000)
    kept = uploads.keep([b"a"], "x.csv")
    path, target = uploads.path(kept), uploads.path(kept.replace(".csv", ".utf8.csv"))
    message = f"{path}: is not UTF-8: iconv -t UTF-8 {path} > {target}; {kept}, line 7"
    told = uploads.told(message, kept, title)
    assert told == f"{title}: is not UTF-8: {command}; {title}, line 7"
