"""A line for each request on stderr: structured, without texts and without secrets."""

from __future__ import annotations

import logging
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from traceback import extract_tb
from typing import Any

import orjson

from adjudge.service.options import Log

LOGGER = logging.getLogger("adjudge.service")
# What a record may bring along, in this order.
_FIELDS = ("request_id", "method", "route", "status", "ms", "token", "run")
_FRAMES = 8


@contextmanager
def written(kind: Log) -> Iterator[None]:
    """While inside, lines of this service and of uvicorn go to stderr.

    `off` leaves warnings alone, as text.
    """
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_Json() if kind == "json" else _Text())
    loggers = {LOGGER: logging.INFO, logging.getLogger("uvicorn.error"): logging.WARNING}
    for logger, level in loggers.items():
        logger.addHandler(handler)
        logger.propagate = False
        logger.setLevel(logging.WARNING if kind == "off" else level)
    try:
        yield
    finally:
        for logger in loggers:
            logger.removeHandler(handler)
            logger.propagate = True
            logger.setLevel(logging.WARNING)


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
        "message": record.getMessage(),
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
