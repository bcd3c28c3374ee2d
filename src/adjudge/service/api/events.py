"""How a run goes on, as server-sent events."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import asdict
from typing import Any

import orjson
from fastapi import APIRouter, Request
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response, StreamingResponse

from adjudge.service.security.access import READ, access_of
from adjudge.service.state import Service, service_of

from .bodies import PREFIX

router = APIRouter(prefix=PREFIX)
_HEARTBEAT = 15  # seconds without an event, after which proxies would hang up
_RECENT = 15  # readings that the rate is taken over
_GOING_ON = frozenset({"running", "waiting"})


@router.get(
    "/runs/{run}/events",
    dependencies=[READ],
    summary="Progress of a run as it happens",
    response_class=StreamingResponse,
    responses={200: {"content": {"text/event-stream": {}}}},
)
async def events(request: Request, run: str) -> Response:
    """`progress` about once a second with {run, state, done, total, unscored, outcomes, tokens,
    cost_usd, rate, eta_seconds}, and `end` with the same when the run has ended. Without `end` the
    service has ended, the token was revoked, or the session in which it was begun is over."""
    service = service_of(request)
    record = await run_in_threadpool(service.store.runs.find, run)
    headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
    access = access_of(request)

    async def allowed() -> bool:
        """Without a token it is somebody on this machine, from whom nothing can be revoked."""
        if access is None or not access.token_id:
            return True
        is_over = access.session is not None and access.session.is_over
        return not is_over and await service.tokens.by_id(access.token_id) is not None

    stream = _stream(service, record.id, allowed)
    return StreamingResponse(stream, media_type="text/event-stream", headers=headers)


async def _stream(
    service: Service, run_id: str, allowed: Callable[[], Awaitable[bool]]
) -> AsyncIterator[bytes]:
    """Ends with the run, the service or the right to see it; a client that has gone cancels it."""
    loop = asyncio.get_running_loop()
    readings: deque[tuple[float, int]] = deque(maxlen=_RECENT)
    before, told_at = b"", 0.0
    while not service.stopping.is_set() and await allowed():
        progress = await run_in_threadpool(run_progress, service, run_id)
        readings.append((loop.time(), progress["done"]))
        over = progress["state"] not in _GOING_ON
        data = orjson.dumps(progress | _pace(readings, progress))
        if over:
            yield b"event: end\ndata: %b\n\n" % data
            return
        if data != before:
            before, told_at = data, loop.time()
            yield b"event: progress\ndata: %b\n\n" % data
        elif loop.time() - told_at >= _HEARTBEAT:
            told_at = loop.time()
            yield b": still here\n\n"
        try:
            await asyncio.wait_for(service.stopping.wait(), service.options.waits.progress)
        except TimeoutError:
            continue


def run_progress(service: Service, run_id: str) -> dict[str, Any]:
    """How far the run is just now; blocks."""
    record = service.store.runs.find(run_id)
    head = {"run": run_id, "state": service.state_of(record)}
    spent = {"tokens": record.tokens, "cost_usd": record.cost_usd, "usd": record.cost_usd}
    return head | asdict(service.progress_of(record)) | spent


def _pace(readings: deque[tuple[float, int]], progress: dict[str, Any]) -> dict[str, float | None]:
    """Verdicts per second lately, and seconds that are left at that; None where nothing moves."""
    (first, earlier), (last, done) = readings[0], readings[-1]
    rate = (done - earlier) / (last - first) if done > earlier else None
    left = None if rate is None else round((progress["total"] - done) / rate, 1)
    return {"rate": None if rate is None else round(rate, 2), "eta_seconds": left}
