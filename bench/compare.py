"""adjudge, bare aiohttp and the peers on the same stub, in one run, as ratios.

    python bench/compare.py                        all peers; installs what is missing (venvs.py)
    python bench/compare.py --peers autoevals      some; --peers none for bare aiohttp alone
    python bench/compare.py --memory               the peers' memory at 20,000 rows too
    python bench/compare.py --quick                a tenth of the rows: does it work at all?

Prints a Markdown table and the bars, writes them to build/bench/table.md and every single run to
build/bench/results.json, exits with 1 if a bar is missed. README.md says how each figure is taken.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import signal
import subprocess
import sys
import threading
import time
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any

import load
import table
from harness import Stub, scratch
from table import BUILT_IN_JUDGE, FAST, FLOOR, LOW_HIGH, MEMORY, OURS, SLOW, Measured
from venvs import BUILD, InstallError, Peer, install, peers

CONCURRENCY = 64
LATENCY_MS = 50.0
ROUNDS = 3
LIMIT_S = 1_800.0
WARM_UP = 20
PACKAGES = (f"adjudge=={version('adjudge')}",)
ADJUDGE = Peer(OURS, "adjudge", PACKAGES)
# The name is the form of its replies: five texts beside the rating, each checked for its language.
BUILT_IN = Peer(BUILT_IN_JUDGE, "adjudge, built-in `helpfulness`", PACKAGES, driven_by=OURS)


class RunError(Exception):
    """A driver ended without a result."""


@dataclass
class Bench:
    """Runs drivers against one stub and keeps everything that was measured."""

    stub: Stub
    scale: float
    runs: list[Measured]
    failed: dict[str, str]

    def rows(self, peer: Peer, rows: int) -> int:
        return max(WARM_UP, round(rows * peer.share * self.scale))

    def run(self, peer: Peer, purpose: str, rows: int, latency_ms: float = 0.0) -> None:
        """One process of the driver; a failure is noted, and the peer is left out from then on."""
        if peer.name in self.failed:
            return
        self.stub.setup(latency_ms=latency_ms)
        print(f"  {peer.title}: {rows:,} rows at {latency_ms:.0f} ms", file=sys.stderr, flush=True)
        try:
            told = self._drive(peer, rows, guard=purpose == "warm-up")
            stats = self.stub.stats()
            self._accept(told, stats, rows)
        except RunError as problem:
            self.failed[peer.name] = str(problem)
            print(f"  {peer.title} is left out: {problem}", file=sys.stderr, flush=True)
            return
        began, ended = told["began"], told["ended"]
        measured = Measured(
            client=peer.name,
            purpose=purpose,
            rows=rows,
            latency_ms=latency_ms,
            ideal_s=rows * latency_ms / 1000 / CONCURRENCY,
            wall_s=ended - stats["first"],
            whole_s=ended - began,
            first_s=stats["first"] - began,
            cpu_s=told["cpu_s"],
            peak_mb=told["peak_mb"],
            import_s=told["import_s"],
            requests=stats["requests"],
            stub_cpu_s=stats["cpu_s"],
        )
        if purpose != "warm-up":
            self.runs.append(measured)

    @staticmethod
    def _accept(told: dict[str, Any], stats: dict[str, Any], rows: int) -> None:
        """Raises unless the run did the whole work, and that with the stub alone."""
        if told["strangers"]:
            raise RunError(f"it talks to {', '.join(told['strangers'])}")
        if stats["requests"] < rows:
            raise RunError(f"only {stats['requests']} requests for {rows} rows: a cache?")
        if told["scored"] < rows:
            raise RunError(f"only {told['scored']} of {rows} rows have their score")

    def check(self) -> None:
        if broken := {FLOOR, OURS} & set(self.failed):
            raise SystemExit(f"nothing to compare without {' and '.join(sorted(broken))}")

    def _drive(self, peer: Peer, rows: int, *, guard: bool) -> dict[str, Any]:
        """What the driver printed, and when it was started and ended, unless it says so itself."""
        python = sys.executable if peer.driven_by or peer.name == OURS else str(peer.python)
        base = self.stub.base(peer.name)
        command = [python, str(peer.driver), base, str(rows), str(CONCURRENCY)]
        env = {**os.environ, **({"BENCH_GUARD": "1"} if guard else {})}
        with scratch(peer.name) as folder, (folder / "log").open("w+") as log:
            began = time.monotonic()
            process = subprocess.Popen(
                command, cwd=folder, env=env, stdout=log, stderr=log, start_new_session=True
            )
            # Not wait(timeout), which looks every 50 ms only and would blur the end.
            late = threading.Timer(LIMIT_S, os.killpg, (process.pid, signal.SIGKILL))
            late.start()
            try:
                process.wait()
                ended = time.monotonic()
            finally:
                late.cancel()
                if process.poll() is None:  # interrupted
                    os.killpg(process.pid, signal.SIGKILL)
            log.seek(0)
            last = (log.read().strip().splitlines() or [""])[-1]
        if process.returncode or not last.startswith("{"):
            raise RunError(f"exit {process.returncode} after {ended - began:.0f} s: {last[:200]}")
        return {"began": began, "ended": ended, **json.loads(last)}


def speed(bench: Bench, peer: Peer) -> None:
    """A small and a large run without latency, then one with it."""
    for rows in LOW_HIGH:
        bench.run(peer, FAST, bench.rows(peer, rows))
    bench.run(peer, SLOW, bench.rows(peer, 5_000), LATENCY_MS)


def memory(bench: Bench, peer: Peer, sizes: tuple[int, ...]) -> None:
    for rows in sizes:
        bench.run(peer, MEMORY, bench.rows(peer, rows))


def measure(bench: Bench, floor: Peer, others: list[Peer], *, peer_memory: bool) -> None:
    for peer in (floor, ADJUDGE, BUILT_IN, *others):
        bench.run(peer, "warm-up", WARM_UP)
    bench.check()
    for _ in range(ROUNDS):
        speed(bench, floor)
        speed(bench, ADJUDGE)
        speed(bench, BUILT_IN)
    # Bare aiohttp again between the peers: how much it varies is how much the machine does.
    for peer in others:
        speed(bench, peer)
        speed(bench, floor)
    memory(bench, floor, (2_000, 20_000))
    memory(bench, ADJUDGE, (2_000, 20_000, 100_000))
    for peer in others if peer_memory else ():
        memory(bench, peer, (2_000, 20_000))


def prepared(names: list[str]) -> tuple[Peer, list[Peer], dict[str, str]]:
    """Bare aiohttp, the peers that are ready, and why the others are not."""
    known = peers()
    if unknown := set(names) - set(known):
        raise SystemExit(f"unknown: {', '.join(sorted(unknown))}; known: {', '.join(known)}")
    failed, ready = {}, []
    for name in [FLOOR, *(name for name in names if name != FLOOR)]:
        try:
            install(known[name])
            ready.append(known[name])
        except InstallError as problem:
            failed[name] = f"not installed: {problem}"
            print(f"{name} is left out: {failed[name]}", file=sys.stderr)
    if FLOOR in failed:
        raise SystemExit("nothing can be compared without bare aiohttp")
    return ready[0], ready[1:], failed


def called() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="adjudge beside bare aiohttp and the peers")
    parser.add_argument("--peers", default="all", help="names with commas, all, or none")
    parser.add_argument("--memory", action="store_true", help="the peers' memory at 20,000 rows")
    parser.add_argument("--quick", action="store_true", help="a tenth of the rows, to try it out")
    return parser.parse_args()


def main() -> int:
    given = called()
    every = [name for name in peers() if name != FLOOR]
    names = {"all": every, "none": []}.get(given.peers, given.peers.split(","))
    floor, others, failed = prepared(names)
    machine = (
        f"{os.cpu_count()} cores, Python {platform.python_version()}, {platform.system()}, "
        f"load {os.getloadavg()[0]:.1f} before the run"
    )
    with Stub() as stub:
        through, most = load.measure(stub)
        bench = Bench(stub, 0.1 if given.quick else 1.0, [], failed)
        measure(bench, floor, others, peer_memory=given.memory)
        bench.check()
    clients = [
        floor,
        ADJUDGE,
        BUILT_IN,
        *(peer for peer in others if peer.name not in bench.failed),
    ]
    lines = [table.line(peer, bench.runs) for peer in clients]
    bars = table.bars(lines)
    page = (
        f"{table.markdown(lines, bars, bench.failed)}\n\n{machine}. The stub alone served "
        f"{through:,.0f} requests/s and its CPU allows {most:,.0f}/s; in the large runs it was "
        f"busy for at most {table.busiest(bench.runs):.0%} of a core.\n"
    )
    print(f"\n{page}")
    mark = "-quick" if given.quick else ""
    (BUILD / f"table{mark}.md").write_text(page)
    results = {
        "machine": machine,
        "quick": given.quick,
        "stub": {"requests_per_s": through, "cpu_allows_per_s": most},
        "lines": [vars(line) for line in lines],
        "bars": [vars(bar) for bar in bars],
        "failed": bench.failed,
        "runs": [vars(run) for run in bench.runs],
    }
    (BUILD / f"results{mark}.json").write_text(json.dumps(results, indent=1))
    return int(any(not bar.held for bar in bars))


if __name__ == "__main__":
    sys.exit(main())
