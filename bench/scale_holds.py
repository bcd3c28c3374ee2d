"""What must hold: rates, pages, shards, a database that is away, limits that workers share."""

from __future__ import annotations

import os
import subprocess
import threading
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from typing import Any

import big_run
from harness import ADJUDGE, Stub
from resources import Resources
from scale_place import SMALL, Bars, Place, command, run, size_of, start, write_rows
from tests.doubles.proxy import wire_to  # as scale_place.py has it

from adjudge.stores import open_store

SHARDS, SHARD_ROWS, LATENCY_MS = 4, 12_000, 200.0
AWAY = 60.0  # seconds
PER_SECOND, RATIO, RUN_MS, ITEM_MS = 3_000.0, 3.5, 500.0, 200.0


def ingest(place: Place, rows: int, bars: Bars) -> dict[str, str]:
    """The stores, for the pages. CPU is what counts on a machine that others use too: one waits for
    the other, so that the sum of both is the least time that a verdict takes."""
    print(f"\n{rows:,} verdicts put, 1,000 per commit, load {os.getloadavg()[0]:.1f}\n")
    print("| store | verdicts/s | × SQLite | CPU µs | server µs | bytes |")
    print("| --- | --- | --- | --- | --- | --- |")
    urls, rates = {}, {}
    for kind in ("sqlite", "postgresql"):
        urls[kind] = place.new(kind)
        began, cpu = time.perf_counter(), time.process_time()
        with Resources({"server": place.server.pid}, {}) as used:
            big_run.make(urls[kind], rows)
        rates[kind] = rows / (time.perf_counter() - began)
        each = (1e6 * (time.process_time() - cpu) / rows, 1e6 * used.cpu("server") / rows)
        figures = f"{each[0]:.0f} | {each[1] if kind == 'postgresql' else 0:.0f}"
        size = size_of(urls[kind], vacuum=False) / rows
        ratio = f"{rates[kind]:,.0f} | {rates[kind] / rates['sqlite']:.2f}"
        print(f"| {kind} | {ratio} | {figures} | {size:,.0f} |", flush=True)
    rate = rates["postgresql"]
    bars.held(
        f"PostgreSQL, verdicts/s ≥ {PER_SECOND:,.0f}", f"{rate:,.0f}", is_held=rate >= PER_SECOND
    )
    return urls


def pages(urls: dict[str, str], rows: int, bars: Bars) -> None:
    """Over HTTP, by an `adjudge serve` that has just begun, and again when it has read the run."""
    print(f"\nPages on a run of {rows:,} verdicts\n\n| page | ms | |\n| --- | --- | --- |")
    for kind, url in urls.items():
        with closing(open_store(url)) as store:
            run_page = f"/runs/{store.runs.find('latest').id}"
        item = f"{run_page}/item?id=item-"
        with serving(url) as address:
            opened(f"{address}/")
            first = [opened(address + run_page)[0], opened(f"{address}{item}{rows // 2}")[0]]
            until = time.monotonic() + 120
            while "being read" in opened(address + run_page)[1]:
                if time.monotonic() > until:
                    raise SystemExit("the run was not read to its end")
                time.sleep(0.2)
            later = [opened(address + run_page)[0], opened(f"{address}{item}{rows // 3}")[0]]
        for name, bar, times in (("run", RUN_MS, 0), ("item", ITEM_MS, 1)):
            for when, milliseconds in (("first", first[times]), ("later", later[times])):
                bars.held(
                    f"{name} page, {kind}, {when} ≤ {bar:.0f}",
                    f"{milliseconds:.0f}",
                    is_held=milliseconds <= bar,
                )


