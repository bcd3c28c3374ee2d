"""A chat completions server on loopback that answers as a test tells it to."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import Any

from aiohttp import web

Body = dict[str, Any]
# What the server does with a request, once its body is known.
Answer = Callable[[web.Request], Awaitable[web.StreamResponse]]


def says(text: str, *, finish: str = "stop", cached: int = 0) -> Answer:
    """A whole reply; 100 tokens in, 10 out."""

    async def answer(request: web.Request) -> web.StreamResponse:
        usage = {"prompt_tokens": 100, "completion_tokens": 10}
        details = {"prompt_tokens_details": {"cached_tokens": cached}}
        choice = {"message": {"role": "assistant", "content": text}, "finish_reason": finish}
        return web.json_response({"choices": [choice], "usage": usage | details})

    return answer


def fails(status: int, message: str = "no", **headers: str) -> Answer:
    """An error as OpenAI words it; `Retry_After="1"` sets a header."""

    async def answer(request: web.Request) -> web.StreamResponse:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return web.json_response({"error": {"message": message}}, status=status, headers=named)

    return answer


def resets() -> Answer:
    """Breaks the connection off without a word."""

    async def answer(request: web.Request) -> web.StreamResponse:
        if request.transport:
            request.transport.abort()
        return web.Response()

    return answer


def after(seconds: float, then: Answer) -> Answer:
    async def answer(request: web.Request) -> web.StreamResponse:
        await asyncio.sleep(seconds)
        return await then(request)

    return answer


class Flying:
    """Counts how many answers are under way at once; each takes a moment."""

    def __init__(self) -> None:
        self.now = self.most = 0

    def by(self, then: Answer) -> Answer:
        async def answer(request: web.Request) -> web.StreamResponse:
            self.now += 1
            self.most = max(self.most, self.now)
            await asyncio.sleep(0.02)
            self.now -= 1
            return await then(request)

        return answer


class Turnstile:
    """Lets as many answers through as `allowed` says; the others wait until it says more."""

    def __init__(self, allowed: int) -> None:
        self.allowed = allowed
        self._passed = 0

    def by(self, then: Answer) -> Answer:
        async def answer(request: web.Request) -> web.StreamResponse:
            while self._passed >= self.allowed:  # noqa: ASYNC110 - another thread says it
                await asyncio.sleep(0.01)
            self._passed += 1
            return await then(request)

        return answer


class ChatServer:
    """`asked` holds the bodies in the order in which they came.

    Answers of `script` are used up first, one a request; then `answer` decides by the body.
    """

    def __init__(self, base_url: str) -> None:
        self.base_url = base_url
        self.asked: list[Body] = []
        self.script: list[Answer] = []
        self.answer: Callable[[Body], Answer] = lambda _: says("4")
        self._came = threading.Condition()

    async def handle(self, request: web.Request) -> web.StreamResponse:
        body = await request.json()
        with self._came:
            self.asked.append(body)
            self._came.notify_all()
        chosen = self.script.pop(0) if self.script else self.answer(body)
        return await chosen(request)

    @property
    def prompts(self) -> list[str]:
        """The last message of each request."""
        return [body["messages"][-1]["content"] for body in self.asked]

    def wait_for(self, count: int, seconds: float = 20.0) -> None:
        """Returns once so many requests have come."""
        with self._came:
            assert self._came.wait_for(lambda: len(self.asked) >= count, seconds)


async def _let_all_in() -> None:
    """Connections made at the last moment are known after this, and closed with the others."""
    for _ in range(5):
        await asyncio.sleep(0)


async def _stop_others() -> None:
    """Answers that were still under way when their client left."""
    others = asyncio.all_tasks() - {asyncio.current_task()}
    for task in others:
        task.cancel()
    await asyncio.gather(*others, return_exceptions=True)


@contextmanager
def chat_server() -> Iterator[ChatServer]:
    """Serves from a thread of its own, so that commands and other processes can ask it too."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()

    def wait(work: Any) -> Any:
        return asyncio.run_coroutine_threadsafe(work, loop).result(20)

    server = ChatServer("")
    app = web.Application(client_max_size=2**26)
    app.router.add_post("/v1/chat/completions", server.handle)
    runner = web.AppRunner(app, shutdown_timeout=0.05)
    try:
        wait(runner.setup())
        wait(web.TCPSite(runner, "127.0.0.1", 0).start())
        server.base_url = f"http://127.0.0.1:{runner.addresses[0][1]}/v1"
        yield server
    finally:
        wait(_let_all_in())
        wait(runner.cleanup())
        wait(_stop_others())
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()
