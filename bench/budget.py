"""What a budget costs: the same run without one and with one, in turns, against a stub.

A budget is reserved in the store before requests are sent, many in one commit. Printed are the
medians of CPU and of time for one judgment, start-up included, and the ratios of neighbouring runs.
Exits with 1 where the ratio of CPU is above the bar.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from dataclasses import asdict
from pathlib import Path
from statistics import median

from drivers.common import rows
from harness import Stub, judging, scratch

CONCURRENCY = 64
BAR = 1.15
BUDGET = ("--budget", "1000Mtok")


def run(stub: Stub, folder: Path, count: int, *more: str) -> tuple[float, float]:
    """CPU and time in ms for one judgment, in an empty store."""
    for left in folder.glob("runs.db*"):
        left.unlink()
    command = judging(stub.base("adjudge"), CONCURRENCY, *more)
    began = time.perf_counter()
    process = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    took = time.perf_counter() - began
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"the run ended with {process.returncode}")
    return 1000 * (used.ru_utime + used.ru_stime) / count, 1000 * took / count


def measure(count: int, rounds: int, latency: float) -> bool:
    """Whether the bar was held."""
    plain, bounded = [], []
    with Stub() as stub, scratch("budget") as folder:
        stub.setup(latency_ms=latency)
        with (folder / "data.jsonl").open("w") as data:
            data.writelines(json.dumps(asdict(row)) + "\n" for row in rows(count))
        run(stub, folder, count)  # what is read from the disk first
        for _ in range(rounds):
            plain.append(run(stub, folder, count))
            bounded.append(run(stub, folder, count, *BUDGET))
    for name, found in (("without", plain), ("with a budget", bounded)):
        cpu, took = (median(each[at] for each in found) for at in (0, 1))
        sys.stdout.write(f"{name}: {cpu:.3f} ms CPU and {took:.3f} ms per judgment\n")
    ratios = [median(b[at] / a[at] for a, b in zip(plain, bounded, strict=True)) for at in (0, 1)]
    sys.stdout.write(f"with / without: CPU × {ratios[0]:.3f}, time × {ratios[1]:.3f}\n")
    return ratios[0] <= BAR


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--latency", type=float, default=0.0, help="of the stub, in ms")
    given = parser.parse_args()
    sys.exit(0 if measure(given.rows, given.rounds, given.latency) else 1)
