from __future__ import annotations

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
    uploads = Uploads(tmp_path / "runs.db")
    kept = uploads.keep([b"ab", b"c"], name)
    assert kept.removesuffix(ending) == (
        "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    )
    assert uploads.path(kept).read_bytes() == b"abc"
    assert uploads.path(kept).parent == tmp_path / "uploads"
    assert uploads.keep([b"abc"], name) == kept


@pytest.mark.parametrize("name", ["a.pdf", "a", "", ".", "..", "a.yaml", "a.parquet.gz", "a.csv/"])
def test_what_is_no_data_file_is_refused(
    tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    if name == "a.csv/":
        assert Uploads(tmp_path / "runs.db").keep([b""], name).endswith(".csv")
        return
    with pytest.raises(UsageError):
        Uploads(tmp_path / "runs.db").keep([b"x"], name)
    assert not list(tmp_path.rglob("*"))


def test_what_breaks_off_leaves_nothing_behind(tmp_path: Path) -> None:
    def broken() -> object:
        yield b"half"
        raise ValueError("gone")

    with pytest.raises(ValueError, match="gone"):
        Uploads(tmp_path / "runs.db").keep(broken(), "a.csv")  # type: ignore[arg-type]
    assert not list((tmp_path / "uploads").iterdir())


def test_a_place_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "uploads").write_text("in the way")
    with pytest.raises(StoreError):
        Uploads(tmp_path / "runs.db").keep([b"x"], "a.csv")
