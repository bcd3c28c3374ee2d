"""How likely a given text is to the embedded model."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from functools import lru_cache
from pathlib import Path

from adjudge.core.reply import Reply, TokenLogprob, Usage

from .base import Likelihoods
from .llama_native import Native


class EmbeddedLikelihoods(Likelihoods):
    """Reads with a context of its own, beside the one that writes replies."""

    def __init__(self, located: Callable[[], Awaitable[Path]]) -> None:
        self._located = located
        self._native: Native | None = None
        self._turn = asyncio.Lock()

    async def of(self, given: str, text: str) -> Reply:
        if not text:
            return Reply(text="", logprobs=())
        began = time.monotonic()
        async with self._turn:
            if self._native is None:
                self._native = await asyncio.to_thread(_native, await self._located())
            found = await asyncio.to_thread(self._native.likelihood, given, text)
        return Reply(
            text="",
            logprobs=tuple(
                TokenLogprob(token.decode(errors="replace"), logprob, {})
                for token, logprob in zip(found.tokens, found.logprobs, strict=True)
            ),
            usage=Usage(input_tokens=found.total, cached_tokens=found.reused),
            latency_ms=(time.monotonic() - began) * 1000,
        )


@lru_cache(maxsize=1)
def _native(path: Path) -> Native:
    """The last one stays loaded, as the engine that writes does."""
    return Native(path)
