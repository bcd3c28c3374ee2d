"""Rows are streamed: a large file takes no more memory than a few bytes per row."""

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
def test_thirty_thousand_rows_stream_in_flat_memory(tmp_path, inputs):
    few, many = tmp_path / "few.jsonl", tmp_path / "many.jsonl"
    make(few, 1_000)
    size = make(many, 30_000)
    assert size > 15_000_000
    growth = peak(many, inputs, 30_000) - peak(few, inputs, 1_000)
    assert growth < 2_400_000  # 80 bytes per row; bench/memory.py has a million rows


def test_nothing_is_kept_of_the_rows_that_a_run_has_taken(tmp_path, inputs):
    path = tmp_path / "rows.jsonl"
    make(path, 10_000)
    plan = scan(path, [inputs], {})
    items = plan.items()
    for _ in range(100):
        next(items)
    tracemalloc.start()
    try:
        for _ in range(9_800):
            next(items)
        assert tracemalloc.get_traced_memory()[0] < 100_000
    finally:
        tracemalloc.stop()
