"""What the service tells about itself: log lines and metrics, never texts, names or secrets."""

from __future__ import annotations

import logging
import sys
from asyncio import CancelledError
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from time import monotonic
from traceback import extract_tb
from typing import Any

import orjson
from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    disable_created_metrics,
    generate_latest,
)
from starlette.requests import Request

from adjudge.core.score import Outcome
from adjudge.core.verdict import Verdict

from .options import Log
from .security.access import token_id_of

LOGGER = logging.getLogger("adjudge.service")
# What a record may bring along, in this order.
_FIELDS = (
    *("request_id", "method", "route", "status", "ms"),
    *("token", "target", "scope", "run", "left_out"),
)
_FRAMES = 8
_EVERY = 1.0  # seconds


@contextmanager
def logging_to_stderr(kind: Log) -> Iterator[None]:
    """While inside, lines of this service, of uvicorn and of asyncio go to stderr.

    `off` leaves warnings alone, as text.
    """
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_Json() if kind == "json" else _Text())
    handler.addFilter(_Throttle())
    loggers = {logging.getLogger(name): logging.WARNING for name in ("uvicorn.error", "asyncio")}
    loggers[LOGGER] = logging.WARNING if kind == "off" else logging.INFO
    before = {logger: (logger.propagate, logger.level) for logger in loggers}
    for logger, level in loggers.items():
        logger.addHandler(handler)
        logger.propagate = False
        logger.setLevel(level)
    try:
        yield
    finally:
        for logger, (propagates, level) in before.items():
            logger.removeHandler(handler)
            logger.propagate = propagates
            logger.setLevel(level)


class _Throttle(logging.Filter):
    """What others say is told once a second at most: strangers can make them say it. The next line
    counts what was `left_out`. Requests that end with the service are no fault at all."""

    def __init__(self) -> None:
        super().__init__()
        self._last: dict[str, tuple[float, int]] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        if record.name == LOGGER.name:
            return True
        if record.exc_info and isinstance(record.exc_info[1], CancelledError):
            return False
        message = str(record.msg)
        last, left_out = self._last.get(message, (-_EVERY, 0))
        now = monotonic()
        if now - last < _EVERY:
            self._last[message] = last, left_out + 1
            return False
        self._last[message] = now, 0
        if left_out:
            record.left_out = left_out
        return True


class _Json(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        return orjson.dumps(_entry(record)).decode()


class _Text(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        entry = _entry(record)
        clock, level = entry.pop("time")[11:19], entry.pop("level")
        message = entry.pop("message")
        rest = " ".join(f"{name}={value}" for name, value in entry.items() if value != "")
        mark = "" if level == "info" else f"{level}: "
        return f"{clock} {mark}{message} {rest}".rstrip()


def _entry(record: logging.LogRecord) -> dict[str, Any]:
    entry: dict[str, Any] = {
        "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
        "level": record.levelname.casefold(),
        "message": record.getMessage().partition("\n")[0],
    }
    entry |= {name: getattr(record, name) for name in _FIELDS if hasattr(record, name)}
    if record.exc_info and record.exc_info[1] is not None:
        entry |= _fault(record.exc_info[1])
    return entry


def _fault(error: BaseException) -> dict[str, Any]:
    """What kind of error and where; not its message, which may hold a text that was judged."""
    frames = extract_tb(error.__traceback__)[-_FRAMES:]
    where = [f"{Path(frame.filename).name}:{frame.lineno} {frame.name}" for frame in frames]
    return {"error": type(error).__name__, "where": where}


def audit(request: Request, action: str, **about: str) -> None:
    """A line for what only those of scope admin can do: who did what.

    `about` names what it was done to; of a token its id, never its name."""
    who = {"request_id": request.state.request_id, "token": token_id_of(request)}
    LOGGER.info(action, extra=who | about)


disable_created_metrics()  # type: ignore[no-untyped-call]  # twice the lines, for no use
# Seconds: from a page to a slow model.
_BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120)


class Metrics:
    """Counts for one service; labels hold templates of routes and outcomes, never ids or texts."""

    def __init__(self) -> None:
        registry = self._registry = CollectorRegistry()
        counter = partial(Counter, registry=registry)
        self._requests = counter(
            "adjudge_http_requests", "Requests that were answered.", ["method", "route", "status"]
        )
        self._seconds = Histogram(
            "adjudge_http_request_seconds",
            "Time until the answer was sent, streams aside.",
            ["route"],
            buckets=_BUCKETS,
            registry=registry,
        )
        made = "Verdicts that the service made, by outcome."
        judgments = counter("adjudge_judgments", made, ["outcome"])
        self._judgments = {outcome: judgments.labels(outcome.value) for outcome in Outcome}
        taken = "Tokens that models read and wrote for these verdicts."
        tokens = counter("adjudge_tokens", taken, ["direction"])
        self._read, self._written = tokens.labels("input"), tokens.labels("output")
        cost = "US dollars that these verdicts cost, where the price is known."
        self._usd = counter("adjudge_usd", cost)
        asked = "Runs that the service was asked for, by state."
        self._jobs = Gauge("adjudge_jobs", asked, ["state"], registry=registry)

    def request(self, method: str, route: str, status: int, seconds: float | None) -> None:
        """`route` is the template; `seconds` is None for a stream, which lasts as it lasts."""
        self._requests.labels(method, route, str(status)).inc()
        if seconds is not None:
            self._seconds.labels(route).observe(seconds)

    def verdict(self, verdict: Verdict) -> None:
        self._judgments[verdict.outcome].inc()
        self._read.inc(verdict.usage.input_tokens)
        self._written.inc(verdict.usage.output_tokens)
        self._usd.inc(verdict.usage.cost_usd or 0.0)

    def jobs(self, state: str, count: Callable[[], float]) -> None:
        """`count` is asked whenever somebody reads the figures."""
        self._jobs.labels(state).set_function(count)

    def text(self) -> bytes:
        return generate_latest(self._registry)
