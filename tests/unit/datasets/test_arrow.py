from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import parquet as files

from adjudge.datasets import arrow, parquet
from adjudge.datasets.arrow import row_sizes
from adjudge.datasets.base import BadRow, Source

LONG = "x" * 10_000
VALUES = {
    "text": [LONG, "b", None],
    "binary": [LONG.encode(), b"b", None],
    "list": [[LONG, LONG], [], None],
    "struct": [{"a": LONG, "b": 1}, {"a": "b", "b": 2}, None],
    "objects": [[{"a": LONG}] * 3, [], None],
    "number": [1, 2, 3],
}
LEAST = {"text": 10_000, "binary": 10_000, "list": 20_000, "struct": 10_000, "objects": 30_000}


@pytest.mark.parametrize("dictionary", [False, True], ids=["plain", "dictionary"])
@pytest.mark.parametrize("kind", VALUES)
def test_each_row_by_itself(tmp_path: Path, kind: str, dictionary: bool) -> None:
    files.write_table(pa.table({"c": VALUES[kind]}), tmp_path / "a.parquet")
    table = files.ParquetFile(tmp_path / "a.parquet")
    paths = [table.schema.column(place).path for place in range(len(table.schema))]
    read = files.ParquetFile(
        tmp_path / "a.parquet",
        read_dictionary=[path for path in paths if dictionary and not path.endswith(".b")],
    )
    (batch,) = read.iter_batches()
    for each in (batch, batch.slice(0, 2)):
        first, *others = row_sizes(each)
        least = LEAST.get(kind, 8)
        assert least <= first < least + 200
        assert max(others) < 100
    assert row_sizes(batch.slice(1)) == row_sizes(batch)[1:]


def test_fixed_lists_and_maps() -> None:
    fixed = pa.array([[LONG, LONG], ["a", "b"]], pa.list_(pa.string(), 2))
    mapped = pa.array([[("k", LONG)], []], pa.map_(pa.string(), pa.string()))
    batch = pa.record_batch({"fixed": fixed, "mapped": mapped})
    first, second = row_sizes(batch)
    assert 30_000 < first < 30_500
    assert second < 200


def repeated(path: Path, size: int, rows: int, **settings: Any) -> Path:
    """A few hundred bytes that say one text in every row."""
    table = pa.table({"question": ["x" * size] * rows, "answer": ["y"] * rows})
    limit = {"dictionary_pagesize_limit": 2 * size} if not settings else {}
    files.write_table(table, path, compression="zstd", write_statistics=False, **limit, **settings)
    assert path.stat().st_size < 20_000
    return path


READ = """
import resource, sys
from pathlib import Path
from adjudge.datasets import parquet
from adjudge.datasets.base import Source
def most(): return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
import pyarrow.parquet, pyarrow.compute, numpy
before = most()
rows = sum(len(row["question"]) for _, row in parquet.read(Source(Path(sys.argv[1]))))
print(rows, most() - before)
"""


@pytest.mark.parametrize(
    "settings",
    [{}, {"use_dictionary": False, "column_encoding": {"question": "DELTA_BYTE_ARRAY"}}],
    ids=["dictionary", "prefixes"],
)
def test_a_text_in_every_row_takes_its_memory_once(tmp_path: Path, settings: Any) -> None:
    path = repeated(tmp_path / "a.parquet", 4_000_000, 100, **settings)
    done = subprocess.run(
        [sys.executable, "-c", READ, str(path)], check=True, capture_output=True, text=True
    )
    total, more = map(int, done.stdout.split())
    assert total == 400_000_000
    unit = 1 if sys.platform == "darwin" else 1024
    assert more * unit < 200_000_000


def test_a_row_that_is_too_large_is_told_of(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(arrow, "ROW", 5_000)
    files.write_table(pa.table({"a": ["b", LONG, "c", LONG]}), tmp_path / "a.parquet")
    rows = list(parquet.read(Source(tmp_path / "a.parquet")))
    assert [row for row in rows if not isinstance(row, BadRow)] == [
        (1, {"a": "b"}),
        (3, {"a": "c"}),
    ]
    assert [row.line for row in rows if isinstance(row, BadRow)] == [2, 4]


def test_slices_are_small_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(arrow, "_BYTES", 10)
    monkeypatch.setattr(arrow, "_AT_ONCE", 3)
    slices = list(arrow._slices([1, 1, 1, 1, 9, 9, 20, 1]))
    assert slices == [(0, 3), (3, 2), (5, 1), (6, 1), (7, 1)]
