"""How often, and how much at once."""

from __future__ import annotations

import asyncio
import math
from collections import OrderedDict
from contextlib import suppress
from dataclasses import dataclass
from time import monotonic

from starlette.exceptions import HTTPException
from starlette.types import Message, Receive

# Where data are sent: rows, labels. Elsewhere a body is one item or a form.
_FOR_DATA = frozenset({"/runs/new", "/api/v1/runs", "/api/v1/labels"})

_MOST_BUCKETS = 10_000  # that which was not asked for longest is the fullest
QUIET = 60.0  # seconds without a byte of a body that is not whole
_SLOWEST = 1000  # bytes per second, on the whole, after that
_PATIENCE = 5.0  # seconds for the rest of a body that is refused
_MOST_DISCARDED = 64_000_000  # bytes of it


@dataclass(slots=True)
class _Bucket:
    left: float
    seen: float


class RateLimiter:
    """A bucket per token or address: it holds a minute's requests and fills up evenly."""

    def __init__(self, usual: int) -> None:
        self._usual = usual
        self._buckets: OrderedDict[str, _Bucket] = OrderedDict()

    def take(self, who: str, rate: int | None) -> int:
        """0, or the seconds to wait; `rate` is a token's own, in requests per minute."""
        most, now = rate or self._usual, monotonic()
        bucket = self._buckets.setdefault(who, _Bucket(most, now))
        self._buckets.move_to_end(who)
        if len(self._buckets) > _MOST_BUCKETS:
            self._buckets.popitem(last=False)
        bucket.left = min(most, bucket.left + (now - bucket.seen) * most / 60)
        bucket.seen = now
        if bucket.left < 1:
            return max(1, math.ceil((1 - bucket.left) * 60 / most))
        bucket.left -= 1
        return 0

    def give_back(self, who: str) -> None:
        """As if the last `take` had not been."""
        if who in self._buckets:
            self._buckets[who].left += 1


@dataclass(frozen=True, slots=True)
class BodyLimit:
    """The most bytes of one body; `can_grow` where --max-body sets it."""

    size: int
    can_grow: bool


@dataclass(frozen=True, slots=True)
class BodyLimits:
    """The most bytes of a body: `data` for files and rows, `item` for anything else."""

    data: int
    item: int

    def limit(self, path: str, content_type: str) -> BodyLimit:
        is_data = path in _FOR_DATA or content_type == "multipart/form-data"
        if is_data or self.data < self.item:
            return BodyLimit(self.data, can_grow=True)
        return BodyLimit(self.item, can_grow=False)


def too_large(limit: BodyLimit) -> HTTPException:
    remedy = "Send less at a time"
    if limit.can_grow:
        remedy += ", or raise --max-body of `adjudge serve`"
    return HTTPException(
        413,
        f"The body is larger than {limit.size:,} bytes, the most that is taken here. {remedy}.",
        {"Connection": "close"},  # what is left of it is not read
    )


class RequestBody:
    """A request's body as it comes in; beyond `limit` it ends in 413, whatever it said, and in 408
    where it does not go on."""

    def __init__(self, receive: Receive, limit: BodyLimit) -> None:
        self._receive, self.limit = receive, limit
        self._so_far = 0
        self._ended = False
        self._began = asyncio.get_running_loop().time()

    async def receive(self) -> Message:
        if self._ended:  # what is still to come is that the client leaves
            return await self._receive()
        try:
            async with asyncio.timeout_at(self._due()):
                message = await self._receive()
        except TimeoutError:
            self._ended = True
            detail = "The rest of the body did not come in time. Send the request again."
            raise HTTPException(408, detail, {"Connection": "close"}) from None
        self._so_far += len(message.get("body", b""))
        self._ended = not message.get("more_body", False)
        if self._so_far > self.limit.size:
            await self.discard()
            raise too_large(self.limit)
        return message

    def _due(self) -> float:
        """When the next piece must be there, by the clock of the loop."""
        now = asyncio.get_running_loop().time()
        return min(now, self._began + self._so_far / _SLOWEST) + QUIET

    async def discard(self) -> None:
        """Reads on for a while without keeping anything.

        Most clients look for an answer only once they have sent their body; those whose connection
        is closed before that learn nothing.
        """
        end = self._so_far + _MOST_DISCARDED
        with suppress(TimeoutError):
            async with asyncio.timeout(_PATIENCE):
                while not self._ended and self._so_far < end:
                    message = await self._receive()
                    self._so_far += len(message.get("body", b""))
                    self._ended = not message.get("more_body", False)
