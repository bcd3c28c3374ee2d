"""How long adjudge takes to start: medians over fresh processes, beside a bare interpreter.

The bars are 150 ms for `import adjudge` and 300 ms for `adjudge --help`, the interpreter included.
Exits with 1 above them.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import time
from pathlib import Path

ROUNDS = 15
ADJUDGE = str(Path(sys.executable).with_name("adjudge"))
COMMANDS = {
    "python -c pass": ([sys.executable, "-c", "pass"], None),
    "import adjudge": ([sys.executable, "-c", "import adjudge"], 150.0),
    "adjudge --help": ([ADJUDGE, "--help"], 300.0),
}


def milliseconds(command: list[str]) -> float:
    began = time.perf_counter()
    subprocess.run(command, check=True, capture_output=True)
    return (time.perf_counter() - began) * 1000


def main() -> int:
    # Round by round, so that a busy spell of the machine meets all three alike.
    taken: dict[str, list[float]] = {name: [] for name in COMMANDS}
    for _ in range(ROUNDS):
        for name, (command, _) in COMMANDS.items():
            taken[name].append(milliseconds(command))
    bare = statistics.median(taken["python -c pass"])
    failed = False
    for name, (_, bar) in COMMANDS.items():
        median = statistics.median(taken[name])
        limit = f"  bar {bar:.0f} ms" if bar else ""
        failed |= bar is not None and median > bar
        print(f"{name:16} {median:6.0f} ms  {median / bare:4.1f} × bare python{limit}")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
