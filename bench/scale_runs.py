"""Whole runs, with all that they use, and what `--keep` saves."""

from __future__ import annotations

import json
import os
import subprocess
import time
from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path
from statistics import median
from urllib.parse import urlsplit

from harness import ADJUDGE, Stub
from resources import Resources
from scale_place import SMALL, Bars, Place, command, run, size_of, start, write_rows
from venvs import BUILD

from adjudge.stores import open_store
from adjudge.stores.parquet_store import open_parquet

KINDS = ("sqlite", "postgresql", "ray-postgresql", "ray-parquet")
KEEP = ("all", "replies", "scores", "none")
NOTES = BUILD / "scale.json"
PRICE = "in=0.15,out=0.60"  # USD per million tokens, as small models cost
BYTES = 1_500.0
HEAD = (
    "| store | rows | rows/s | CPU ms per row | server ms | peak MB | MB early → late "
    "| store bytes | bytes to the model | to the database | among workers | USD per million "
    "| requests | load |\n|" + " --- |" * 14
)


def runs(place: Place, stub: Stub, rows: int, kinds: Sequence[str], bars: Bars) -> None:
    """Every figure of a whole run, kept for the model."""
    write_rows(place.folder, rows)
    for kind in kinds:
        stub.setup(latency_ms=0.0)
        files = place.folder / f"files-{rows}"
        on_ray = kind.startswith("ray")
        url = f"parquet:{files}" if kind == "ray-parquet" else place.new(kind.removeprefix("ray-"))
        more = ("--engine", "ray", "--workers", "2", "-j", "32") if on_ray else ("-j", "64")
        on_server = kind.endswith("postgresql")
        if on_server:
            place.settle()
        process = start(place.folder, command(stub, url, *more, "--price", PRICE))
        began, pids = time.perf_counter(), {"run": process.pid, "server": place.server.pid}
        ports = {"model": urlsplit(stub.address).port or 0, "database": place.server.port}
        before = place.written()
        with Resources(pids, ports) as used:
            code = process.wait()
            seconds = time.perf_counter() - began
            if on_server:
                place.settle()
        commits, log = (now - then for now, then in zip(place.written(), before, strict=True))
        if code:
            raise SystemExit(f"{kind}: a run failed")
        told, network = stub.stats(), used.network()
        bars.missed += told["requests"] != rows
        early, late = used.memory("run")
        figures = {
            "seconds": seconds,
            "cpu": used.cpu("run"),
            "server_cpu": used.cpu("server") if on_server else 0.0,
            "commits": commits,
            "log": log,
            "memory": used.peak("run"),
            "early": early,
            "late": late,
            "to_model": network.get("model", 0),
            "to_database": network.get("database", 0),
            "among_workers": network.get("other", 0),
            "usd": spent(url),
            "grown": size_of(url, vacuum=False) if kind != "ray-parquet" else 0,
            "bytes": bytes_of(files) if kind == "ray-parquet" else size_of(url),
            "requests": told["requests"],
            "load": os.getloadavg()[0],
        }
        note(kind, rows, figures)
        shown(kind, rows, figures)
        if kind != "ray-parquet":
            check = [ADJUDGE, "store", "check", "--store", url]
            bars.missed += subprocess.run(check, check=False, capture_output=True).returncode


def keep(place: Place, stub: Stub, bars: Bars) -> None:
    stub.setup(latency_ms=0.0)
    write_rows(place.folder, SMALL)
    print(f"\nBytes per verdict by --keep, {SMALL:,} rows\n")
    print("| store | " + " | ".join(KEEP) + " |\n| --- |" + " --- |" * len(KEEP))
    least = []
    for kind in ("sqlite", "postgresql"):
        sizes = []
        for chosen in KEEP:
            url = place.new(kind)
            run(place.folder, [command(stub, url, "-j", "64", "--keep", chosen, judge="chatbot")])
            sizes.append(size_of(url) / SMALL)
        least.append(sizes[KEEP.index("scores")])
        shown = (f"{size:,.0f} ({size / sizes[0]:.2f})" for size in sizes)
        print(f"| {kind} | {' | '.join(shown)} |", flush=True)
    bars.held(
        f"bytes with `scores` ≤ {BYTES:,.0f}", f"{max(least):,.0f}", is_held=max(least) <= BYTES
    )


def spent(url: str) -> float:
    opened = open_parquet(url) if url.startswith("parquet:") else open_store(url)
    with closing(opened) as store:
        return store.runs.all()[0].usd


def bytes_of(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def shown(kind: str, rows: int, figures: Mapping[str, float]) -> None:
    each = {name: value / rows for name, value in figures.items()}
    print(
        f"| {kind} | {rows:,} | {rows / figures['seconds']:,.0f} | {1e3 * each['cpu']:.2f} "
        f"| {1e3 * each['server_cpu']:.2f} | {figures['memory']:.0f} "
        f"| {figures['early']:.0f} → {figures['late']:.0f} | {each['bytes']:,.0f} "
        f"| {each['to_model']:,.0f} | {each['to_database']:,.0f} | {each['among_workers']:,.0f} "
        f"| {1e6 * each['usd']:.0f} | {figures['requests']:,} | {figures['load']:.1f} |",
        flush=True,
    )


def note(kind: str, rows: int, figures: Mapping[str, float]) -> None:
    """Long runs are made one by one; the model is made of what all of them noted."""
    noted = _noted()
    noted.setdefault(kind, {}).setdefault(str(rows), []).append(dict(figures))
    NOTES.parent.mkdir(parents=True, exist_ok=True)
    NOTES.write_text(json.dumps(noted, indent=1))


def notes() -> dict[str, dict[str, dict[str, float]]]:
    """Of runs that were repeated, the medians."""
    return {
        kind: {
            rows: {name: median(one[name] for one in repeated) for name in repeated[0]}
            for rows, repeated in runs.items()
        }
        for kind, runs in _noted().items()
    }


def _noted() -> dict[str, dict[str, list[dict[str, float]]]]:
    return json.loads(NOTES.read_text()) if NOTES.exists() else {}
