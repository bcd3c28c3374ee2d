"""What a verdict costs at scale, on SQLite, PostgreSQL and Ray; docs/scale.md is made of it.

    python bench/scale.py                          10,000 and 100,000 rows, about 15 minutes
    python bench/scale.py --only runs --rows 1000000 --stores sqlite    a large run, noted
    python bench/scale.py --only model             what larger ones need, from all notes

| part | what |
| --- | --- |
| keep | bytes per verdict by `--keep`; the judge is `chatbot`, five criteria with a comment each |
| runs | whole runs of `helpfulness`: CPU, memory, store, network, money and time; noted in build/ |
| model | of the notes: what 10^6 rows should need, beside what they did, then 10^7 and 10^9 |
| ingest | verdicts of 4 KB put, 1,000 per commit |
| pages | the run page and an item's on them, by `adjudge serve` |
| shards | four processes against one, the stub at 200 ms |
| outages | a server stopped, and a connection cut, for a minute |

The server is that of Debian's package (tests/postgres.py), started for this, with a durable disk. A
run asks the stub at once. `ray` is a cluster of this machine with two workers, its start included.
Replies are alike, which Parquet packs better than real ones. Sizes are those after `adjudge store
vacuum`. Exits with 1 where a bar is missed.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any
from urllib.parse import urlsplit

import big_run
from harness import ADJUDGE, Stub, scratch
from outages import AWAY, is_waited_for
from resources import Resources
from scale_model import show
from venvs import BENCH, BUILD

from adjudge.stores import open_store
from adjudge.stores.parquet_store import open_parquet

# Ours, and not what another package may have installed under that name.
sys.modules["tests"] = ModuleType("tests")
sys.modules["tests"].__path__ = [str(BENCH.parent / "tests")]
from tests.doubles.proxy import wire_to  # noqa: E402 - beside bench/
from tests.postgres import PostgresServer, binaries  # noqa: E402

PARTS = ("keep", "runs", "model", "ingest", "pages", "shards", "outages")
KINDS = ("sqlite", "postgresql", "ray-postgresql", "ray-parquet")
NOTES = BUILD / "scale.json"
PRICE = "in=0.15,out=0.60"  # USD per million tokens, as small models cost
KEEP = ("all", "replies", "scores", "none")
SMALL = 10_000
SHARDS, SHARD_ROWS, LATENCY_MS = 4, 16_000, 200.0
PER_SECOND, RATIO, RUN_MS, ITEM_MS, BYTES = 3_000.0, 3.5, 500.0, 200.0, 1_500.0
DURABLE = {"fsync": "on", "full_page_writes": "on", "autovacuum": "on", "shared_buffers": "256MB"}


# A conversation as a shop has them, about 0.9 KB.
ASKED = (
    "Chào shop, hôm qua tôi đặt một đôi giày chạy bộ cỡ 42 nhưng lỡ để nhầm địa chỉ công ty cũ ở "
    "quận Bình Thạnh. Giờ muốn chuyển về nhà riêng bên Thủ Đức thì bấm vào đâu, có mất phí không?"
)
REFERENCE = (
    "Mở mục Đơn mua, chọn đơn chưa xuất kho, bấm Đổi địa chỉ và xác nhận bằng mã OTP trước bốn giờ "
    "chiều. Sau giờ đó, tổng đài 1900 sẽ chuyển hướng gói hàng, phụ thu mười lăm nghìn đồng."
)
ANSWER = (
    "Dạ shop xin lỗi vì sự bất tiện này ạ! Bạn vào Tài khoản, tìm Đơn mua rồi chạm vào dòng Giao "
    "hàng để nhập nơi nhận mới; hệ thống gửi tin nhắn xác thực trong vài phút. Trường hợp đơn đã "
    "rời kho, nhân viên sẽ gọi lại cho bạn để thống nhất thời gian giao phù hợp nhất."
)


@dataclass
class Bars:
    missed: int = 0

    def held(self, what: str, figure: str, *, is_held: bool) -> None:
        self.missed += not is_held
        print(f"| {what} | {figure} | {'held' if is_held else 'MISSED'} |", flush=True)


@dataclass(frozen=True)
class Place:
    """Makes the addresses of new stores of both kinds."""

    folder: Path
    server: PostgresServer

    def new(self, kind: str) -> str:
        if kind == "postgresql":
            return self.server.new_store()
        return str(self.folder / f"{time.monotonic_ns()}.db")


def size_of(url: str, *, vacuum: bool = True) -> int:
    with closing(open_store(url)) as store:
        if vacuum:
            store.database.vacuum()
        return store.database.size()


def write_rows(folder: Path, rows: int) -> None:
    with (folder / "data.jsonl").open("w") as file:
        for n in range(rows):
            row = {
                "id": f"conversation-{n:08d}",
                "question": f"{ASKED} Mã đơn hàng của tôi là {n}, mark={n % 4 + 1}.",
                "reference": REFERENCE,
                "answer": f"{ANSWER} Mã tra cứu của bạn là {n * 7919 % 10**8:08d}.",
            }
            file.write(json.dumps(row, ensure_ascii=False) + "\n")


def command(stub: Stub, url: str, *more: str, judge: str = "helpfulness") -> list[str]:
    return [
        *(ADJUDGE, "run", "data.jsonl", "--judge", judge, "-m", "openai/stub"),
        *("--base-url", stub.base(judge), "--store", url, "--quiet", *more),
    ]


def run(folder: Path, commands: list[list[str]]) -> float:
    """All of them at once; the seconds that they took."""
    began = time.perf_counter()
    started = [start(folder, some) for some in commands]
    if sum(process.wait() for process in started):  # waits for all of them
        raise SystemExit("a run failed")
    return time.perf_counter() - began


def start(folder: Path, some: list[str]) -> subprocess.Popen[bytes]:
    return subprocess.Popen(some, cwd=folder, env=os.environ | {"OPENAI_API_KEY": "none"})


def runs(place: Place, stub: Stub, rows: int, kinds: Sequence[str], bars: Bars) -> None:
    """Every figure of a whole run, kept for the model."""
    write_rows(place.folder, rows)
    for kind in kinds:
        stub.setup(latency_ms=0.0)
        files = place.folder / f"files-{rows}"
        on_ray = kind.startswith("ray")
        url = f"parquet:{files}" if kind == "ray-parquet" else place.new(kind.removeprefix("ray-"))
        more = ("--engine", "ray", "--workers", "2", "-j", "32") if on_ray else ("-j", "64")
        process = start(place.folder, command(stub, url, *more, "--price", PRICE))
        began, pids = time.perf_counter(), {"run": process.pid, "server": place.server.pid}
        ports = {"model": urlsplit(stub.address).port or 0, "database": place.server.port}
        with Resources(pids, ports) as used:
            code = process.wait()
        seconds = time.perf_counter() - began
        if code:
            raise SystemExit(f"{kind}: a run failed")
        told, network = stub.stats(), used.network()
        bars.missed += told["requests"] != rows
        early, late = used.memory("run")
        figures = {
            "seconds": seconds,
            "cpu": used.cpu("run"),
            "server_cpu": used.cpu("server") if kind.endswith("postgresql") else 0.0,
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


HEAD = (
    "| store | rows | rows/s | CPU ms per row | server ms | peak MB | MB early → late "
    "| store bytes | bytes to the model | to the database | among workers | USD per million "
    "| requests | load |\n|" + " --- |" * 14
)


def note(kind: str, rows: int, figures: Mapping[str, float]) -> None:
    """Long runs are made one by one; the model is made of what all of them noted."""
    noted = notes()
    noted.setdefault(kind, {})[str(rows)] = dict(figures)
    NOTES.parent.mkdir(parents=True, exist_ok=True)
    NOTES.write_text(json.dumps(noted, indent=1))


def notes() -> dict[str, dict[str, dict[str, float]]]:
    return json.loads(NOTES.read_text()) if NOTES.exists() else {}


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
        least.append(sizes[-1])
        shown = (f"{size:,.0f} ({size / sizes[0]:.2f})" for size in sizes)
        print(f"| {kind} | {' | '.join(shown)} |", flush=True)
    bars.held(
        f"bytes without texts ≤ {BYTES:,.0f}", f"{max(least):,.0f}", is_held=max(least) <= BYTES
    )


def ingest(place: Place, rows: int, bars: Bars) -> dict[str, str]:
    """The stores, for the pages."""
    print(f"\n{rows:,} verdicts put, 1,000 per commit\n\n| store | verdicts/s | × SQLite |")
    print("| --- | --- | --- |")
    urls, rates = {}, {}
    for kind in ("sqlite", "postgresql"):
        urls[kind] = place.new(kind)
        began = time.perf_counter()
        big_run.make(urls[kind], rows)
        rates[kind] = rows / (time.perf_counter() - began)
        print(f"| {kind} | {rates[kind]:,.0f} | {rates[kind] / rates['sqlite']:.2f} |", flush=True)
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
    """Twice: from the first answer to the last, and with the starts and ends of the processes."""
    print(f"\n{SHARD_ROWS:,} rows at {LATENCY_MS:.0f} ms, -j 16 per process, on PostgreSQL\n")
    print("| what | figure | |\n| --- | --- | --- |")
    write_rows(place.folder, SHARD_ROWS)
    rates, whole = [], []
    for parts in (1, SHARDS):
        stub.setup(latency_ms=LATENCY_MS)
        url = place.new("postgresql")
        commands = [
            command(stub, url, "-j", "16", "--shard", f"{n}/{parts}") for n in range(1, parts + 1)
        ]
        with answers(stub) as times:
            whole.append(SHARD_ROWS / run(place.folder, commands))
        asked = stub.stats()["requests"]
        rates.append(SHARD_ROWS / (times[-1] - times[0]))
        exact = asked == SHARD_ROWS
        figure = f"{rates[-1]:,.0f}; {whole[-1]:,.0f} with starts and ends"
        bars.held(f"{parts} × `--shard`, rows/s", figure, is_held=True)
        bars.held(f"requests of {parts}", f"{asked:,} of {SHARD_ROWS:,}", is_held=exact)
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


@contextmanager
def places() -> Iterator[Place]:
    programs = binaries()
    if programs is None:
        raise SystemExit("there is no PostgreSQL here: apt-get install postgresql")
    server = PostgresServer(programs, **DURABLE)
    try:
        with scratch("scale") as folder:
            yield Place(folder, server)
    finally:
        server.close()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rows", default="10000,100000", help="how many, with commas")
    parser.add_argument("--only", default=",".join(PARTS), help="parts, with commas")
    parser.add_argument("--stores", default=",".join(KINDS), help="for runs, with commas")
    options = parser.parse_args()
    wanted, bars = options.only.split(","), Bars()
    with places() as place, Stub() as stub:
        if "keep" in wanted:
            keep(place, stub, bars)
        if "shards" in wanted:
            shards(place, stub, bars)
        if "outages" in wanted:
            outages(place, stub, bars)
        if "runs" in wanted:
            print(f"\nWhole runs\n\n{HEAD}")
        for rows in map(int, options.rows.split(",")):
            if "runs" in wanted:
                runs(place, stub, rows, options.stores.split(","), bars)
            if "ingest" in wanted or "pages" in wanted:
                urls = ingest(place, rows, bars)
                if "pages" in wanted:
                    pages(urls, rows, bars)
    if "model" in wanted:
        bars.missed += show(notes())
    print(f"\nbars missed: {bars.missed}")
    return bool(bars.missed)


if __name__ == "__main__":
    sys.exit(main())