@contextmanager
def serving(url: str) -> Iterator[str]:
    service = subprocess.Popen(
        [ADJUDGE, "serve", "--port", "0", "--store", url],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert service.stdout is not None  # noqa: S101 - it was asked for
    try:
        yield service.stdout.readline().strip()
    finally:
        service.terminate()
        service.wait(30)


def opened(address: str) -> tuple[float, str]:
    """Milliseconds, and the page."""
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    began = time.perf_counter()
    with opener.open(address, timeout=120) as answer:
        body = answer.read().decode()
    return 1e3 * (time.perf_counter() - began), body


def shards(place: Place, stub: Stub, bars: Bars) -> None:
    """Every process has the same number of rows, so that its start is the same share of its work.
    Two rates: from the first answer to the last, and with the starts and ends of the processes."""
    each = f"{SHARD_ROWS:,} rows and -j 16 per process"
    load = f"load {os.getloadavg()[0]:.1f}"
    print(f"\n{each}, {LATENCY_MS:.0f} ms, on PostgreSQL, {load}\n")
    print("| what | figure | |\n| --- | --- | --- |")
    rates, whole = [], []
    for parts in (1, SHARDS):
        rows = parts * SHARD_ROWS
        write_rows(place.folder, rows)
        stub.setup(latency_ms=LATENCY_MS)
        url = place.new("postgresql")
        commands = [
            command(stub, url, "-j", "16", "--shard", f"{n}/{parts}") for n in range(1, parts + 1)
        ]
        with answers(stub) as times:
            whole.append(rows / run(place.folder, commands))
        asked = stub.stats()["requests"]
        rates.append(rows / (times[-1] - times[0]))
        figure = f"{rates[-1]:,.0f}; {whole[-1]:,.0f} with starts and ends"
        bars.held(f"{parts} × `--shard`, rows/s", figure, is_held=True)
        bars.held(f"requests of {parts}", f"{asked:,} of {rows:,}", is_held=asked == rows)
    for name, figures in (("answers", rates), ("everything", whole)):
        ratio = figures[1] / figures[0]
        what = f"{SHARDS} shards, × one ≥ {RATIO}, {name}"
        bars.held(what, f"{ratio:.2f}", is_held=ratio >= RATIO)


def outages(place: Place, stub: Stub, bars: Bars) -> None:
    print(f"\nA run on PostgreSQL whose store is away for {AWAY:.0f} s\n")
    print("| what | figure | |\n| --- | --- | --- |")
    write_rows(place.folder, SMALL)
    for what in ("server stopped and started", "connection cut"):
        stub.setup(latency_ms=50.0)
        with wire_to(place.server.port) as wire:
            url = place.new("postgresql")
            by_wire = url.replace(f":{place.server.port}/", f":{wire.port}/")

            def cut(wire: Any = wire) -> None:
                wire.is_down = True
                wire.cut()

            def mend(wire: Any = wire) -> None:
                wire.is_down = False

            stopped = what.startswith("server")
            process = subprocess.Popen(
                [part for part in command(stub, by_wire, "-j", "16") if part != "--quiet"]
                + ["--no-progress"],
                cwd=place.folder,
                env=os.environ | {"OPENAI_API_KEY": "none"},
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                text=True,
            )
            seconds, said = is_waited_for(
                process,
                lambda: int(stub.stats()["answers"]),
                place.server.stop if stopped else cut,
                place.server.start if stopped else mend,
                SMALL,
            )
        is_said = "cannot be reached" in said and "there again" in said
        bars.held(f"{what}: waited, said so, ended {seconds:.0f} s after", "0", is_held=is_said)
        with closing(open_store(url)) as store:
            kept = store.runs.progress(store.runs.find("latest").id).verdicts
        asked = stub.stats()["requests"]
        bars.held(
            f"{what}: verdicts, requests", f"{kept:,}, {asked:,}", is_held=kept == SMALL == asked
        )


def is_waited_for(
    process: subprocess.Popen[str],
    answers: Callable[[], int],
    leave: Callable[[], None],
    come_back: Callable[[], None],
    rows: int,
) -> tuple[float, str]:
    """Takes the store away once a fifth of the rows is answered, for a minute; how long the run
    went on after that, in seconds, and what it said."""
    while answers() < rows // 5:
        if process.poll() is not None:
            raise SystemExit("the run ended before its store was taken away")
        time.sleep(0.05)
    leave()
    time.sleep(AWAY)
    if process.poll() is not None:
        raise SystemExit("the run did not wait")
    come_back()
    back = time.perf_counter()
    _, said = process.communicate(timeout=600)
    if process.returncode:
        raise SystemExit(f"the run failed: {said}")
    return time.perf_counter() - back, said


def limits(place: Place, stub: Stub, bars: Bars) -> None:
    """Of four workers of a cluster together."""
    print("\nFour workers on Ray\n\n| what | figure | |\n| --- | --- | --- |")
    on_ray = ("--engine", "ray", "--workers", "4", "-j", "8")
    rpm, rows = 1200, 1400
    write_rows(place.folder, rows)
    stub.setup(latency_ms=20.0)
    run(place.folder, [command(stub, place.new("postgresql"), *on_ray, "--rpm", str(rpm))])
    told = stub.stats()
    # A sixth of a minute's requests may go out at once, since nothing was asked before.
    seen = 60 * (told["requests"] - rpm / 6) / (told["last"] - told["first"])
    off = seen / rpm - 1
    bars.held(f"--rpm {rpm:,}: per minute", f"{seen:,.0f} ({off:+.1%})", is_held=abs(off) <= 0.05)
    budget = 1_000_000
    for kind in ("postgresql", "parquet"):
        stub.setup(latency_ms=20.0)
        url = place.new(kind) if kind == "postgresql" else f"parquet:{place.folder / 'budget'}"
        some = command(stub, url, *on_ray, "--budget", f"{budget}tok", "--max-tokens", "200")
        code = start(place.folder, some).wait()
        tokens = 1380 * stub.stats()["billed"]
        what = f"--budget {budget:,} tokens, {kind}: spent"
        bars.held(what, f"{tokens:,}, exit code {code}", is_held=tokens <= budget and code == 3)


@contextmanager
def answers(stub: Stub) -> Iterator[list[float]]:
    """The times at which new answers were seen: how long processes take to start does not count."""
    times: list[float] = []
    over = threading.Event()

    def watch() -> None:
        seen = 0
        while not over.wait(0.02):
            if (now := stub.stats()["answers"]) > seen:
                seen = now
                times.append(time.perf_counter())

    watching = threading.Thread(target=watch)
    watching.start()
    try:
        yield times
    finally:
        over.set()
        watching.join()
