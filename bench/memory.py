"""Peak memory: of whole runs over replayed replies, and of reading a million rows in each format.

The bars are 150 MB for a run of 100,000 rows and 300 MB for reading 1,000,000 rows of CSV or
Parquet. Exits with 1 above them. `--rows N` makes the largest run that long instead.
"""

from __future__ import annotations

import argparse
import csv
import json
import multiprocessing
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

RUN_BAR_MB, READ_BAR_MB = 150.0, 300.0
READ_ROWS = 1_000_000
READ_FORMATS = ("csv", "parquet", "jsonl", "json")
BARRED = ("csv", "parquet")
ADJUDGE = str(Path(sys.executable).with_name("adjudge"))
QUESTION = (
    "How do I change the delivery address of my order {n}? " + "It is already on its way. " * 8
)
ANSWER = "Open the order, choose Delivery, and enter the new address before {n} o'clock. " * 4

# What `adjudge run` does with data: checks it from end to end, then streams it.
READING = """
import sys
from adjudge.core.judge import Input
from adjudge.datasets.rows import scan

inputs = {name: Input(name=name, title=name) for name in ("question", "answer")}
plan = scan(sys.argv[1], [inputs], {})
if sum(1 for _ in plan.items()) != int(sys.argv[2]):
    raise SystemExit("rows were lost")
"""


def reply(n: int) -> str:
    text = (
        f"The answer names the steps that the person has to take, in case {n} as in the others. "
        * 2
    )
    return json.dumps(
        {
            "evaluation": text,
            "strengths": ["It is short and clear.", "It names the menu."],
            "weaknesses": ["It gives no reason.", "It says nothing of costs."],
            "analysis": text,
            "recommendations": ["Say what happens when it is too late."],
            "rating": n % 4 + 1,
        }
    )


def rows_of(count: int) -> Iterator[dict[str, str]]:
    for n in range(count):
        yield {"id": str(n), "question": QUESTION.format(n=n), "answer": ANSWER.format(n=n)}


def write_data(path: Path, count: int) -> None:
    """The rows in the format of the ending; Parquet in one row group, the worst case."""
    if path.suffix == ".parquet":
        import pyarrow as pa  # noqa: PLC0415 - only in the process that writes
        import pyarrow.parquet as pq  # noqa: PLC0415

        pq.write_table(pa.Table.from_pylist(list(rows_of(count))), path, row_group_size=count)
        return
    with path.open("w", encoding="utf-8", newline="") as out:
        if path.suffix == ".csv":
            table = csv.DictWriter(out, ["id", "question", "answer"])
            table.writeheader()
            table.writerows(rows_of(count))
            return
        before, after = ("[", "]") if path.suffix == ".json" else ("", "")
        between = ",\n" if before else "\n"
        for n, row in enumerate(rows_of(count)):
            out.write((between if n else before) + json.dumps(row))
        out.write(f"{after}\n")


def write_apart(path: Path, count: int) -> None:
    """In a process of its own: what this one has ever used counts for its children too."""
    writer = multiprocessing.get_context("spawn").Process(target=write_data, args=(path, count))
    writer.start()
    writer.join()
    if writer.exitcode:
        raise SystemExit(f"{path.name} could not be written")


def write_replies(path: Path, count: int) -> None:
    with path.open("w") as replies:
        for n in range(count):
            replies.write(json.dumps({"item": n, "replies": [reply(n)]}) + "\n")


def measure(command: list[str], folder: Path) -> tuple[float, float]:
    """Peak MB of the process, and the seconds it took."""
    began = time.perf_counter()
    process = subprocess.Popen(command, cwd=folder)
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{command[1:3]} ended with {process.returncode}")
    return used.ru_maxrss / 1024, time.perf_counter() - began


def run(rows: int, ending: str) -> float:
    """Peak MB of a run with an export, all in this format."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_apart(folder / f"data.{ending}", rows)
        write_replies(folder / "replies.jsonl", rows)
        command = [ADJUDGE, "run", f"data.{ending}", "--judge", "helpfulness", "--quiet"]
        command += ["-m", "replay:replies.jsonl", "-o", f"out.{ending}", "-o", "out.jsonl"]
        peak, taken = measure(command, folder)
        with (folder / "out.jsonl").open() as out:
            if sum(1 for _ in out) != rows:
                raise SystemExit("rows were lost")
    each = taken / rows * 1000
    print(f"run   {ending:8}{rows:9,} rows  peak {peak:4.0f} MB  {each:.2f} ms per row", flush=True)
    return peak


def read(rows: int, ending: str) -> float:
    """Peak MB of checking and streaming the rows."""
    with tempfile.TemporaryDirectory() as name:
        path = Path(name, f"data.{ending}")
        write_apart(path, rows)
        size = path.stat().st_size / 1024**2
        command = [sys.executable, "-c", READING, path.name, str(rows)]
        peak, taken = measure(command, path.parent)
    print(
        f"read  {ending:8}{rows:9,} rows  peak {peak:4.0f} MB  {taken:.0f} s  file {size:.0f} MB",
        flush=True,
    )
    return peak


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=100_000, help="of the largest run")
    most = parser.parse_args().rows
    run(2_000, "jsonl")
    runs = [run(most, ending) for ending in ("jsonl", "parquet")]
    reads = {ending: read(READ_ROWS, ending) for ending in READ_FORMATS}
    missed = runs[0] > RUN_BAR_MB or any(reads[ending] > READ_BAR_MB for ending in BARRED)
    return int(missed)


if __name__ == "__main__":
    sys.exit(main())
