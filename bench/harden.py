"""`make harden`: every figure about hostile input and the supply chain, in one go.

Prints what each part says, then a line per part; exits with 1 if one of them does. `--seconds` is
the time that each fuzzed target gets, `--every` takes one case in so many of the attack bench.
"""

from __future__ import annotations

import argparse
import importlib.util
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TARGETS = (
    "reader", "quotation", "judge_file", "importer", "template", "data_format", "provider",
)  # fmt: skip
_EXECUTED = re.compile(r"stat::number_of_executed_units: (\d+)")


@dataclass(frozen=True, slots=True)
class Part:
    """What was run, the line that sums it up, and whether it held."""

    name: str
    figure: str
    held: bool
    seconds: float


def run(name: str, command: list[str], figure: str = "") -> Part:
    """Runs a part and shows what it says; its figure is the last line that `figure` is found in."""
    print(f"== {name}", flush=True)
    began, last = time.monotonic(), ""
    with subprocess.Popen(
        [sys.executable, *command], cwd=ROOT, stdout=subprocess.PIPE, text=True
    ) as process:
        for line in process.stdout or ():
            print(line, end="", flush=True)
            if re.search(figure, line) and line.strip():
                last = line.strip()
    return Part(name, " ".join(last.split()), not process.returncode, time.monotonic() - began)


def fuzzed(target: str, seconds: int) -> Part:
    """One target by coverage; its figure is the count of executions."""
    name = f"fuzzing: {target}"
    if importlib.util.find_spec("atheris") is None:
        return Part(name, "left out: atheris is not installed on this platform", True, 0)
    print(f"== {name}", flush=True)
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "tests/fuzz/fuzz.py", target, str(seconds), folder]
        ended = subprocess.run(
            command, cwd=ROOT, capture_output=True, text=True, errors="replace", check=False
        )
    found = _EXECUTED.search(ended.stderr)
    if ended.returncode:
        print(ended.stderr[-3000:])
    count = int(found[1]) if found else 0
    return Part(name, f"{count:,} executions", not ended.returncode, time.monotonic() - began)


def parts(seconds: int, every: int) -> Iterator[Part]:
    attacks = ["-m", "bench.attacks"]
    yield run("attack bench", [*attacks, "structural", "--every", str(every)], r"^all ")
    yield run("tricky replies", [*attacks, "tricky"], "tricky replies:")
    yield run("written replies: quoting", [*attacks, "replies"], "^quoting:")
    yield run("written replies: tricky", [*attacks, "replies"], "^tricky:")
    yield run("a megabyte of reply", ["bench/reading.py"], " ms ")
    hypothesis = ["-m", "pytest", "-q", "tests/fuzz", "-k", "not coverage"]
    yield run("fuzzing: hypothesis, and a megabyte of all else", hypothesis, "passed|failed")
    for target in TARGETS:
        yield fuzzed(target, seconds)
    yield run("licences", ["-m", "supply.licences"], "packages")
    yield run("bill of materials", ["-m", "supply.sbom"], "packages")
    yield run("wheel", ["-m", "supply.wheel"], "wheel")
    yield run("audit", ["-m", "supply.audit"], "audit")


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--seconds", type=int, default=60, metavar="N")
    parser.add_argument("--every", type=int, default=1, metavar="N")
    asked = parser.parse_args()
    done = list(parts(asked.seconds, asked.every))
    print("\nHardening")
    for part in done:
        held = "held  " if part.held else "BROKEN"
        print(f"{held} {part.seconds:5.0f} s  {part.name:48} {part.figure}")
    print("columns of the attack bench: readings, right, unread, wrong")
    print("Not part of this: the faulty hour (make soak), a model (python -m bench.attacks model)")
    return int(not all(part.held for part in done))


if __name__ == "__main__":
    sys.exit(main())
