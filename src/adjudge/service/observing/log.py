"""A line for each request on stderr: structured, without texts and without secrets."""

from __future__ import annotations

import logging
import sys
from asyncio import CancelledError
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from time import monotonic
from traceback import extract_tb
from typing import Any

import orjson

from adjudge.service.options import Log

LOGGER = logging.getLogger("adjudge.service")
# What a record may bring along, in this order.
_FIELDS = (
    "request_id",
    "method",
    "route",
    "status",
    "ms",
    "token",
    "target",
    "scope",
    "run",
    "left_out",
)
_FRAMES = 8
_EVERY = 1.0  # seconds


@contextmanager
def written(kind: Log) -> Iterator[None]:
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
        self._told: dict[str, tuple[float, int]] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        if record.name == LOGGER.name:
            return True
        if record.exc_info and isinstance(record.exc_info[1], CancelledError):
            return False
        said = str(record.msg)
        last, left_out = self._told.get(said, (-_EVERY, 0))
        now = monotonic()
        if now - last < _EVERY:
            self._told[said] = last, left_out + 1
            return False
        self._told[said] = now, 0
        if left_out:
            record.left_out = left_out
        return True


class _Json(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        return orjson.dumps(_told(record)).decode()


class _Text(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        told = _told(record)
        clock, level = told.pop("time")[11:19], told.pop("level")
        said = told.pop("message")
        rest = " ".join(f"{name}={value}" for name, value in told.items() if value != "")
        mark = "" if level == "info" else f"{level}: "
        return f"{clock} {mark}{said} {rest}".rstrip()


def _told(record: logging.LogRecord) -> dict[str, Any]:
    told: dict[str, Any] = {
        "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
        "level": record.levelname.casefold(),
        "message": record.getMessage().partition("\n")[0],
    }
    told |= {name: getattr(record, name) for name in _FIELDS if hasattr(record, name)}
    if record.exc_info and record.exc_info[1] is not None:
        told |= _fault(record.exc_info[1])
    return told


def _fault(error: BaseException) -> dict[str, Any]:
    """What kind of error and where; not its message, which may hold a text that was judged."""
    frames = extract_tb(error.__traceback__)[-_FRAMES:]
    where = [f"{Path(each.filename).name}:{each.lineno} {each.name}" for each in frames]
    return {"error": type(error).__name__, "where": where}
