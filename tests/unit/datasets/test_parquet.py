from __future__ import annotations

import datetime as dt
import decimal
from contextlib import suppress

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from adjudge.datasets import parquet
from adjudge.datasets.base import BadRow, Source, UnreadableCell
from adjudge.datasets.items import content_of
from adjudge.datasets.rows import scan
from adjudge.errors import DataError


@pytest.fixture
def table(tmp_path):
    """Writes the columns to a file; returns its path."""

    def table(columns, **settings):
        path = tmp_path / "a.parquet"
        pq.write_table(pa.table(columns), path, **settings)
        return path

    return table


def read(path):
    return list(parquet.read(Source(path)))


def test_rows_are_numbered_through_all_row_groups(table):
    path = table({"q": [f"질문 {n}" for n in range(3000)]}, row_group_size=700)
    rows = read(path)
    assert rows[0] == (1, {"q": "질문 0"})
    assert rows[-1] == (3000, {"q": "질문 2999"})
    assert [number for number, _ in rows] == list(range(1, 3001))


def test_every_type_is_a_plain_value(table):
    moment = dt.datetime(2024, 1, 2, 3, 4, 5, 678000)  # noqa: DTZ001 - as files hold them
    path = table(
        {
            "nested": [{"a": [{"b": None, "c": 1}]}],
            "categories": pa.array(["x"]).dictionary_encode(),
            "map": pa.array([[("k", 1)]], pa.map_(pa.string(), pa.int64())),
            "date": [dt.date(2024, 1, 2)],
            "time": [dt.time(3, 4)],
            "nanoseconds": pa.array([1704164645678000001], pa.timestamp("ns")),
            "inside": pa.array(
                [{"at": [1704164645678000001]}], pa.struct([("at", pa.list_(pa.timestamp("ns")))])
            ),
            "zone": pa.array([moment], pa.timestamp("us", tz="UTC")),
            "decimal": [decimal.Decimal("1.10")],
            "float": [0.5],
            "nan": [float("nan")],
            "inf": [float("inf")],
            "truth": [True],
            "bytes": ["텍스트".encode()],
            "large": pa.array([2**64 - 1], pa.uint64()),
        }
    )
    ((_, row),) = read(path)
    assert row == {
        "nested": {"a": [{"b": None, "c": 1}]},
        "categories": "x",
        "map": [["k", 1]],
        "date": "2024-01-02",
        "time": "03:04:00",
        "nanoseconds": "2024-01-02T03:04:05.678000",
        "inside": {"at": ["2024-01-02T03:04:05.678000"]},
        "zone": "2024-01-02T03:04:05.678000+00:00",
        "decimal": "1.10",
        "float": 0.5,
        "nan": None,
        "inf": "inf",
        "truth": True,
        "bytes": "텍스트",
        "large": 2**64 - 1,
    }


def test_what_is_no_text_says_what_it_is(table):
    ((_, row),) = read(table({"image": [b"\x89PNG\r\n\x00"]}))
    assert isinstance(row["image"], UnreadableCell)
    assert row["image"].startswith("binary, 7 bytes, SHA-256 ")


def test_a_text_that_is_not_utf8_is_the_fault_of_its_row(tmp_path):
    offsets, data = pa.py_buffer(b"\0\0\0\0\2\0\0\0\4\0\0\0"), pa.py_buffer(b"ok\xff\xfe")
    texts = pa.StringArray.from_buffers(2, offsets, data)
    pq.write_table(pa.table({"q": texts}), tmp_path / "a.parquet")
    good, bad = read(tmp_path / "a.parquet")
    assert good == (1, {"q": "ok"})
    assert isinstance(bad, BadRow)
    assert (bad.line, str(bad.why)[:9]) == (2, "byte 0xFF")


def test_two_columns_of_one_name_are_an_error(tmp_path):
    twice = pa.Table.from_arrays([pa.array([1]), pa.array([2])], names=["q", "q"])
    pq.write_table(twice, tmp_path / "a.parquet")
    with pytest.raises(DataError, match="two columns are named 'q'"):
        read(tmp_path / "a.parquet")


@pytest.mark.parametrize("cut", [0, 4, -20])
def test_a_broken_file_is_an_error_with_its_name(table, cut):
    path = table({"q": ["x" * 100]})
    path.write_bytes(path.read_bytes()[: cut or 1])
    with pytest.raises(DataError, match=r"a\.parquet: cannot be read as Parquet \(.+\); write or"):
        read(path)


def test_a_damaged_page_is_an_error_too(table):
    path = table({"q": [f"text {n}" * 50 for n in range(2000)]}, write_page_checksum=True)
    content = bytearray(path.read_bytes())
    content[len(content) // 2 : len(content) // 2 + 200] = b"\xaa" * 200
    path.write_bytes(content)
    with pytest.raises(DataError, match="cannot be read as Parquet"):
        read(path)


def test_a_binary_column_goes_along_but_feeds_no_input(table, inputs):
    image = {"bytes": b"\xff\xd8", "path": "a.jpg"}
    path = table({"question": ["q"], "answer": ["a"], "image": [image], "raw": [b"\xff"]})
    (item,) = scan(path, [inputs], {}).items()
    assert item.extra["image"]["path"] == "a.jpg"
    assert content_of(item)
    with pytest.raises(DataError, match=r"'answer' from 'image.bytes': holds binary, 2 bytes"):
        scan(path, [inputs], {"answer": "image.bytes"})


def test_a_column_that_the_schema_does_not_have(table):
    path = table({"answer": ["A.", "A."]}, store_schema=False)
    head, _, tail = path.read_bytes().rpartition(b"answer")
    path.write_bytes(head + b"ansxer" + tail)
    assert read(path) == [(1, {"answer": "A."}), (2, {"answer": "A."})]


def test_a_column_whose_name_is_no_text(table):
    path = table({"answer": ["A."]}, store_schema=False)
    path.write_bytes(path.read_bytes().replace(b"answer", b"\x97answ\x99"))
    with pytest.raises(DataError, match=r"cannot be read as Parquet \('utf-8' codec can't decode"):
        read(path)


def test_a_bit_of_its_description_that_is_wrong(table):
    """Rows or an error, and the process lives: Arrow's own check of some of these would end it."""
    path = table({"answer": ["A.", "B."], "n": [3, 4]}, store_schema=False)
    whole = path.read_bytes()
    begin = whole.index(b"schema") - 8
    for place in range(begin, len(whole) - 8):
        for bit in (1, 4, 32):
            path.write_bytes(whole[:place] + bytes([whole[place] ^ bit]) + whole[place + 1 :])
            with suppress(DataError):
                read(path)
