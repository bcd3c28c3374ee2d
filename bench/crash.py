"""kill -9 five times in the middle of a run, the same command after each, and what was asked twice.

The stub counts. In flight is what the run had open when it was killed, which is at most its
concurrency; to ask that again is right. Beyond it, at most 0.5 % of the rows may be asked again for
a kill. No row may be lost, and none may be there twice. Exits with 1 otherwise.

Printed as well is what the stub had answered and was asked again: replies on the way, not read yet
or not yet in the store. The latency is long enough for the client to keep up with the answers.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path

from drivers.common import row, rows
from harness import Stub, judging, scratch, stop, verdicts, wait_for

CONCURRENCY = 64
LATENCY_MS = 200.0
KILLS = 5
BAR = 0.005
LIMIT_S = 600.0


def killed(stub: Stub, folder: Path, answers: int) -> tuple[int, int]:
    """Starts or goes on, kills after `answers` more; what was asked again, and not answered."""
    before = stub.stats()
    command = judging(stub.base("helpfulness"), CONCURRENCY)
    process = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL)
    wait_for(stub, before["answers"] + answers, process, LIMIT_S)
    stop(process)
    after = stub.stats()
    while after["in_flight"]:  # until the stub has seen the connections end
        after = stub.stats()
    return (
        after["asked_again"] - before["asked_again"],
        after["abandoned"] - before["abandoned"],
    )


def finished(stub: Stub, folder: Path) -> int:
    """Runs to the end; what was asked again."""
    before = stub.stats()["asked_again"]
    command = judging(stub.base("helpfulness"), CONCURRENCY)
    subprocess.run(command, cwd=folder, stdout=subprocess.DEVNULL, check=True, timeout=LIMIT_S)
    return int(stub.stats()["asked_again"] - before)


def measure(count: int) -> bool:
    """Whether the bar was held."""
    with Stub() as stub, scratch("crash") as folder:
        stub.setup(latency_ms=LATENCY_MS)
        with (folder / "data.jsonl").open("w") as data:
            data.writelines(json.dumps(asdict(row)) + "\n" for row in rows(count))
        unanswered, again = [], []
        for _ in range(KILLS):
            repeated, abandoned = killed(stub, folder, count // (KILLS + 1))
            unanswered.append(abandoned)
            again.append(repeated)
        again.append(finished(stub, folder))
        found = list(verdicts(folder))
        stats = stub.stats()
    held = True
    # What is asked again in a run is what the kill before it left.
    for kill, (left, asked) in enumerate(zip(unanswered, again[1:], strict=True), start=1):
        beyond = max(0, asked - CONCURRENCY)
        held &= beyond <= BAR * count
        print(
            f"kill {kill}: {asked:3} asked again, {beyond} beyond the {CONCURRENCY} in flight "
            f"({beyond / count:.2%} of the rows); {max(0, asked - left)} of them had been answered"
        )
    items = {int(one["item"]) for one in found}
    right = sum(one["scores"]["rating"]["value"] == row(int(one["item"])).mark for one in found)
    lost, double = count - len(items), len(found) - len(items)
    print(
        f"{count:,} rows: {lost} lost, {double} twice in the export, {right:,} with their score; "
        f"{stats['requests']:,} requests, {stats['answered_again']} paid twice"
    )
    return held and not lost and not double and right == count and not again[0]


def main() -> int:
    parser = argparse.ArgumentParser(description="kill -9 in the middle of a run, and again")
    parser.add_argument("--rows", type=int, default=5_000)
    return int(not measure(parser.parse_args().rows))


if __name__ == "__main__":
    sys.exit(main())
