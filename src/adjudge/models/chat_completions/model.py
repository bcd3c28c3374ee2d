"""A model behind a chat completions server, whichever dialect it speaks."""

from __future__ import annotations

import os
from collections.abc import Collection
from dataclasses import replace
from typing import Any

from adjudge.core.prompt import Prompt, Sampling
from adjudge.core.reason import Reason
from adjudge.core.reply import Reply, Usage
from adjudge.errors import ModelUnavailable, ProviderError

from ..base import Likelihoods, ModelOptions, ProviderBatches
from ..http import Complaint, Endpoint, HttpAnswer, Remedies, complaint_of, decode, pause_of
from ..http_model import HttpModel, SentRequest, Ways, api_key, model_name
from ..prices import FREE, Price, priced, published_price
from .answer import BROKEN_OFF, error_in, filtered, reply_of, usage_of
from .batch import OpenAIBatches
from .dialect import CAPABLE, Dialect, body_fields, dispensable_part, needed_parts, refused_part
from .likelihood import EchoLikelihoods

_NOT_REPORTED = frozenset({404, 405, 501})
# The capability that hangs on a part of the request.
_GIVES = {"response_format": "json_schema", "logprobs": "logprobs", "seed": "seed"}


class OpenAIModel(HttpModel):
    """A model behind `POST {base}/chat/completions`.

    What a server refuses of a request is left out, or put in an older form, from then on: `ways`
    says in which, and `capabilities` what follows from it.
    """

    def __init__(
        self, model: str, dialect: Dialect, endpoint: Endpoint, price: Price | None
    ) -> None:
        super().__init__(f"{dialect.provider}/{model}", endpoint, price, forms=dialect.forms)
        self.batches: ProviderBatches | None = None
        self.likelihoods: Likelihoods | None = None
        self._model = model
        self._dialect = dialect
        self.capabilities = replace(self.capabilities, **_abilities(self._ways))
        if dialect.batches:
            self.batches = OpenAIBatches(endpoint, self._write_for_batch, self._read_of_batch)
        if dialect.completions:
            self.likelihoods = EchoLikelihoods(model, dialect, endpoint, price)

    async def context_size(self) -> int | None:
        """The context as the server reports it, where its dialect says how."""
        at = self._dialect.context
        if at is None:
            return None
        answer = await self._endpoint.call("GET", at.path)
        if answer.status in _NOT_REPORTED:
            return None
        data = decode(answer.body)
        if answer.status != 200:
            raise self._endpoint.failure(complaint_of(answer, data))
        size = at.read(data, self._model)
        if size is not None:
            self.capabilities = replace(self.capabilities, context=size)
        return size

    def _abilities(self, before: Ways) -> dict[str, bool]:
        """Of the parts that changed: a check may know better about the others."""
        return _abilities({part: way for part, way in self._ways.items() if way != before[part]})

    def _body(self, prompt: Prompt, sampling: Sampling, ways: Ways) -> dict[str, Any]:
        return {
            "model": self._model,
            "messages": prompt.messages,
            **self._dialect.always,
            **body_fields(needed_parts(prompt, sampling), ways),
        }

    def _read(self, answer: HttpAnswer, data: Any, sent: SentRequest) -> Reply | Complaint:
        error = error_in(data) if answer.status == 200 else data
        if answer.status != 200 or error is not None:
            complaint = complaint_of(answer, error)
            why = filtered(complaint, error)
            if why is None:
                return complaint
            refusal, usage = self._endpoint.clean(why), priced(Usage(), self.price)
            latency = answer.latency_ms
            return Reply(
                text="", finish="refused", refusal=refusal, usage=usage, latency_ms=latency
            )
        tells_cost = self._dialect.tells_cost
        usage = usage_of(data, self.price, batch=sent.in_batch, tells_cost=tells_cost)
        reply = reply_of(data, usage, answer.latency_ms, pause_of(answer.headers))
        reason = data["choices"][0].get("finish_reason")
        if reason in BROKEN_OFF:
            broke = Reason("model.broken_off", place=self._endpoint.place, why=str(reason))
            raise ProviderError(broke, retryable=True, status=200, sent=True)
        return reply

    def _adapted(self, complaint: Complaint, sent: SentRequest) -> Ways | None:
        part = self._refused_part(complaint, sent)
        return self._without(part, sent.ways) if part else None

    def _refused_part(self, complaint: Complaint, sent: SentRequest) -> str | None:
        # Which parts a request of a batch had is no longer known; one that it had not is not
        # complained of.
        parts: Collection[str] = self._forms
        if sent.prompt and sent.sampling:
            parts = needed_parts(sent.prompt, sent.sampling)
        written = {part for part in parts if sent.ways[part] is not None}
        unnamed = self._dialect.unnamed
        if unnamed and unnamed.search(complaint.message):
            return dispensable_part(written, sent.ways, self._forms)
        if complaint.status not in (400, 422) or complaint.too_long:
            return None
        return refused_part(complaint, written)


def _abilities(ways: Ways) -> dict[str, Any]:
    return {_GIVES[part]: way in CAPABLE for part, way in ways.items() if part in _GIVES}


def open_dialect(dialect: Dialect, rest: str, options: ModelOptions) -> OpenAIModel:
    """The model NAME of `PROVIDER/NAME`.

    It is at the base URL of the options, else at that of the environment, else at the provider's.
    """
    name = model_name(dialect.provider, rest)
    base = base_url_of(dialect, options)
    if not base:
        raise ModelUnavailable(
            Reason("model.no_address", model=name, name=dialect.base, form=dialect.address)
        )
    hosted = not dialect.own and base == dialect.default_base
    needed = hosted or not dialect.default_base
    key = api_key(
        dialect.key,
        name,
        needed=needed and not options.offline,
        or_server=bool(dialect.default_base),
    )
    headers = {dialect.key_field: dialect.key_form.format(key)} if key else {}
    remedies = Remedies(
        key=Reason("model.check_key", name=dialect.key),
        address=_address_remedy(dialect, options),
        name=dialect.model_name,
        start=dialect.start,
    )
    root = dialect.root(base, rest)
    endpoint = Endpoint(root, dialect.chat, headers, key, options.timeout, remedies)
    price = options.price or _price(dialect, rest, hosted)
    return OpenAIModel(rest, dialect, endpoint, price)


def base_url_of(dialect: Dialect, options: ModelOptions) -> str:
    """The base URL that is asked; empty when there is none."""
    base = options.base_url or os.environ.get(dialect.base, "").strip() or dialect.default_base
    return base.rstrip("/")


def _address_remedy(dialect: Dialect, options: ModelOptions) -> Reason:
    """What the user can change about the address."""
    hint = f" ({dialect.address})" if dialect.address else ""
    if options.base_url:
        return Reason("model.base_url", hint=hint)
    if os.environ.get(dialect.base, "").strip():
        return Reason("model.variable", name=dialect.base, hint=hint)
    if dialect.own:
        return Reason("model.address", name=dialect.base)
    return Reason("model.other_server")


def _price(dialect: Dialect, model: str, hosted: bool) -> Price | None:
    if dialect.own:
        return FREE
    # Another server may give the same name to something else, at another price.
    return published_price(dialect.provider, model) if hosted else None
