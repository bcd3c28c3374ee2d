"""Asking again after a failure that may pass."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable
from typing import TypeVar

from adjudge.errors import ProviderError

ATTEMPTS = 5
_FIRST_WAIT, _LONGEST_WAIT = 0.5, 60.0  # seconds

T = TypeVar("T")


async def with_retries(call: Callable[[], Awaitable[T]]) -> tuple[T, int]:
    """The result and how many attempts it took.

    Waits twice as long each time, with jitter so that callers do not come back together, or as long
    as the provider says. Raises the last ProviderError with `attempts` set on it.
    """
    for attempt in range(1, ATTEMPTS + 1):
        try:
            return await call(), attempt
        except ProviderError as error:
            if not error.retryable or attempt == ATTEMPTS:
                error.attempts = attempt
                raise
            await asyncio.sleep(_wait(attempt, error.retry_after))
    raise AssertionError("unreachable: the last attempt returns or raises")


def _wait(attempt: int, retry_after: float | None) -> float:
    if retry_after:  # "0" says nothing: at once, it would meet the same again
        return min(retry_after, _LONGEST_WAIT)
    backoff: float = min(_FIRST_WAIT * 2 ** (attempt - 1), _LONGEST_WAIT)
    return backoff * random.uniform(0.5, 1.0)  # noqa: S311 - jitter, not a secret
