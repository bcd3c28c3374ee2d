"""A server that misbehaves: 10 % 429, 5 % 500, 5 % malformed, 2 % reset, 1 % never answered.

Every row has to end scored or with a named outcome, at least 99.5 % of them scored, each once and
with its own score. Exits with 1 otherwise.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from collections import Counter
from dataclasses import asdict

from drivers.common import row, rows
from harness import Stub, judging, scratch, verdicts

CONCURRENCY = 64
LATENCY_MS = 20.0
TIMEOUT_S = 5  # after which a request that hangs is given up and asked again
FAULTS = {"rate_limited": 0.10, "broken": 0.05, "malformed": 0.05, "reset": 0.02, "hang": 0.01}
BAR = 0.995
LIMIT_S = 1_200.0


def measure(count: int, seed: int) -> bool:
    """Whether the bar was held."""
    with Stub() as stub, scratch("faults") as folder:
        stub.setup(latency_ms=LATENCY_MS, seed=seed, **FAULTS)
        with (folder / "data.jsonl").open("w") as data:
            data.writelines(json.dumps(asdict(row)) + "\n" for row in rows(count))
        command = judging(stub.base("helpfulness"), CONCURRENCY, "--timeout", str(TIMEOUT_S))
        began = time.monotonic()
        done = subprocess.run(
            command, cwd=folder, stdout=subprocess.DEVNULL, check=False, timeout=LIMIT_S
        )
        taken = time.monotonic() - began
        if done.returncode not in (0, 3):
            print(f"the run ended with {done.returncode}")
            return False
        found, stats = list(verdicts(folder)), stub.stats()
    outcomes = Counter(str(one["outcome"]) for one in found)
    items = {int(one["item"]) for one in found}
    lost, double = count - len(items), len(found) - len(items)
    wrong = sum(
        one["outcome"] == "scored"
        and one["scores"]["rating"]["value"] != row(int(one["item"])).mark
        for one in found
    )
    unnamed = sum(not one["outcome"] for one in found)
    share = outcomes["scored"] / count
    print(f"{count:,} rows in {taken:.1f} s: {share:.2%} scored; outcomes {dict(outcomes)}")
    print(f"{lost} lost, {double} twice in the export, {wrong} with a wrong score")
    print(f"{stats['requests']:,} requests; the stub: {stats['outcomes']}")
    return share >= BAR and not (lost or double or wrong or unnamed)


def main() -> int:
    parser = argparse.ArgumentParser(description="a run against a server that misbehaves")
    parser.add_argument("--rows", type=int, default=2_000)
    parser.add_argument("--seed", type=int, default=0, help="other faults")
    given = parser.parse_args()
    return int(not measure(given.rows, given.seed))


if __name__ == "__main__":
    sys.exit(main())
