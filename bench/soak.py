"""Hours of work against a server that misbehaves: what is kept, what leaks, what is counted wrong.

    python bench/soak.py [--seconds 3600]

One `adjudge run` with 64 requests in flight for the whole time, and beside it one `adjudge serve`
that judges, shows pages and carries out runs, each with a stub of its own that fails in every way
it knows. Printed is a table of figures and bounds; exits with 1 when one is broken.

    memory        median of the last tenth of the time at most 1.15 times that of the second tenth,
                  and no slope that comes to more than a tenth of that within the time measured
    descriptors   at most 8 more at the end than at the beginning
    counts        every row one verdict with its own score; every completion that the stub billed
                  is one stored reply, and the tokens of all verdicts are those that were billed
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from contextlib import ExitStack, closing
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO, Any

from drivers.common import row, rows
from harness import ADJUDGE, Stub, judging, scratch, stop, verdicts, wait_for
from soak_service import Visitors
from watching import EARLY, LATE, Watched

CONCURRENCY = 64
LATENCY_MS = 250.0
TIMEOUT_S = 10  # after which a request that hangs is given up and asked again
# Fewer rate limits than in faults.py: two in a row halve the requests in flight, as they should.
FAULTS = {"rate_limited": 0.01, "broken": 0.05, "malformed": 0.05, "reset": 0.02, "hang": 0.01}
TOKENS = 1380  # of every completion, as replies.py has it
TRIAL_ROWS, TRIAL_S = 10_000, 20.0  # a beginning, whose speed tells how many rows fill the time
MORE = 1.05  # times as many: rather longer than asked for
RATIO, GROWTH, DESCRIPTORS, SCORED = 1.15, 0.10, 8, 0.995


@dataclass(frozen=True)
class Figure:
    """One line of the table; `held` is None where nothing is bounded."""

    what: str
    found: str
    bound: str = ""
    held: bool | None = None


def write_rows(folder: Path, count: int) -> None:
    with (folder / "data.jsonl").open("w") as data:
        data.writelines(json.dumps(asdict(each)) + "\n" for each in rows(count))


def started(stub: Stub, folder: Path, log: IO[str]) -> subprocess.Popen[str]:
    command = judging(stub.base("helpfulness"), CONCURRENCY, "--timeout", str(TIMEOUT_S))
    return subprocess.Popen(command, cwd=folder, stdout=log, stderr=log, text=True)


def speed(stub: Stub) -> float:
    """Rows per second, once the run has begun and before it runs out of rows."""
    with scratch("soak-trial") as folder, (folder / "log").open("w") as log:
        stub.setup(latency_ms=LATENCY_MS, **FAULTS)
        write_rows(folder, TRIAL_ROWS)
        process = started(stub, folder, log)
        try:
            wait_for(stub, CONCURRENCY, process, 60)
            before = stub.stats()["answers"]
            time.sleep(TRIAL_S)
            return float(stub.stats()["answers"] - before) / TRIAL_S
        finally:
            stop(process)


def serving(stub: Stub, folder: Path, log: IO[str]) -> subprocess.Popen[str]:
    command = [ADJUDGE, "serve", "--port", "0", "-m", "openai/stub", "--store", "service.db"]
    command += ["--base-url", stub.base("helpfulness"), "-j", "8", "--timeout", str(TIMEOUT_S)]
    return subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=log, text=True)


def steady(name: str, seen: Watched) -> list[Figure]:
    """The figures about one process."""
    early, late = seen.memory(EARLY), seen.memory(LATE)
    before, after = seen.descriptors(EARLY), seen.descriptors(LATE)
    return [
        Figure(
            f"{name}: memory late / early",
            f"{late:.1f} / {early:.1f} MB = {late / early:.3f}",
            f"≤ {RATIO}",
            late / early <= RATIO,
        ),
        Figure(
            f"{name}: slope of memory",
            f"{seen.slope:+.1f} MB per hour, {seen.grown_mb:+.1f} MB in the time",
            f"≤ {GROWTH * early:.1f} MB",
            seen.grown_mb <= GROWTH * early,
        ),
        Figure(f"{name}: peak memory", f"{seen.peak_mb:.1f} MB"),
        Figure(
            f"{name}: descriptors late / early",
            f"{after:.0f} / {before:.0f}",
            f"≤ {before + DESCRIPTORS:.0f}",
            after <= before + DESCRIPTORS,
        ),
    ]


def counted(folder: Path, count: int, stats: dict[str, Any]) -> list[Figure]:
    """The figures about what the run has kept."""
    items: Counter[int] = Counter()
    outcomes: Counter[str] = Counter()
    wrong = tokens = 0
    for one in verdicts(folder):
        number = int(one["item"])
        items[number] += 1
        outcomes[one["outcome"]] += 1
        tokens += one["usage"]["input_tokens"] + one["usage"]["output_tokens"]
        value = one["scores"]["rating"]["value"]
        wrong += value is not None and value != row(number).mark
    with closing(sqlite3.connect(folder / "runs.db")) as db:
        ((replies,),) = db.execute("SELECT count(*) FROM replies")
        ((left,),) = db.execute("SELECT (SELECT count(*) FROM claims) + count(*) FROM owners")
        ((sound,),) = db.execute("PRAGMA quick_check(1)")
    billed = stats["billed"]
    twice = sum(times > 1 for times in items.values())
    share = outcomes["scored"] / count
    return [
        exact("rows without a verdict", count - len(items), 0),
        exact("rows with two", twice, 0),
        exact("wrong scores", wrong, 0),
        Figure("scored", f"{share:.3%} of {count:,}", f"≥ {SCORED:.1%}", share >= SCORED),
        Figure("outcomes", ", ".join(f"{name} {n:,}" for name, n in outcomes.most_common())),
        exact("replies stored (billed by the stub)", replies, billed),
        exact("answered twice by the stub", stats["answered_again"], 0),
        exact("tokens of all verdicts (billed)", tokens, billed * TOKENS),
        exact("claims and owners left in the store", left, 0),
        Figure("the store is sound", sound, "ok", sound == "ok"),
        Figure("requests", f"{stats['requests']:,}; {faults_of(stats)}"),
        Figure("most in flight", str(stats["most_in_flight"]), f"{CONCURRENCY}",
               stats["most_in_flight"] == CONCURRENCY),
    ]  # fmt: skip


def exact(what: str, found: int, wanted: int) -> Figure:
    return Figure(what, f"{found:,}", f"= {wanted:,}", found == wanted)


def faults_of(stats: dict[str, Any]) -> str:
    return ", ".join(f"{name} {n:,}" for name, n in sorted(stats["outcomes"].items()))


def served(visitors: Visitors, code: int) -> list[Figure]:
    done = ", ".join(f"{what} {n:,}" for what, n in visitors.done.most_common())
    first = f" ({visitors.errors[0]})" if visitors.errors else ""
    return [
        Figure("service: done", done),
        Figure("service: errors", f"{len(visitors.errors)}{first}", "= 0", not visitors.errors),
        exact("service: exit code after SIGTERM", code, 0),
    ]


def measure(seconds: float) -> list[Figure]:
    with ExitStack() as around:
        stub, other = around.enter_context(Stub()), around.enter_context(Stub())
        folder = around.enter_context(scratch("soak"))
        log = around.enter_context((folder / "log").open("w"))
        count = max(CONCURRENCY, round(MORE * speed(stub) * seconds))
        print(f"{count:,} rows, about {seconds / 60:.0f} minutes", flush=True)
        write_rows(folder, count)
        for each in (stub, other):
            each.setup(latency_ms=LATENCY_MS, **FAULTS)
        service = serving(other, folder, log)
        began = time.monotonic()
        try:
            assert service.stdout is not None  # noqa: S101 - it was asked for
            url = service.stdout.readline().strip()
            run = started(stub, folder, log)
            with (
                Visitors(url) as visitors,
                Watched(service.pid, seconds) as service_seen,
                Watched(run.pid, seconds) as run_seen,
            ):
                code = run.wait()
            taken = time.monotonic() - began
        finally:
            service.send_signal(signal.SIGTERM)
            service_code = service.wait(60)
        if code:
            raise SystemExit(f"the run ended with {code}: {(folder / 'log').read_text()[-2000:]}")
        return [
            Figure("rows and time", f"{count:,} in {taken:,.0f} s, {count / taken:.0f} per second"),
            *counted(folder, count, stub.stats()),
            *steady("run", run_seen),
            *served(visitors, service_code),
            *steady("service", service_seen),
        ]


def main() -> int:
    parser = argparse.ArgumentParser(description="a long run and a service under constant faults")
    parser.add_argument("--seconds", type=float, default=3600.0)
    seconds = parser.parse_args().seconds
    figures = measure(seconds)
    print("| figure | found | bound | |\n| --- | --- | --- | --- |")
    for each in figures:
        word = {True: "held", False: "BROKEN", None: ""}[each.held]
        print(f"| {each.what} | {each.found} | {each.bound} | {word} |")
    print(f"{os.cpu_count()} cores, load average {os.getloadavg()[0]:.1f} at the end")
    return int(any(each.held is False for each in figures))


if __name__ == "__main__":
    sys.exit(main())
