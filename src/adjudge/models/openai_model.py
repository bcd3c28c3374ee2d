"""A model behind a chat completions server, whichever dialect it speaks."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from time import perf_counter
from typing import Any

from adjudge.core.prompt import Prompt, Sampling
from adjudge.core.reply import Reply, Usage
from adjudge.errors import ProviderError

from . import openai_fields as fields
from .base import Batches, Capabilities, Likelihoods, Model
from .json_body import decode, encode
from .openai_answer import BROKEN_OFF, error_in, filtered, reply_of, usage_of
from .openai_batch import OpenAIBatches
from .openai_dialect import Dialect
from .openai_likelihood import EchoLikelihoods
from .prices import Price, priced
from .ways import Ways, after, best, further, known
from .wire import Answer, Complaint, Endpoint, complaint_of, pause_of

_NOT_TOLD = frozenset({404, 405, 501})
# The capability that hangs on a part of the request.
_GIVES = {"response_format": "json_schema", "logprobs": "logprobs", "seed": "seed"}


class OpenAIModel(Model):
    """A model behind `POST {base}/chat/completions`.

    What a server refuses of a request is left out, or put in an older form, from then on: `ways`
    says in which, and `capabilities` what follows from it.
    """

    def __init__(
        self, model: str, dialect: Dialect, endpoint: Endpoint, price: Price | None
    ) -> None:
        self.name = f"{dialect.provider}/{model}"
        self.identity = f"{self.name} at {endpoint.address}"
        self.capabilities = Capabilities()
        self.price = price
        self.batches: Batches | None = None
        self.likelihoods: Likelihoods | None = None
        self._model = model
        self._dialect = dialect
        self._endpoint = endpoint
        self._ways: Ways = {}
        self.ways = best(dialect.forms)
        self._ways_of_batch: Ways = self._ways
        if dialect.batches:
            self.batches = OpenAIBatches(endpoint, self._for_batch, self._of_batch)
        if dialect.completions:
            self.likelihoods = EchoLikelihoods(model, dialect, endpoint, price)

    @property
    def ways(self) -> Ways:
        """The form of each part of a request; one that the dialect has not is not taken over."""
        return self._ways

    @ways.setter
    def ways(self, found: Ways) -> None:
        before, self._ways = self._ways, known(self._dialect.forms, found)
        changed = [part for part in _GIVES if self._ways[part] != before.get(part, "")]
        can: dict[str, Any] = {_GIVES[part]: self._ways[part] in fields.CAPABLE for part in changed}
        self.capabilities = replace(self.capabilities, **can)

    async def ask(self, prompt: Prompt, sampling: Sampling) -> Reply:
        """The reply; sent again within the call only where the server refuses a part.

        This ends: each part moves through its ways once for the life of the model.
        """
        parts = fields.asked_for(prompt, sampling)
        while True:
            ways = self._ways
            body = encode(self._body(prompt, parts, ways), prompt.item)
            started = perf_counter()
            answer = await self._endpoint.post(body)
            latency_ms = (perf_counter() - started) * 1000
            try:
                return self._reply(answer, decode(answer.body), latency_ms=latency_ms)
            except _Refused as refused:
                if not self._adapt(refused.told, parts, ways):
                    raise self._endpoint.failure(refused.told) from None

    async def context_size(self) -> int | None:
        """The context as the server tells it, where its dialect has a place for that."""
        at = self._dialect.context
        if at is None:
            return None
        answer = await self._endpoint.call("GET", at.path)
        if answer.status in _NOT_TOLD:
            return None
        told = decode(answer.body)
        if answer.status != 200:
            raise self._endpoint.failure(complaint_of(answer, told))
        size = at.read(told, self._model)
        if size is not None:
            self.capabilities = replace(self.capabilities, context=size)
        return size

    async def aclose(self) -> None:
        await self._endpoint.aclose()

    def _body(self, prompt: Prompt, parts: Mapping[str, object], ways: Ways) -> dict[str, object]:
        return {
            "model": self._model,
            "messages": prompt.messages,
            **self._dialect.always,
            **fields.written(parts, ways),
        }

    def _reply(
        self, answer: Answer, data: Any, *, latency_ms: float = 0.0, batch: bool = False
    ) -> Reply:
        """The reply in an answer; _Refused when it reports an error instead."""
        error = error_in(data) if answer.status == 200 else data
        if answer.status != 200 or error is not None:
            told = complaint_of(answer, error)
            why = filtered(told, error)
            if why is None:
                raise _Refused(told)
            refusal, usage = self._endpoint.clean(why), priced(Usage(), self.price)
            return Reply(
                text="", finish="refused", refusal=refusal, usage=usage, latency_ms=latency_ms
            )
        try:
            tells_cost = self._dialect.tells_cost
            usage = usage_of(data, self.price, batch=batch, tells_cost=tells_cost)
            reply = reply_of(data, usage, latency_ms, pause_of(answer.headers))
            reason = data["choices"][0].get("finish_reason")
        except (KeyError, IndexError, TypeError, ValueError, AttributeError):
            raise self._endpoint.malformed(answer.body) from None
        if reason in BROKEN_OFF:
            text = f"{self._endpoint.place} broke off the reply ({reason})"
            raise ProviderError(text, retryable=True, status=200, sent=True)
        return reply

    def _for_batch(self, prompt: Prompt, sampling: Sampling) -> dict[str, object]:
        self._ways_of_batch = self._ways
        return self._body(prompt, fields.asked_for(prompt, sampling), self._ways)

    def _of_batch(self, answer: Answer, data: Any) -> Reply:
        """The reply within a batch; what was refused can be sent again in another form."""
        try:
            return self._reply(answer, data, batch=True)
        except _Refused as refused:
            error = self._endpoint.failure(refused.told)
            # Which parts it had is no longer known; one that it had not is not complained of.
            parts = self._dialect.forms
            error.retryable |= self._adapt(refused.told, parts, self._ways_of_batch)
            raise error from None

    def _adapt(self, told: Complaint, parts: Collection[str], ways: Ways) -> bool:
        """Whether the request can be sent in another way than `ways`, which the server refused."""
        part = self._refused_part(told, parts, ways)
        others = after(self._dialect.forms, ways, part) if part else None
        if others is None:
            return False
        # Another request may have met the same refusal meanwhile: then its finding is used.
        self.ways = further(self._dialect.forms, self._ways, others)
        return True

    def _refused_part(self, told: Complaint, parts: Collection[str], ways: Ways) -> str | None:
        sent = {part for part in parts if ways[part] is not None}
        unnamed = self._dialect.unnamed
        if unnamed and unnamed.search(told.message):
            return fields.dispensable(sent, ways, self._dialect.forms)
        if told.status not in (400, 422) or told.too_long:
            return None
        return fields.refused(told, sent)


class _Refused(Exception):  # noqa: N818 - what happened, on its way to the one who may adapt
    def __init__(self, told: Complaint) -> None:
        super().__init__(told.message)
        self.told = told
