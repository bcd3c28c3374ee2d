from __future__ import annotations

import gzip
import hashlib
import os
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from adjudge.datasets.isolated import WorkerLimits
from adjudge.errors import DataError, StoreError, UsageError
from adjudge.service.jobs.uploads import Uploads


@pytest.mark.parametrize(
    ("name", "ending"),
    [
        ("a.csv", ".csv"),
        ("A.JSONL", ".jsonl"),
        ("a.b.jsonl.gz", ".jsonl.gz"),
        ("../../etc/x.tsv", ".tsv"),
    ],
)
def test_only_the_ending_of_a_name_counts(tmp_path: Path, name: str, ending: str) -> None:
    uploads = Uploads(tmp_path / "runs.db", WorkerLimits(1000))
    sent = b'{"q":"a"}\n{"q":"b"}\n' if "json" in ending else b"q\na\nb\n"
    sent = gzip.compress(sent, mtime=0) if ending.endswith(".gz") else sent
    kept = uploads.keep([sent[:4], sent[4:]], name)
    assert kept == f"{hashlib.sha256(sent).hexdigest()}{ending}.rows"
    first = 1 if "json" in ending else 2
    assert uploads.path(kept).read_text() == f'[{first},{{"q":"a"}}]\n[{first + 1},{{"q":"b"}}]\n'
    assert uploads.path(kept).parent == tmp_path / "uploads" / "runs.db"
    assert uploads.path(kept).stat().st_mode & 0o777 == 0o600
    assert uploads.keep([sent], name) == kept
    assert [each.name for each in uploads.folder.iterdir()] == [kept]


@pytest.mark.parametrize("name", ["a.pdf", "a", "", ".", "..", "a.yaml", "a.parquet.gz", "a.csv/"])
def test_what_is_no_data_file_is_refused(
    tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    if name == "a.csv/":
        kept = Uploads(tmp_path / "runs.db", WorkerLimits(1000)).keep([b"q\na\n"], name)
        assert kept.endswith(".csv.rows")
        return
    with pytest.raises(UsageError):
        Uploads(tmp_path / "runs.db", WorkerLimits(1000)).keep([b"x"], name)
    assert not list(tmp_path.rglob("*"))


def test_what_breaks_off_leaves_nothing_behind(tmp_path: Path) -> None:
    def broken() -> object:
        yield b"half"
        raise ValueError("gone")

    with pytest.raises(ValueError, match="gone"):
        Uploads(tmp_path / "runs.db", WorkerLimits(1000)).keep(broken(), "a.csv")  # type: ignore[arg-type]
    assert not list((tmp_path / "uploads" / "runs.db").iterdir())


def test_a_place_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "uploads").write_text("in the way")
    with pytest.raises(StoreError):
        Uploads(tmp_path / "runs.db", WorkerLimits(1000)).keep([b"x"], "a.csv")


def test_what_is_not_needed_goes_after_some_minutes(tmp_path: Path) -> None:
    uploads, other = (
        Uploads(tmp_path / "runs.db", WorkerLimits(1000)),
        Uploads(tmp_path / "b.db", WorkerLimits(1000)),
    )
    needed, old = uploads.keep([b"q\na"], "a.csv"), uploads.keep([b"{}"], "b.jsonl")
    judge, elsewhere = uploads.keep_judge("judge: x"), other.keep([b"{}"], "b.jsonl")
    strange = uploads.folder / "not-ours.csv"
    strange.write_text("x")
    for file in tmp_path.rglob("*.*"):
        if file.is_file():
            os.utime(file, (time.time() - 3600,) * 2)
    new = uploads.keep([b"q\nc"], "c.csv")
    uploads.sweep({needed})
    assert {each.name for each in uploads.folder.iterdir()} == {needed, new, strange.name}
    assert not {old, judge} & {needed, new}
    assert other.path(elsewhere).exists()
    Uploads(tmp_path / "none.db", WorkerLimits(1000)).sweep(())  # nothing was brought yet


@pytest.mark.parametrize(
    ("title", "command"),
    [
        ("mine.csv", "iconv -t UTF-8 mine.csv > mine.utf8.csv"),
        ("my data.CSV", "iconv -t UTF-8 'my data.CSV' > 'my data.utf8.csv'"),
        ("Tháng 5", "iconv -t UTF-8 'Tháng 5' > 'Tháng 5.utf8.csv'"),
    ],
)
def test_messages_name_the_file_of_the_user(tmp_path: Path, title: str, command: str) -> None:
    uploads = Uploads(tmp_path / "runs.db", WorkerLimits(1000))
    kept = f"{'0' * 64}.csv"
    path, target = uploads.path(kept), uploads.path(kept.replace(".csv", ".utf8.csv"))
    message = f"{path}: is not UTF-8: iconv -t UTF-8 {path} > {target}; {kept}, line 7"
    told = uploads.in_user_names(message, kept, title)
    assert told == f"{title}: is not UTF-8: {command}; {title}, line 7"


def files(uploads: Uploads) -> list[str]:
    return [each.name for each in uploads.folder.iterdir()]


def test_what_cannot_be_read_leaves_nothing_behind(tmp_path: Path) -> None:
    uploads = Uploads(tmp_path / "runs.db", WorkerLimits(1000))
    with pytest.raises(DataError, match=r"^mine\.xlsx: is not a workbook"):
        uploads.keep([b"PK no workbook"], "mine.xlsx")
    with pytest.raises(DataError, match=r"^mine\.csv: unpacks to more than 1,000 bytes"):
        uploads.keep([b"q\n" + b"a\n" * 1000], "mine.csv")
    assert not files(uploads)


def test_what_is_refused_afterwards_goes_too(tmp_path: Path) -> None:
    uploads = Uploads(tmp_path / "runs.db", WorkerLimits(1000))

    def refused() -> None:
        with uploads.request():
            uploads.keep([b"q\na"], "a.csv")
            uploads.keep_rows([{"q": "a"}])
            uploads.keep_judge("judge: x")
            assert len(files(uploads)) == 3
            raise UsageError("no such model")

    with pytest.raises(UsageError):
        refused()
    assert not files(uploads)


def test_unless_a_job_or_another_request_has_the_same(tmp_path: Path) -> None:
    needed: set[str] = set()
    uploads = Uploads(tmp_path / "runs.db", WorkerLimits(1000), lambda: needed)

    def refused() -> None:
        with uploads.request():
            uploads.keep_rows([{"q": "a"}])
            raise UsageError("no such model")

    with uploads.request():
        kept = uploads.keep_rows([{"q": "a"}])
        with ThreadPoolExecutor() as other, pytest.raises(UsageError):
            other.submit(refused).result()
        assert files(uploads) == [kept]
    needed.add(kept)
    with pytest.raises(UsageError):
        refused()
    assert files(uploads) == [kept]
    needed.clear()
    with pytest.raises(UsageError):
        refused()
    assert not files(uploads)
