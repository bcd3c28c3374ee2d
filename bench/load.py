"""How much the stub alone can serve: requests ready to send, on a client that reads nothing.

The stub must not be what limits a client, so this has to lie far above the clients' figures.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from typing import cast

from drivers.common import RUBRIC, row
from harness import Stub

REQUESTS = 30_000
CONNECTIONS = 64
BAR = 10_000


def request(n: int) -> bytes:
    asked = row(n)
    messages = [
        {"role": "system", "content": RUBRIC + RUBRIC},  # as long as what adjudge sends
        {"role": "user", "content": f"{asked.question}\n{asked.answer}"},
    ]
    body = json.dumps({"model": "stub", "messages": messages}).encode()
    head = (
        "POST /helpfulness/v1/chat/completions HTTP/1.1\r\nHost: stub\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    return head.encode() + body


class Client(asyncio.Protocol):
    """Sends the next request as soon as an answer is complete, which its length tells."""

    def __init__(self, waiting: list[bytes], done: asyncio.Future[None], length: int) -> None:
        self.waiting, self.done, self.length = waiting, done, length
        self.got = 0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast(asyncio.Transport, transport)
        self.transport.write(self.waiting.pop())

    def data_received(self, data: bytes) -> None:
        self.got += len(data)
        if self.got < self.length:
            return
        self.got -= self.length
        if self.waiting:
            self.transport.write(self.waiting.pop())
        elif not self.done.done():
            self.done.set_result(None)


async def load(address: str, requests: list[bytes], length: int) -> float:
    loop = asyncio.get_running_loop()
    host, port = address.removeprefix("http://").split(":")
    done: asyncio.Future[None] = loop.create_future()
    began = time.perf_counter()
    for _ in range(CONNECTIONS):
        await loop.create_connection(lambda: Client(requests, done, length), host, int(port))
    await done
    return time.perf_counter() - began


def answer_length(address: str) -> int:
    """The bytes of one whole answer, which is the same for every mark."""

    async def once() -> int:
        host, port = address.removeprefix("http://").split(":")
        reader, writer = await asyncio.open_connection(host, int(port))
        writer.write(request(0))
        head = await reader.readuntil(b"\r\n\r\n")
        writer.close()
        return len(head) + int(head.split(b"Content-Length: ")[1].split(b"\r\n")[0])

    return asyncio.run(once())


def measure(stub: Stub) -> tuple[float, float]:
    """Requests per second that came through, and the most that the stub's CPU time allows."""
    length = answer_length(stub.address)
    requests = [request(n) for n in range(REQUESTS)]
    stub.setup()
    taken = asyncio.run(load(stub.address, requests, length))
    return REQUESTS / taken, REQUESTS / stub.stats()["cpu_s"]


def main() -> int:
    with Stub() as stub:
        through, most = measure(stub)
    print(f"stub alone: {through:,.0f} requests/s came through, its CPU allows {most:,.0f}/s")
    return int(most < BAR)


if __name__ == "__main__":
    sys.exit(main())
