"""Rows are streamed: a large file takes no more memory than a few bytes a row."""

from __future__ import annotations

import tracemalloc
from pathlib import Path

import orjson
import pytest

from adjudge.datasets.rows import scan

TEXT = "Một câu trả lời dài. " * 20


def make(path: Path, count: int) -> int:
    """Writes that many rows, the ids given for every other one; returns the size in bytes."""
    with path.open("wb") as out:
        for number in range(count):
            row = {"question": f"질문 {number}", "answer": TEXT, "group": number % 7}
            if number % 2:
                row["id"] = f"row-{number}"
            out.write(orjson.dumps(row) + b"\n")
    return path.stat().st_size


def peak(path, inputs, count):
    tracemalloc.start()
    try:
        plan = scan(path, [inputs], {})
        assert sum(1 for _ in plan.items()) == plan.rows == count
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.slow
def test_a_hundred_thousand_rows_stream_in_flat_memory(tmp_path, inputs):
    few, many = tmp_path / "few.jsonl", tmp_path / "many.jsonl"
    make(few, 1_000)
    size = make(many, 100_000)
    assert size > 50_000_000
    growth = peak(many, inputs, 100_000) - peak(few, inputs, 1_000)
    assert growth < 8_000_000
