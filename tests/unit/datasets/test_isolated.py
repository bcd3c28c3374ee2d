"""A file that would take the service down takes only its worker down."""

from __future__ import annotations

import gzip
import sys
import threading
import time
from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import parquet

from adjudge.datasets import isolated
from adjudge.datasets.base import RawRow, Source
from adjudge.datasets.isolated import WorkerLimits, Workers
from adjudge.datasets.sources import FORMATS, format_for
from adjudge.errors import DataError, UsageError

PLENTY = WorkerLimits(100_000_000)


def kept(path: Path, limits: WorkerLimits = PLENTY, workers: Workers | None = None) -> Path:
    rows = path.with_name(f"{path.name}.rows")
    with rows.open("wb") as out:
        (workers or Workers(limits)).write_rows(path, "mine", out)
    return rows


def spying(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, code: str) -> None:
    """The worker runs `code` in place of our module."""
    (tmp_path / "spy.py").write_text(code)
    monkeypatch.setattr(isolated, "__name__", "spy")
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])


def remedies(rows: list[RawRow]) -> list[str | None]:
    cells = (cell for row in rows if isinstance(row, tuple) for cell in row[1].values())
    return [getattr(cell, "remedy", None) for cell in cells]


ROWS = {
    ".jsonl": b'{"q": "a", "n": [1.5, {"x": null}]}\n[]\n{"q": "\xed\x95\x9c"}\n',
    ".json": b'[{"q": "a"}, {"q": {"\\u0000": 1}}]',
    ".csv": b'q,a\n"x\ny",1\nz\nw,2\n',
    ".tsv": b"q\ta\nx\t1\n",
}


@pytest.mark.parametrize("ending", [each for known in FORMATS for each in known.endings])
def test_rows_are_the_same_as_without_a_worker(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"a{ending}"
    if ending == ".parquet":
        parquet.write_table(pa.table({"q": ["a", None], "b": [b"\xff", [b"x"][0]]}), path)
    elif ending == ".xlsx":
        pytest.importorskip("openpyxl").Workbook().save(path)
        book = pytest.importorskip("openpyxl").load_workbook(path)
        for row in (["q", "a"], ["x", "=1+1"], ["y", 2.5]):
            book.active.append(row)
        book.save(path)
    else:
        path.write_bytes(ROWS.get(ending, ROWS[".jsonl"]))
    here = list(format_for(path).read(Source(path)))
    known = format_for(kept(path))
    there = list(known.read(Source(kept(path))))
    assert there == here
    assert len(here) >= 1
    assert remedies(there) == remedies(here)
    assert (known.unit, known.endings) == (format_for(path).unit, format_for(path).endings)


def test_what_is_wrong_with_the_file_is_told(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("q,q\n1,2\n")
    with pytest.raises(DataError, match="two columns are named 'q'"):
        kept(path)
    with pytest.raises(UsageError, match=r"ending '\.pdf' is unknown"):
        kept(tmp_path / "a.pdf")


def test_too_much_memory(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(b'{"q": "' + b"x" * 60_000_000 + b'"}')
    with pytest.raises(DataError, match=r"^mine: cannot be read with 180,000,000 bytes of memory"):
        kept(path, WorkerLimits(1_000_000_000, memory=180_000_000))


def test_too_many_rows_out_of_a_small_file(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    table = pa.table({"q": ["x" * 4_000_000] * 200})
    parquet.write_table(table, path, compression="zstd", dictionary_pagesize_limit=10_000_000)
    assert path.stat().st_size < 2_000
    with pytest.raises(DataError, match=r"unpacks to more than 10,000,000 bytes"):
        kept(path, WorkerLimits(10_000_000))
    assert path.with_name("a.parquet.rows").stat().st_size <= 10_000_000


def test_a_gzip_bomb(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl.gz"
    path.write_bytes(gzip.compress(b"\n" * 20_000_000))
    with pytest.raises(DataError, match=r"unpacks to more than 10,000,000 bytes"):
        kept(path, WorkerLimits(10_000_000))


def test_too_much_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    spying(monkeypatch, tmp_path, "import time; time.sleep(60)")
    began = time.monotonic()
    with pytest.raises(DataError, match=r"^mine: could not be read in 1 s"):
        kept(tmp_path / "a.csv", WorkerLimits(1000, seconds=1))
    assert time.monotonic() - began < 30


def test_a_worker_that_dies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    spying(monkeypatch, tmp_path, "import os, signal; os.kill(os.getpid(), signal.SIGSEGV)")
    with pytest.raises(DataError, match="or is broken"):
        kept(tmp_path / "a.csv")


@pytest.mark.parametrize("word", [b"", b"x" * 10_000_000, b'{"ended": 1}', b"[" * 10_000])
def test_a_last_word_that_is_none(
    tmp_path: Path, word: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "word").write_bytes(word)
    spying(
        monkeypatch,
        tmp_path,
        f"import os; os.write(2, open({str(tmp_path / 'word')!r}, 'rb').read())",
    )
    with pytest.raises(DataError, match="or is broken"):
        kept(tmp_path / "a.csv")


def test_no_key_is_in_its_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    spying(
        monkeypatch,
        tmp_path,
        'import os; print(dict(os.environ))\nos.write(2, b\'{"ended": "done"}\')',
    )
    told = kept(tmp_path / "a.csv").read_text()
    assert "PYTHONPATH" in told
    assert "secret" not in told


def test_closing_ends_the_workers_under_way(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spying(monkeypatch, tmp_path, "import time; print('on', flush=True); time.sleep(60)")
    workers = Workers(PLENTY)

    def close() -> None:
        rows = tmp_path / "a.csv.rows"
        while not (rows.exists() and rows.stat().st_size):
            time.sleep(0.01)
        workers.close()

    closing = threading.Thread(target=close)
    closing.start()
    began = time.monotonic()
    with pytest.raises(DataError, match="The service ends"):
        kept(tmp_path / "a.csv", workers=workers)
    assert time.monotonic() - began < 30
    closing.join()
    with pytest.raises(DataError, match="The service ends"):
        kept(tmp_path / "a.csv", workers=workers)


def test_a_file_that_is_not_ours(tmp_path: Path) -> None:
    for text in (b"x\n", b"[1]\n", b'["1", {}]\n', b"{}\n"):
        path = tmp_path / "a.csv.rows"
        path.write_bytes(text)
        with pytest.raises(DataError, match="is broken"):
            list(format_for(path).read(Source(path)))
