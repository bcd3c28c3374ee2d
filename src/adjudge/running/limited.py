"""A model with an upper bound on the requests in flight."""

from __future__ import annotations

import asyncio

from adjudge.core.prompt import Prompt, Sampling
from adjudge.core.reply import Reply
from adjudge.models.base import Model


class Limited:
    """Passes on to `model`, at most `most` requests at once, or fewer if the model asks for it."""

    def __init__(self, model: Model, most: int) -> None:
        self._model = model
        self.name, self.identity = model.name, model.identity
        self.capabilities = model.capabilities
        self.most = min(most, model.capabilities.concurrency or most)
        self._free = asyncio.Semaphore(self.most)

    async def ask(self, prompt: Prompt, sampling: Sampling) -> Reply:
        async with self._free:
            return await self._model.ask(prompt, sampling)

    async def aclose(self) -> None:
        await self._model.aclose()
