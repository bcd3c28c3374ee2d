"""What a store costs, on SQLite and on PostgreSQL: rows per second, CPU, bytes per verdict, pages.

    python bench/scale.py                    10,000 and 100,000 rows, about 6 minutes
    python bench/scale.py --rows 10000       fewer; --rows 1000000 for the large one
    python bench/scale.py --only shards      of runs, keep, ray, ingest, pages, shards: some alone

The server is that of Debian's package (tests/postgres.py), started for this, with a durable disk. A
run asks the stub at once; `ingest` puts verdicts of 4 KB that are there already; `shards` asks the
stub at 200 ms, in one process and in four, from its first answer to its last. `ray` is a cluster of
this machine with two workers, its start included. All texts are alike, which Parquet packs
well. Sizes are those after
`adjudge store vacuum`. Exits with 1 where a bar is missed.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

import big_run
from harness import ADJUDGE, Stub, scratch
from starlette.testclient import TestClient
from venvs import BENCH

from adjudge.service.app import create_app
from adjudge.service.options import ServeOptions
from adjudge.stores import open_store

# Ours, and not what another package may have installed under that name.
sys.modules["tests"] = ModuleType("tests")
sys.modules["tests"].__path__ = [str(BENCH.parent / "tests")]
from tests.postgres import PostgresServer, binaries  # noqa: E402 - beside bench/

PARTS = ("runs", "keep", "ray", "ingest", "pages", "shards")
KEEP = ("all", "replies", "scores", "none")
SMALL = 10_000
SHARDS, SHARD_ROWS, LATENCY_MS = 4, 8_000, 200.0
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
class Ran:
    seconds: float
    cpu: float
    peak_mb: float


@dataclass(frozen=True)
class Place:
    """Makes the addresses of new stores of both kinds."""

    folder: Path
    server: PostgresServer

    def new(self, kind: str) -> str:
        if kind == "postgresql":
            return self.server.new_store()
        return str(self.folder / f"{time.monotonic_ns()}.db")


def size_of(url: str) -> int:
    with closing(open_store(url)) as store:
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


def command(stub: Stub, url: str, *more: str) -> list[str]:
    return [
        *(ADJUDGE, "run", "data.jsonl", "--judge", "chatbot", "-m", "openai/stub"),
        *("--base-url", stub.base("chatbot"), "--store", url, "--quiet", *more),
    ]


def run(folder: Path, commands: list[list[str]]) -> Ran:
    """All of them at once; `cpu` and the largest memory are those of the processes."""
    environment = os.environ | {"OPENAI_API_KEY": "none"}
    began = time.perf_counter()
    started = [subprocess.Popen(some, cwd=folder, env=environment) for some in commands]
    ended = [os.wait4(process.pid, 0) for process in started]
    seconds = time.perf_counter() - began
    if any(code for _, code, _ in ended):
        raise SystemExit("a run failed")
    cpu = sum(used.ru_utime + used.ru_stime for _, _, used in ended)
    return Ran(seconds, cpu, max(used.ru_maxrss for _, _, used in ended) / 1e3)


def runs(place: Place, stub: Stub, rows: int, bars: Bars) -> None:
    stub.setup(latency_ms=0.0)
    write_rows(place.folder, rows)
    print(f"\n{rows:,} rows through `adjudge run`\n")
    print("| store | rows/s | × SQLite | CPU ms per row | × SQLite | bytes per verdict | peak MB |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    first: tuple[float, float] | None = None
    for kind in ("sqlite", "postgresql"):
        url = place.new(kind)
        ran = run(place.folder, [command(stub, url, "-j", "64")])
        rate, cpu = rows / ran.seconds, 1e3 * ran.cpu / rows
        first = first or (rate, cpu)
        kept = size_of(url) / rows
        ratios = (f"{rate / first[0]:.2f}", f"{cpu / first[1]:.2f}")
        figures = (f"{rate:,.0f}", ratios[0], f"{cpu:.2f}", ratios[1])
        print(f"| {kind} | {' | '.join(figures)} | {kept:,.0f} | {ran.peak_mb:.0f} |", flush=True)
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
            run(place.folder, [command(stub, url, "-j", "64", "--keep", chosen)])
            sizes.append(size_of(url) / SMALL)
        least.append(sizes[-1])
        shown = (f"{size:,.0f} ({size / sizes[0]:.2f})" for size in sizes)
        print(f"| {kind} | {' | '.join(shown)} |", flush=True)
    bars.held(
        f"bytes without texts ≤ {BYTES:,.0f}", f"{max(least):,.0f}", is_held=max(least) <= BYTES
    )


def ray(place: Place, stub: Stub, rows: int, bars: Bars) -> None:
    stub.setup(latency_ms=0.0)
    write_rows(place.folder, rows)
    print(f"\n{rows:,} rows through `adjudge run --engine ray --workers 2`\n")
    print(
        "| verdicts in | rows/s | driver: CPU ms per row | peak MB | bytes per verdict | requests |"
    )
    print("| --- | --- | --- | --- | --- | --- |")
    for kind in ("postgresql", "parquet"):
        stub.setup(latency_ms=0.0)
        files = place.folder / f"files-{rows}"
        url = f"parquet:{files}" if kind == "parquet" else place.new(kind)
        on_ray = ("--engine", "ray", "--workers", "2", "-j", "32")
        ran = run(place.folder, [command(stub, url, *on_ray)])
        paths = (path for path in files.rglob("*") if path.is_file())
        size = sum(path.stat().st_size for path in paths) if kind == "parquet" else size_of(url)
        asked = stub.stats()["requests"]
        bars.missed += asked != rows
        figures = (
            f"{rows / ran.seconds:,.0f}",
            f"{1e3 * ran.cpu / rows:.2f}",
            f"{ran.peak_mb:.0f}",
        )
        print(f"| {kind} | {' | '.join(figures)} | {size / rows:,.0f} | {asked:,} |", flush=True)


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
    """By a service that has just begun."""
    print(f"\nPages on a run of {rows:,} verdicts\n\n| page | ms | |\n| --- | --- | --- |")
    for kind, url in urls.items():
        with closing(open_store(url)) as store:
            record = store.runs.find("latest")
        item = f"/runs/{record.id}/item?id=item-{rows // 2}"
        _visit(url, "/runs")  # what a service loads in the background is there when it has ended
        for name, path, bar in (("run", f"/runs/{record.id}", RUN_MS), ("item", item, ITEM_MS)):
            times = _visit(url, "/runs", path, path, path)[1:]
            bars.held(
                f"{name} page, {kind}, first ≤ {bar:.0f}",
                f"{times[0]:.0f}",
                is_held=times[0] <= bar,
            )
            bars.held(f"{name} page, {kind}, later", f"{times[-1]:.0f}", is_held=times[-1] <= bar)


def _visit(url: str, *paths: str) -> list[float]:
    app = create_app(ServeOptions(store=url))
    with TestClient(app, "http://127.0.0.1", client=("127.0.0.1", 1)) as client:
        return [_opened(client, path) for path in paths]


def _opened(client: TestClient, path: str) -> float:
    began = time.perf_counter()
    answer = client.get(path)
    if answer.status_code != 200:
        raise SystemExit(f"{path}: {answer.status_code}")
    return 1e3 * (time.perf_counter() - began)


def shards(place: Place, stub: Stub, bars: Bars) -> None:
    print(f"\n{SHARD_ROWS:,} rows at {LATENCY_MS:.0f} ms, -j 32 per process, on PostgreSQL\n")
    print("| what | figure | |\n| --- | --- | --- |")
    write_rows(place.folder, SHARD_ROWS)
    rates = []
    for parts in (1, SHARDS):
        stub.setup(latency_ms=LATENCY_MS)
        url = place.new("postgresql")
        commands = [
            command(stub, url, "-j", "32", "--shard", f"{n}/{parts}") for n in range(1, parts + 1)
        ]
        with answers(stub) as times:
            run(place.folder, commands)
        asked = stub.stats()["requests"]
        rates.append(SHARD_ROWS / (times[-1] - times[0]))
        exact = asked == SHARD_ROWS
        bars.held(f"{parts} × `--shard`, rows/s", f"{rates[-1]:,.0f}", is_held=True)
        bars.held(f"requests of {parts}", f"{asked:,} of {SHARD_ROWS:,}", is_held=exact)
    ratio = rates[1] / rates[0]
    bars.held(f"{SHARDS} shards, × one ≥ {RATIO}", f"{ratio:.2f}", is_held=ratio >= RATIO)


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
    options = parser.parse_args()
    wanted, bars = options.only.split(","), Bars()
    with places() as place, Stub() as stub:
        work: dict[str, Callable[[], None]] = {
            "keep": lambda: keep(place, stub, bars),
            "shards": lambda: shards(place, stub, bars),
        }
        for name, part in work.items():
            if name in wanted:
                part()
        for rows in map(int, options.rows.split(",")):
            if "runs" in wanted:
                runs(place, stub, rows, bars)
            if "ray" in wanted:
                ray(place, stub, rows, bars)
            if "ingest" in wanted or "pages" in wanted:
                urls = ingest(place, rows, bars)
                if "pages" in wanted:
                    pages(urls, rows, bars)
    print(f"\nbars missed: {bars.missed}")
    return bool(bars.missed)


if __name__ == "__main__":
    sys.exit(main())
