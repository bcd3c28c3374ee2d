"""Asks one model: not what is kept already, not more at once than it takes, not over budget."""

from __future__ import annotations

from collections.abc import Mapping

from adjudge.core.prompt import Prompt, Sampling
from adjudge.core.reply import Reply
from adjudge.errors import ProviderError
from adjudge.models.base import Model

from .budget import Cost, Ledger, most_it_can_cost
from .cache import ReplyCache
from .keys import request_key
from .limits import Limits
from .retry import with_retries
from .stop import Stop
from .tokens import TokenGuess


class Asker:
    """One model with all that stands between a prompt and its reply.

    Without a cache every question is asked. `scope` sets the requests of a run apart from others'.
    """

    def __init__(
        self,
        model: Model,
        sampling: Sampling,
        limits: Limits,
        ledger: Ledger,
        *,
        cache: ReplyCache | None = None,
        scope: str = "",
    ) -> None:
        self.model, self.sampling = model, sampling
        self.limits, self.ledger, self.cache = limits, ledger, cache
        self.stop: Stop = limits.stop
        self.guess = TokenGuess()
        # Requests that a batch brought no reply to; they are not made a second time.
        self.refused: Mapping[str, ProviderError] = {}
        self._scope = scope

    def key(self, prompt: Prompt) -> str:
        return request_key(self.model, prompt, self.sampling, self._scope)

    async def ask(self, prompt: Prompt) -> tuple[Reply, int]:
        """The reply and how many requests it took, 0 when it was there already.

        Raises ProviderError, BudgetStopped, or Draining when the run is about to stop.
        """
        if self.cache is None:
            return await self._send(prompt)
        key = self.key(prompt)
        kept = await self.cache.known(key)
        if kept is not None:
            return kept, 0
        try:
            reply, attempts = await self._send(prompt, self.refused.get(key))
        except BaseException:
            self.cache.fail(key)
            raise
        self.cache.settle(key, reply)
        return reply, attempts

    async def _send(
        self, prompt: Prompt, refused: ProviderError | None = None
    ) -> tuple[Reply, int]:
        if refused:
            raise refused
        return await with_retries(lambda: self._once(prompt), self.stop)

    async def _once(self, prompt: Prompt) -> Reply:
        tokens, most, held = await self._reserve(prompt)
        cost = Cost()
        try:
            entered = await self.limits.enter(tokens)
            try:
                reply = await self.model.ask(prompt, self.sampling.of_sample(prompt.sample))
            except BaseException as error:
                self.limits.failed(error, entered)
                if not isinstance(error, ProviderError) or error.sent:
                    # It may have been worked on, and billed, though nobody reads the answer.
                    cost = most
                raise
            counted = reply.usage.input_tokens
            if counted:
                self.guess.learn(prompt, counted)
            cost = Cost.of(reply.usage, most)
            self.limits.answered(pause=reply.pause, more_tokens=cost.tokens - tokens)
            return reply
        finally:
            self.ledger.settle(held, cost)

    async def _reserve(self, prompt: Prompt) -> tuple[int, Cost, object]:
        """Tokens guessed, the most that they can cost, and a ticket for that."""
        while True:
            tokens = self.guess.of(prompt)
            most = most_it_can_cost(self.model.price, tokens, self.sampling.max_tokens)
            held = await self.ledger.reserve(most)
            if self.guess.of(prompt) <= tokens:
                return tokens, most, held
            self.ledger.settle(held, Cost())  # longer than was guessed before the wait
