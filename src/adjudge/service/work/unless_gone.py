"""Work for a client that may hang up before it is done."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

from starlette.requests import Request

T = TypeVar("T")
GONE = 499  # the status of an answer that nobody reads


async def unless_gone(request: Request, work: Coroutine[Any, Any, T]) -> T | None:
    """What comes of it; None where the client has hung up, and the work is cancelled then.

    The body of the request has been read.
    """
    working = asyncio.ensure_future(work)
    leaving = asyncio.ensure_future(_left(request))
    try:
        await asyncio.wait({working, leaving}, return_when=asyncio.FIRST_COMPLETED)
        return working.result() if working.done() else None
    finally:
        working.cancel()
        leaving.cancel()


async def _left(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass
