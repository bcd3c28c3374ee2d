"""Where the runs of scale.py are made: a server, a folder, rows, and the command."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

from harness import ADJUDGE, Stub, scratch
from venvs import BENCH

from adjudge.stores import open_store

# Ours, and not what another package may have installed under that name.
sys.modules["tests"] = ModuleType("tests")
sys.modules["tests"].__path__ = [str(BENCH.parent / "tests")]
from tests.postgres import PostgresServer, ask, binaries  # noqa: E402 - beside bench/

DURABLE = {"fsync": "on", "full_page_writes": "on", "autovacuum": "on", "shared_buffers": "1GB"}
# Tables that autovacuum is still to see to, by its usual settings; it looks once a minute.
_DUE = (
    "SELECT count(*) FROM pg_stat_user_tables JOIN pg_class ON pg_class.oid = relid"
    " WHERE n_mod_since_analyze > 50 + 0.1 * greatest(reltuples, 0)"
    " OR n_ins_since_vacuum > 1000 + 0.2 * greatest(reltuples, 0)"
)
_LOOKS = 90.0  # seconds in which autovacuum has had a look
_WRITTEN = "SELECT sum(xact_commit), pg_current_wal_lsn() - '0/0'::pg_lsn FROM pg_stat_database"
SMALL = 10_000
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

    def written(self) -> tuple[int, int]:
        """Commits of the server so far, and the bytes of its write-ahead log."""
        ((commits, log),) = ask(self.server.url("postgres"), _WRITTEN)
        return int(commits), int(log)

    def settle(self) -> None:
        """Returns when the server has done what is left to do after a run: its statistics, and a
        checkpoint."""
        until = time.monotonic() + _LOOKS
        while ask(self.server.url("postgres"), _DUE) != [(0,)] and time.monotonic() < until:
            time.sleep(5)
        self.server.execute("CHECKPOINT")


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
