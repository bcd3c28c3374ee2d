"""Asks one model: not what is kept already, not more at once than it takes, not over budget."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from copy import copy
from dataclasses import replace

from adjudge.core.prompt import Prompt, Sampling
from adjudge.core.reason import Reason
from adjudge.core.reply import Reply
from adjudge.errors import ProviderError
from adjudge.models import Capabilities, Model
from adjudge.models.usage import plausible_usage, with_estimates
from adjudge.stores import NOTHING, Cost

from ..recording import Recording, missing_in_cache
from .budget import BudgetStopped, Ledger, Ticket, cost_of, most_it_can_cost
from .cache import ReplyCache, request_key
from .limits import Limits
from .retry import with_retries
from .stop import Draining, Stop
from .tokens import TokenGuess

_SURELY = 2  # times the context is too long, however the model counts
_LARGE = 20  # times the longest reply is a context that no prompt fills by accident
_SHORT_REPLY = 256  # tokens that are asked for in any case
_LONGEST_TEXT = 2**21  # characters of a reply: no model writes more, and reading it would take long


def endless(reply: Reply) -> bool:
    """Whether its text is longer than any answer."""
    return len(reply.text) > _LONGEST_TEXT


def no_answer(model: Model, reply: Reply) -> ProviderError:
    """The error that stands for an endless text."""
    reason = Reason("model.endless", model=model.name, characters=len(reply.text))
    return ProviderError(reason, retryable=True, sent=True)


class ModelClient:
    """One model with all that stands between a prompt and its reply.

    Without a cache every question is asked. A `namespace` keeps the requests of one run apart.
    """

    def __init__(
        self,
        model: Model,
        sampling: Sampling,
        limits: Limits,
        ledger: Ledger,
        *,
        cache: ReplyCache | None = None,
        namespace: str = "",
    ) -> None:
        self.model, self.sampling = model, sampling
        self.limits, self.ledger, self.cache = limits, ledger, cache
        self.stop: Stop = limits.stop
        self.guess = TokenGuess(model.capabilities.bytes_per_token)
        # Requests that a batch brought no reply to; they are not made a second time.
        self.refused: Mapping[str, ProviderError] = {}
        # Hears when the model turns out to lack something.
        self.noticed: Callable[[Capabilities, Capabilities], None] | None = None
        # A file that replies go to, or come from; `offline`: nothing is asked.
        self.recording: Recording | None = None
        self.offline = False
        self._capabilities = model.capabilities
        self._namespace = namespace
        self._counts = ledger.budget is not None or limits.counts_tokens

    def key(self, prompt: Prompt) -> str:
        return request_key(self.model, prompt, self.sampling, self._namespace)

    def sampler(self) -> ModelClient:
        """The same for samples: with chance in the replies, and without probabilities."""
        other = copy(self)
        other.sampling = replace(self.sampling, temperature=1.0, top_logprobs=0)
        return other

    async def ask(self, prompt: Prompt, key: str) -> tuple[Reply, int]:
        """The reply and how many requests it took, 0 when it was kept or recorded already.

        Raises ProviderError, BudgetStopped, or Draining when the run is about to stop.
        """
        if self.recording is None:
            return await self._kept_or_sent(prompt, key)
        recorded = self.recording.find(self.model.name, prompt, self.sampling)
        reply, attempts = await self._kept_or_sent(prompt, key, recorded)
        if recorded is None:
            self.recording.keep(self.model, prompt, self.sampling, reply)
        return recorded or reply, attempts

    async def _kept_or_sent(
        self, prompt: Prompt, key: str, recorded: Reply | None = None
    ) -> tuple[Reply, int]:
        if self.cache is None:
            return (recorded, 0) if recorded else await self._send(prompt)
        kept = await self.cache.known(key)
        if kept is not None:
            return self._counted(prompt, kept), 0
        try:
            asked = (recorded, 0) if recorded else await self._send(prompt, self.refused.get(key))
        except BaseException:
            self.cache.fail(key)
            raise
        self.cache.settle(key, asked[0])
        return asked

    async def _send(
        self, prompt: Prompt, refused: ProviderError | None = None
    ) -> tuple[Reply, int]:
        if refused:
            raise refused
        if self.offline:  # every run without a model would meet the same
            missing = self.recording.missing if self.recording else missing_in_cache
            raise ProviderError(missing(prompt), fatal=True)
        if self.too_long(prompt):
            raise self._not_sent(prompt)
        return await with_retries(lambda: self._once(prompt), self.stop)

    def too_long(self, prompt: Prompt) -> bool:
        """Whether it cannot fit even if the guess is twice too high; else the model decides."""
        context = self.model.capabilities.context
        if context is None:
            return False
        return self.guess.rough(prompt) > _SURELY * context

    def _not_sent(self, prompt: Prompt) -> ProviderError:
        tokens = self.guess.rough(prompt)
        sizes = {"tokens": tokens, "most": self.model.capabilities.context}
        error = ProviderError(
            Reason("model.prompt_too_long", model=self.model.name, **sizes), status=413
        )
        error.attempts = 0
        return error

    async def _once(self, prompt: Prompt) -> Reply:
        """One request; its tokens are estimated only where a limit or a budget counts them."""
        rough = self.guess.rough(prompt) if self._counts else 0
        tokens, held = await self._reserve(rough) if rough else (0, None)
        try:
            reply = await self._within_limits(prompt, tokens)
        except BaseException as error:
            # It may have been worked on, and billed, though nobody reads the answer.
            not_sent = isinstance(error, Draining) or (
                isinstance(error, ProviderError) and not error.sent
            )
            lost = NOTHING if not_sent else self._most(rough or self.guess.rough(prompt))
            self.ledger.settle(held, lost)
            raise
        self.ledger.settle(held, cost_of(reply.usage, self._most(rough) if rough else NOTHING))
        if rough:
            self.guess.learn(rough, reply.usage)
        return reply

    async def _within_limits(self, prompt: Prompt, tokens: int) -> Reply:
        entered = await self.limits.enter(tokens)
        try:
            reply = self._counted(prompt, await self._asked(prompt))
        except BaseException as error:
            self.limits.failed(error, entered)
            raise
        if self.model.capabilities is not self._capabilities:
            before, self._capabilities = self._capabilities, self.model.capabilities
            if self.noticed:
                self.noticed(before, self._capabilities)
        used = reply.usage.input_tokens + reply.usage.output_tokens
        self.limits.answered(pause=reply.pause, more_tokens=used - tokens)
        return reply

    def _counted(self, prompt: Prompt, reply: Reply) -> Reply:
        """With a plausible usage, estimated where the model gives none."""
        usage = plausible_usage(reply.usage, self.model.price)
        if usage.doubts or not usage.output_tokens:
            wrote = self.guess.of_text(reply.text)
            usage = with_estimates(usage, self.model.price, self.guess.of(prompt), wrote)
        return reply if usage is reply.usage else replace(reply, usage=usage)

    async def _asked(self, prompt: Prompt) -> Reply:
        if prompt.target is None:
            reply = await self.model.ask(prompt, self._sampling(prompt))
            if endless(reply):
                # Not by way of a name: a frame that names its error, and so itself, is not freed
                # before the next look for garbage, and with it all of this text.
                raise no_answer(self.model, reply)
            return reply
        if self.model.likelihoods is None:
            raise ProviderError(Reason("model.no_likelihoods", model=self.model.name), fatal=True)
        return await self.model.likelihoods.of(prompt.messages[0].content, prompt.target)

    def _sampling(self, prompt: Prompt) -> Sampling:
        """With no longer a reply than there is room for: some servers would not even begin."""
        wanted = self.sampling.of_sample(prompt.sample)
        context = self.model.capabilities.context
        if context is None or context >= _LARGE * wanted.max_tokens:
            return wanted
        room = context - self.guess.rough(prompt)
        return replace(wanted, max_tokens=min(wanted.max_tokens, max(room, _SHORT_REPLY)))

    async def _reserve(self, rough: int) -> tuple[int, Ticket]:
        """Tokens guessed, and a ticket for the most that they can cost."""
        while True:
            tokens, most = self.guess.learned(rough), self._most(rough)
            try:
                held = await self.ledger.reserve(most)
            except BudgetStopped:
                if self.ledger.unused:
                    raise BudgetStopped(self._one_call(rough, most)) from None
                raise
            if self._most(rough).tokens <= most.tokens:
                return tokens, held
            self.ledger.settle(held, NOTHING)  # it may take more than was guessed before the wait

    def _one_call(self, rough: int, most: Cost) -> Reason:
        """That the budget is too small for a single call, and how long a reply it would pay."""
        budget, tokens_in = self.ledger.budget, self.guess.learned(rough)
        assert budget is not None  # noqa: S101 - without one nothing is refused
        price, longest = self.model.price, self.sampling.max_tokens
        paid = 0
        while longest - paid > 1:  # halving: the cost rises with the length
            middle = (paid + longest) // 2
            cost = most_it_can_cost(price, tokens_in, self.guess.longest_reply(middle))
            paid, longest = (middle, longest) if budget.covers(cost) else (paid, middle)
        sizes = {"prompt": tokens_in, "reply": self.sampling.max_tokens, "paid": paid}
        return Reason("budget_one_call", budget=str(budget), need=budget.shown(most), **sizes)

    def _most(self, rough: int) -> Cost:
        reply = self.guess.longest_reply(self.sampling.max_tokens)
        return most_it_can_cost(self.model.price, self.guess.learned(rough), reply)
