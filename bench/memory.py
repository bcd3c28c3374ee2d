"""Peak memory of a run over replayed replies, at 2,000 and at 100,000 rows.

The bar is 150 MB at 100,000 rows. Exits with 1 above it.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

BAR_MB = 150.0
ADJUDGE = str(Path(sys.executable).with_name("adjudge"))
QUESTION = (
    "How do I change the delivery address of my order {n}? " + "It is already on its way. " * 8
)
ANSWER = "Open the order, choose Delivery, and enter the new address before {n} o'clock. " * 4


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


def write_files(folder: Path, rows: int) -> None:
    with (folder / "data.jsonl").open("w") as data, (folder / "replies.jsonl").open("w") as replies:
        for n in range(rows):
            row = {"id": n, "question": QUESTION.format(n=n), "answer": ANSWER.format(n=n)}
            data.write(json.dumps(row) + "\n")
            replies.write(json.dumps({"item": n, "replies": [reply(n)]}) + "\n")


def measure(rows: int) -> tuple[float, float]:
    """Peak MB of the process, and the seconds it took."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_files(folder, rows)
        began = time.perf_counter()
        command = [ADJUDGE, "run", "data.jsonl", "--judge", "helpfulness", "--quiet"]
        command += ["-m", "replay:replies.jsonl", "-o", "out.jsonl"]
        subprocess.run(command, check=True, cwd=folder)
        taken = time.perf_counter() - began
        with (folder / "out.jsonl").open() as out:
            if sum(1 for _ in out) != rows:
                raise SystemExit("rows were lost")
    # The largest of all children so far; the runs are made in rising order of size.
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024, taken


def main() -> int:
    peak = 0.0
    for rows in (2_000, 100_000):
        peak, taken = measure(rows)
        each = taken / rows * 1000
        print(f"{rows:7,} rows  peak {peak:5.0f} MB  {taken:6.1f} s  {each:.2f} ms a row")
    return int(peak > BAR_MB)


if __name__ == "__main__":
    sys.exit(main())
