"""Time and memory of `adjudge calibrate` over a million verdicts with a label each.

The bar is 60 s and 2 GB at 1,000,000 verdicts and 1,000 rounds. Exits with 1 above it. The store is
made first, through the store itself, which takes a few minutes and 3 GB of disk; `--rows N` makes
a smaller one.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from harness import ADJUDGE, scratch

from adjudge.core.item import Item
from adjudge.core.run import Manifest
from adjudge.core.score import Outcome, Score
from adjudge.core.verdict import Call, Exchange, Verdict
from adjudge.stores import Entry, RunRecord, open_store

BAR_SECONDS, BAR_MB = 60.0, 2048.0
MODEL = "openai/some-model"
JUDGE = json.dumps(
    {
        "judge": "bench",
        "version": 1,
        "title": "How good is the answer?",
        "language": "en",
        "explain_in": "any",
        "inputs": {"answer": {"judged": True}},
        "criteria": {
            "rating": {"guide": "How good?", "scale": {"type": "integer", "min": 1, "max": 5}}
        },
    }
)
WHY = "The answer names the steps that the person has to take, and leaves out what they cost. " * 4
ANSWER = "Open the order, choose Delivery, and enter the new address before four o'clock. " * 4


def entries(rows: int, labels: Path) -> Iterator[Entry]:
    """Verdicts that follow a label with an error, one in 100 unscored; ten items per group."""
    chance = random.Random(0)  # noqa: S311 - a benchmark
    with labels.open("w") as out:
        out.write("item,rating\n")
        for n in range(rows):
            label = chance.randint(1, 5)
            value = min(5, max(1, label + chance.choice((-1, 0, 0, 0, 1, 1))))
            out.write(f"item-{n},{label}\n")
            item = Item(f"item-{n}", {"answer": ANSWER}, {"topic": n // 10})
            yield Entry(n, item, _verdict(item.id, None if n % 100 == 99 else value))


def _verdict(item: str, value: int | None) -> Verdict:
    scored = value is not None
    outcome = Outcome.SCORED if scored else Outcome.UNREADABLE
    unit = None if value is None else (value - 1) / 4
    score = Score(outcome=outcome, value=value, raw=value, unit=unit, explanation=WHY)
    reply = json.dumps({"explanation": WHY, "rating": value})
    return Verdict(
        item=item,
        judge="bench",
        fingerprint="f" * 16,
        model=MODEL,
        outcome=outcome,
        scores={"rating": score},
        attempts=1,
        calls=(Call(exchanges=(Exchange(reply=reply),)),),
    )


def make_store(folder: Path, rows: int) -> None:
    store = open_store(folder / "runs.db")
    manifest = Manifest(
        data="answers.csv", data_hash="0", judges={"bench": "f" * 16}, models=(MODEL,)
    )
    source = {"text": JUDGE, "ask": "together", "explain_in": "any"}
    record = RunRecord(id=manifest.id, manifest=manifest, sources={"bench": source}, rows=rows)
    store.runs.start(record)
    page: list[Entry] = []
    for entry in entries(rows, folder / "labels.csv"):
        page.append(entry)
        if len(page) == 5000:
            store.verdicts.put(record.id, page)
            page.clear()
    store.verdicts.put(record.id, page)
    store.runs.end(record.id, "finished")
    store.close()


def measure(folder: Path, *more: str) -> tuple[float, float, float]:
    """Seconds by the clock, seconds of the processor, and peak MB of the command."""
    command = [ADJUDGE, "calibrate", "latest", "--store", "runs.db", "--labels", "labels.csv"]
    began = time.perf_counter()
    with (folder / "out.json").open("wb") as out:
        process = subprocess.Popen([*command, "--json", *more], cwd=folder, stdout=out)
        _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"calibrate ended with {process.returncode}")
    busy = used.ru_utime + used.ru_stime
    return time.perf_counter() - began, busy, used.ru_maxrss / 1024


def main() -> int:
    flags = argparse.ArgumentParser(description=__doc__)
    flags.add_argument("--rows", type=int, default=1_000_000)
    rows: int = flags.parse_args().rows
    worst = 0.0, 0.0
    with scratch("calibrate") as folder:
        make_store(folder, rows)
        size = (folder / "runs.db").stat().st_size / 2**30
        print(f"{rows:,} verdicts, {size:.1f} GB of store, a label each")
        for more in ([], ["--group", "topic"]):
            seconds, busy, peak = measure(folder, *more)
            told = " ".join(more) or "without groups"
            print(f"{told:15}  {seconds:5.1f} s  ({busy:.1f} s of CPU)  peak {peak:5.0f} MB")
            worst = max(worst[0], seconds), max(worst[1], peak)
    return int(worst[0] > BAR_SECONDS or worst[1] > BAR_MB)


if __name__ == "__main__":
    sys.exit(main())
