"""How long a server wants to be left alone, as its headers say."""

from __future__ import annotations

import math
import re
import time
from collections.abc import Mapping
from email.utils import parsedate_to_datetime

_LIMITS = ("requests", "tokens")
_REMAINING = tuple(f"x-ratelimit-remaining-{limit}" for limit in _LIMITS)
_SPAN = re.compile(r"([\d.]+)(ms|[dhms])")
_SECONDS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
_YEAR_2001 = 1e9  # seconds since 1970; a span of time is never that long


def pause_of(headers: Mapping[str, str]) -> float | None:
    """Seconds that no further request makes sense, when a limit is used up by this one."""
    for name in _REMAINING:
        if name in headers:
            return _used_up(headers)
    return None


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds to wait as the server's headers say, None when they do not."""
    waits = [_number(headers.get("retry-after-ms"), 0.001), _wait(headers.get("retry-after"))]
    known = [wait for wait in waits if wait is not None]
    return known[0] if known else _reset(headers)


def _reset(headers: Mapping[str, str]) -> float | None:
    """The wait until a rate limit is whole again; the longest of those that are used up."""
    used_up = _used_up(headers)
    if used_up is not None:
        return used_up
    waits = [_span(headers.get(f"x-ratelimit-reset-{limit}")) for limit in _LIMITS]
    known = min((wait for wait in waits if wait is not None), default=None)
    return _until(headers.get("x-ratelimit-reset")) if known is None else known


def _used_up(headers: Mapping[str, str]) -> float | None:
    """The longest wait for a rate limit of which nothing remains."""
    waits = [
        _span(headers.get(f"x-ratelimit-reset-{limit}"))
        for limit, remaining in zip(_LIMITS, _REMAINING, strict=True)
        if headers.get(remaining) == "0"
    ]
    return max((wait for wait in waits if wait is not None), default=None)


def _until(value: str | None) -> float | None:
    """Seconds from a span, or from a time since 1970 in seconds or milliseconds."""
    seconds = _span(value)
    if seconds is None or seconds < _YEAR_2001:
        return seconds
    moment = seconds / 1000 if seconds > 1000 * _YEAR_2001 else seconds
    return max(0.0, moment - time.time())


def _wait(value: str | None) -> float | None:
    """Seconds from a number or an HTTP date."""
    seconds = _number(value)
    if seconds is None and value:
        try:
            return max(0.0, parsedate_to_datetime(value).timestamp() - time.time())
        except ValueError:
            return None
    return seconds


def _span(value: str | None) -> float | None:
    """Seconds from "6m0s", "20ms" or a bare number."""
    seconds = _number(value)
    if seconds is None and value:
        parts = _SPAN.findall(value)
        return sum(float(number) * _SECONDS[unit] for number, unit in parts) if parts else None
    return seconds


def _number(value: str | None, unit: float = 1.0) -> float | None:
    try:
        seconds = float(value or "") * unit
    except ValueError:
        return None
    return max(0.0, seconds) if math.isfinite(seconds) else None
