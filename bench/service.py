"""POST /api/v1/judge under load: the real service, the stub as the model, clients beside them.

    python bench/service.py [--clients 64] [--seconds 10] [--latency-ms 20] [--token]

Every answer is read and checked: a status other than 200, or a rating other than the one that the
row's mark asks for, counts as an error. The stub, the clients and the service share the machine;
the load average is told beside the figures. Exit code 1 when a bar is missed.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import re
import signal
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, cast

from drivers.common import row
from harness import ADJUDGE, Stub, scratch

PROCESSES = 2
WARM_UP = 6.0  # seconds before the clock starts: the service still loads what plots are made with
BAR = 400  # requests per second
LENGTH = re.compile(rb"\r\ncontent-length: *(\d+)", re.IGNORECASE)
RATING = re.compile(rb'"scores":\{"rating":\{"outcome":"scored","value":(\d)')


def request(n: int, token: str) -> bytes:
    asked = row(n)
    item = {"id": str(n), "question": asked.question, "answer": asked.answer}
    body = json.dumps({"judge": "helpfulness", "item": item}).encode()
    key = f"Authorization: Bearer {token}\r\n" if token else ""
    head = (
        "POST /api/v1/judge HTTP/1.1\r\nHost: 127.0.0.1\r\n"
        f"{key}Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    return head.encode() + body


class Client(asyncio.Protocol):
    """One request after the other, each as soon as the answer before it is whole."""

    def __init__(self, requests: list[tuple[bytes, bytes]], told: Told) -> None:
        self.requests, self.told = requests, told
        self.got = bytearray()
        self.length = 0
        self.sent = 0.0
        self.wanted = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast(asyncio.Transport, transport)
        self.send()

    def send(self) -> None:
        if self.told.over:
            self.transport.close()
            return
        asked, self.wanted = self.requests[self.told.next % len(self.requests)]
        self.told.next += 1
        self.sent = time.perf_counter()
        self.transport.write(asked)

    def data_received(self, data: bytes) -> None:
        self.got += data
        if not self.length:
            end = self.got.find(b"\r\n\r\n")
            if end < 0:
                return
            found = LENGTH.search(self.got, 0, end)
            self.length = end + 4 + (int(found[1]) if found else 0)
        if len(self.got) < self.length:
            return
        rating = RATING.search(self.got)
        right = self.got.startswith(b"HTTP/1.1 200") and rating and rating[1] == self.wanted
        self.told.answered(time.perf_counter() - self.sent, bytes(self.got) if not right else b"")
        del self.got[: self.length]
        self.length = 0
        self.send()

    def connection_lost(self, _: Exception | None) -> None:
        if not self.told.over:
            self.told.answered(0.0, b"the connection was lost")


class Told:
    """What the clients of one process have seen since the warm-up."""

    def __init__(self) -> None:
        self.next = 0
        self.over = self.counting = False
        self.seconds: list[float] = []
        self.errors: list[str] = []

    def answered(self, seconds: float, wrong: bytes) -> None:
        if not self.counting:
            return
        if wrong:
            self.errors.append(wrong[:300].decode(errors="replace"))
        else:
            self.seconds.append(seconds)


async def clients(port: int, count: int, seconds: float, token: str) -> dict[str, Any]:
    loop = asyncio.get_running_loop()
    requests = [(request(n, token), str(row(n).mark).encode()) for n in range(200)]
    told = Told()
    for _ in range(count):
        await loop.create_connection(lambda: Client(requests, told), "127.0.0.1", port)
    await asyncio.sleep(WARM_UP)
    told.counting = True
    began = time.perf_counter()
    await asyncio.sleep(seconds)
    told.counting = False
    took = time.perf_counter() - began
    told.over = True
    await asyncio.sleep(0.3)
    return {"took": took, "seconds": told.seconds, "errors": told.errors}


def measure(
    stub: Stub, pid: int, url: str, given: argparse.Namespace, token: str
) -> dict[str, Any]:
    port = url.rsplit(":", 1)[1]
    each = given.clients // PROCESSES
    command = [sys.executable, __file__, "--client", port, "--clients", str(each)]
    command += ["--seconds", str(given.seconds), "--key", token]
    started = [subprocess.Popen(command, stdout=subprocess.PIPE) for _ in range(PROCESSES)]
    time.sleep(WARM_UP + 1)  # so that what is done once does not count
    before, asked = cpu_seconds(pid), stub.stats()["requests"]
    time.sleep(given.seconds / 2)
    used, asked = cpu_seconds(pid) - before, stub.stats()["requests"] - asked
    told = [json.loads(process.communicate()[0]) for process in started]
    seconds = sorted(value for each in told for value in each["seconds"])
    errors = [error for each in told for error in each["errors"]]
    cuts = statistics.quantiles(seconds, n=100) if len(seconds) > 1 else [0.0] * 99
    return {
        "requests_a_second": len(seconds) / max(each["took"] for each in told),
        "p50_ms": cuts[49] * 1000,
        "p95_ms": cuts[94] * 1000,
        "p99_ms": cuts[98] * 1000,
        "errors": len(errors),
        "cpu_ms": 1000 * used / max(1, asked),
        "first_error": errors[0] if errors else None,
    }


def new_token(folder: Path) -> str:
    command = [ADJUDGE, "tokens", "new", "bench", "--scope", "judge", "--rate", "1000000"]
    made = subprocess.run(
        [*command, "--store", "runs.db"], cwd=folder, check=True, capture_output=True, text=True
    )
    return made.stdout.strip()


def cpu_seconds(pid: int) -> float:
    """What the process has used so far, its start included."""
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def main() -> int:
    given = arguments()
    if given.client:
        found = asyncio.run(clients(given.client, given.clients, given.seconds, given.key))
        print(json.dumps(found))
        return 0
    with Stub() as stub, scratch("service") as folder, (folder / "log").open("w") as log:
        stub.setup(latency_ms=given.latency_ms)
        token = new_token(folder) if given.token else ""
        command = [ADJUDGE, "serve", "--port", "0", "-m", "openai/stub", "--store", "runs.db"]
        command += ["--base-url", stub.base("helpfulness")]
        command += ["--require-token"] if given.token else []
        service = subprocess.Popen(
            command, cwd=folder, stdout=subprocess.PIPE, stderr=log, text=True
        )
        try:
            assert service.stdout is not None  # noqa: S101 - it was asked for
            found = measure(stub, service.pid, service.stdout.readline().strip(), given, token)
        finally:
            service.send_signal(signal.SIGTERM)
            code = service.wait(30)
    allowed = 2 * found["p50_ms"] + 50
    print(
        f"{found['requests_a_second']:,.0f} requests/s at {given.clients} clients,"
        f" p50 {found['p50_ms']:.1f} ms, p95 {found['p95_ms']:.1f} ms,"
        f" p99 {found['p99_ms']:.1f} ms (allowed {allowed:.0f}), {found['errors']} errors;"
        f" stub latency {given.latency_ms:g} ms; the service used"
        f" {found['cpu_ms']:.2f} ms of CPU a request;"
        f" load average {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores"
    )
    if found["first_error"]:
        print(found["first_error"])
    fast = found["requests_a_second"] >= BAR and found["p99_ms"] < allowed
    return int(not fast or bool(found["errors"]) or code != 0)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--clients", type=int, default=64)
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--latency-ms", type=float, default=20.0)
    parser.add_argument("--token", action="store_true", help="with tokens asked for")
    parser.add_argument("--client", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--key", default="", help=argparse.SUPPRESS)
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
