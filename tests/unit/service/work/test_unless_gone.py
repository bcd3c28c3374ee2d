"""Judging ends when nobody waits for it any more."""

from __future__ import annotations

import asyncio
import json
import socket
import threading
from pathlib import Path
from urllib.parse import urlsplit

from aiohttp import web
from tests.servers import Answer, ChatServer, says
from tests.service import running_service

from adjudge.service.options import ServeOptions

GOOD = json.dumps({"evaluation": "It says what was wanted, and it is right.", "rating": 4})
ITEM = {"question": "Q?", "answer": "A."}


def until_left(left: threading.Event) -> Answer:
    """Never answers; `left` is set when the one who asked hangs up."""

    async def answer(request: web.Request) -> web.StreamResponse:
        try:
            # aiohttp tells nobody when a client leaves.
            while request.transport is not None and not request.transport.is_closing():  # noqa: ASYNC110
                await asyncio.sleep(0.02)
        finally:
            left.set()
        return web.Response()

    return answer


def test_a_client_that_hangs_up_stops_the_model(tmp_path: Path, server: ChatServer) -> None:
    options = ServeOptions(
        store=str(tmp_path / "runs.db"), models=("openai/m",), base_url=server.base_url
    )
    left = threading.Event()
    server.answer = lambda _: until_left(left)
    body = json.dumps({"judge": "helpfulness", "item": ITEM}).encode()
    with running_service(options) as running:
        place = urlsplit(running.url)
        head = f"POST /api/v1/judge HTTP/1.1\r\nHost: {place.netloc}\r\nContent-Length: {len(body)}"
        with socket.create_connection((place.hostname or "", place.port or 0)) as client:
            client.sendall(f"{head}\r\nContent-Type: application/json\r\n\r\n".encode() + body)
            server.wait_for(1)
            assert not left.is_set()
        assert left.wait(20)
        assert len(server.asked) == 1  # and it is not asked once more
        server.answer = lambda _: says(GOOD)
        told = running.ask("/api/v1/judge", {"judge": "helpfulness", "item": ITEM})
        assert (told.status, told.json["outcome"]) == (200, "scored")
