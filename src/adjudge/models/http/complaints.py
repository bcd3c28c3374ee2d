"""What a server answers, what it says when it complains, and how long it asks to wait."""

from __future__ import annotations

import math
import re
import time
from collections.abc import Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import Any, NamedTuple

import orjson

_TOO_LONG = re.compile(
    r"context.{0,3}(length|window|size)|maximum prompt length|(prompt|input) is too (long|large)"
    r"|input tokens exceed|request too large|range of input length"
    r"|inputs?\W+(must have less|tokens \+)",
    re.IGNORECASE,
)
_NO_MODEL = re.compile(
    r"model_not_found|not a valid model|model\W.{0,80}(not found|does ?n.t exist|not exist)",
    re.IGNORECASE,
)
# Looked for in the code alone: some servers word a passing rate limit as a quota.
_NO_CREDIT = re.compile(r"insufficient_(quota|balance|credits)|billing", re.IGNORECASE)


class HttpAnswer(NamedTuple):
    """An HTTP answer, whatever its status. `headers` are found in any case of letters."""

    status: int
    headers: Mapping[str, str]
    body: bytes
    latency_ms: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Complaint:
    """An error that the server reports.

    `code` joins what it gives as code and type, `param` is the field that it blames. Both are empty
    when it does not say. `retry_after` is in seconds.
    """

    status: int
    message: str
    code: str = ""
    param: str = ""
    retry_after: float | None = None

    @property
    def too_long(self) -> bool:
        """Whether the prompt does not fit the model."""
        text = f"{self.code} {self.message}"
        return self.status == 413 or "exceed_context" in text or bool(_TOO_LONG.search(text))

    @property
    def no_credit(self) -> bool:
        """Whether the account has no credit left."""
        return self.status == 402 or bool(_NO_CREDIT.search(self.code))

    @property
    def not_found(self) -> bool:
        """Whether the address leads to no such model, or to no such API."""
        if 300 <= self.status < 400 or self.status in (404, 405):
            return True
        return bool(_NO_MODEL.search(self.code + self.message))


def complaint_of(answer: HttpAnswer, data: object) -> Complaint:
    """What the server complains about, in any of the shapes in use.

    Known: `{"error": {…}}`, `{"error": "text"}`, the fields at the top, `detail` with one or many
    faults, and a body that is no JSON. A status 200 gives way to the code inside the error.
    """
    error: Any = data.get("error", data) if isinstance(data, dict) else data
    if not isinstance(error, dict):
        error = {
            "message": error if error is not None else answer.body[:2000].decode(errors="replace")
        }
    message = error.get("message") or error.get("detail") or error
    inner = error.get("metadata")
    inner = inner if isinstance(inner, dict) else {}
    if inner.get("raw"):
        message = f"{message}: {inner['raw']}"  # a gateway passes on what its own provider said
    status = answer.status
    if status == 200:
        code = error.get("code")
        status = code if isinstance(code, int) and 400 <= code < 600 else 502
    return Complaint(
        status=status,
        message=one_line(message if isinstance(message, str) else orjson.dumps(message).decode()),
        code=f"{error.get('code') or ''} {error.get('type') or ''}".strip(),
        param=str(error.get("param") or ""),
        retry_after=_stated_wait(answer.headers, inner.get("headers")),
    )


def decode(body: bytes) -> Any:
    """What an answer holds; None when that is no JSON."""
    try:
        return orjson.loads(body)
    except orjson.JSONDecodeError:
        return None


def one_line(text: str) -> str:
    return " ".join(text[:2000].split())


def _stated_wait(headers: Mapping[str, str], inside: object) -> float | None:
    """Seconds to wait; a gateway may put the headers of its own limits into the body."""
    wait = retry_after(headers)
    if wait is None and isinstance(inside, dict):
        return retry_after({str(name).lower(): str(value) for name, value in inside.items()})
    return wait


_LIMITS = ("requests", "tokens")
_REMAINING = tuple(f"x-ratelimit-remaining-{limit}" for limit in _LIMITS)
_SPAN = re.compile(r"([\d.]+)(ms|[dhms])")
_SECONDS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
_YEAR_2001 = 1e9  # seconds since 1970; a span of time is never that long


def pause_of(headers: Mapping[str, str]) -> float | None:
    """Seconds to send nothing, when this request has used up a limit."""
    for name in _REMAINING:
        if name in headers:
            return _used_up(headers)
    return None


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds to wait as the server's headers say, None when they do not."""
    waits = [
        _finite(headers.get("retry-after-ms"), 0.001),
        _seconds_or_date(headers.get("retry-after")),
    ]
    known = [wait for wait in waits if wait is not None]
    return known[0] if known else _until_reset(headers)


def _until_reset(headers: Mapping[str, str]) -> float | None:
    """Seconds until a rate limit is reset; the longest wait of those that are used up."""
    used_up = _used_up(headers)
    if used_up is not None:
        return used_up
    waits = [_span(headers.get(f"x-ratelimit-reset-{limit}")) for limit in _LIMITS]
    known = min((wait for wait in waits if wait is not None), default=None)
    return _span_or_time(headers.get("x-ratelimit-reset")) if known is None else known


def _used_up(headers: Mapping[str, str]) -> float | None:
    """The longest wait for a rate limit of which nothing remains."""
    waits = [
        _span(headers.get(f"x-ratelimit-reset-{limit}"))
        for limit, remaining in zip(_LIMITS, _REMAINING, strict=True)
        if headers.get(remaining) == "0"
    ]
    return max((wait for wait in waits if wait is not None), default=None)


def _span_or_time(value: str | None) -> float | None:
    """Seconds from a span, or from a time since 1970 in seconds or milliseconds."""
    seconds = _span(value)
    if seconds is None or seconds < _YEAR_2001:
        return seconds
    moment = seconds / 1000 if seconds > 1000 * _YEAR_2001 else seconds
    return max(0.0, moment - time.time())


def _seconds_or_date(value: str | None) -> float | None:
    """Seconds from a number or an HTTP date."""
    seconds = _finite(value)
    if seconds is None and value:
        try:
            return max(0.0, parsedate_to_datetime(value).timestamp() - time.time())
        except ValueError:
            return None
    return seconds


def _span(value: str | None) -> float | None:
    """Seconds from "6m0s", "20ms" or a bare number."""
    seconds = _finite(value)
    if seconds is None and value:
        parts = _SPAN.findall(value)
        return sum(float(number) * _SECONDS[unit] for number, unit in parts) if parts else None
    return seconds


def _finite(value: str | None, unit: float = 1.0) -> float | None:
    try:
        seconds = float(value or "") * unit
    except ValueError:
        return None
    return max(0.0, seconds) if math.isfinite(seconds) else None
