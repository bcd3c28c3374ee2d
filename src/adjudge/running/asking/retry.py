"""Asking again after a failure that may pass."""

from __future__ import annotations

import random
from collections.abc import Awaitable, Callable
from time import monotonic
from typing import TypeVar

from adjudge.errors import ProviderError

from .stop import Stop

ATTEMPTS = 6
_FIRST_WAIT, _LONGEST_WAIT = 0.5, 60.0  # seconds
_PATIENCE = 900.0  # seconds after which no further attempt begins

T = TypeVar("T")


async def with_retries(call: Callable[[], Awaitable[T]], stop: Stop) -> tuple[T, int]:
    """The result and how many attempts it took.

    Waits up to twice as long each time, anything below being as likely ("full jitter"), so that
    callers do not come back together; where the provider says how long, at least that. Raises the
    last ProviderError with `attempts` set on it, or Draining.
    """
    began = monotonic()
    for attempt in range(1, ATTEMPTS + 1):
        try:
            return await call(), attempt
        except ProviderError as error:
            wait = _wait(attempt, error.retry_after)
            late = monotonic() - began + wait > _PATIENCE
            if not error.retryable or attempt == ATTEMPTS or late:
                error.attempts = attempt
                raise
        # Here the error is gone, and with its frames what the server had sent.
        await stop.sleep(wait)
    raise AssertionError("unreachable: the last attempt returns or raises")


def _wait(attempt: int, retry_after: float | None) -> float:
    backoff: float = min(_FIRST_WAIT * 2 ** (attempt - 1), _LONGEST_WAIT)
    jitter = random.uniform(0.0, backoff)  # noqa: S311 - no secret
    return min(retry_after or 0.0, _LONGEST_WAIT) + jitter
