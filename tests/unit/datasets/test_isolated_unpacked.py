from __future__ import annotations

import gzip
import zipfile
from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import parquet

from adjudge.datasets.isolated import check_unpacked
from adjudge.errors import DataError

SIZE = 1_000_000


def _gz(path: Path) -> None:
    path.write_bytes(gzip.compress(b"a" * SIZE))


def _xlsx(path: Path) -> None:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("xl/a.xml", b"a" * (SIZE // 2))
        packed.writestr("xl/b.xml", b"a" * (SIZE // 2))


def _parquet(path: Path) -> None:
    table = pa.table({"text": [str(number) * 20 for number in range(20_000)]})
    parquet.write_table(table, path, compression="zstd", use_dictionary=False)


@pytest.mark.parametrize(
    ("name", "write"), [("a.csv.gz", _gz), ("a.XLSX", _xlsx), ("a.parquet", _parquet)]
)
def test_what_unpacks_to_too_much(name: str, write: object, tmp_path: Path) -> None:
    path = tmp_path / "kept"
    assert callable(write)
    write(path)
    assert path.stat().st_size < SIZE // 2
    with pytest.raises(DataError, match=rf"{name}: unpacks to more than 500,000 bytes"):
        check_unpacked(path, name, SIZE // 2)
    check_unpacked(path, name, 10 * SIZE)


@pytest.mark.parametrize("name", ["a.csv.gz", "a.xlsx", "a.parquet", "a.csv"])
def test_what_is_broken_or_not_packed_is_left_to_its_reader(name: str, tmp_path: Path) -> None:
    path = tmp_path / "kept"
    path.write_bytes(b"question,answer\n" * 100)
    check_unpacked(path, name, 10)
