"""Claude through the Messages API: `anthropic/NAME`."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import replace
from time import perf_counter
from typing import Any
from urllib.parse import quote

from adjudge.core.prompt import Prompt, Sampling
from adjudge.core.reply import Reply
from adjudge.errors import ModelUnavailable, UsageError

from .anthropic_answer import blocked, complaint, reply_of, used_up
from .anthropic_batch import AnthropicBatches
from .anthropic_request import FORMS, body_of
from .base import Capabilities, Model, ModelOptions
from .json_body import decode, encode
from .prices import Price, known
from .ways import Ways, after, best
from .ways import known as still_known
from .wire import Answer, Complaint, Endpoint, Remedies

_KEY, _BASE = "ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL"
_DEFAULT_BASE = "https://api.anthropic.com"
_PATH = "/messages"
_VERSION = "2023-06-01"
_NAMES: Mapping[str, re.Pattern[str]] = {
    "json": re.compile(r"tool_choice|\btools\b|input_schema|output_config|output_format"),
    "temperature": re.compile(r"temperature.*(deprecated|not.{0,12}support|unsupported)"),
}


def open_model(rest: str, options: ModelOptions) -> AnthropicModel:
    """The model NAME of `anthropic/NAME`, at Anthropic or at the base URL of a gateway."""
    if not rest:
        raise UsageError("anthropic needs the name of a model: write anthropic/NAME")
    base = options.base_url or os.environ.get(_BASE) or _DEFAULT_BASE
    root = base.rstrip("/").removesuffix(_PATH).removesuffix("/v1")
    own = root == _DEFAULT_BASE
    key = os.environ.get(_KEY, "").strip()
    if not key and own:
        raise ModelUnavailable(f"anthropic/{rest} needs a key: set {_KEY}")
    if not (key.isascii() and key.isprintable()):
        raise ModelUnavailable(f"{_KEY} holds characters that no key has: set it again")
    headers = {"anthropic-version": _VERSION} | ({"x-api-key": key} if key else {})
    remedies = Remedies(
        key=f"check that {_KEY} holds a valid key for it", address=f"--base-url or {_BASE}"
    )
    endpoint = Endpoint(f"{root}/v1", _PATH, headers, key, options.timeout, remedies)
    price = options.price or (known("anthropic", rest) if own else None)
    return AnthropicModel(rest, endpoint, price)


class AnthropicModel(Model):
    """A model behind `POST {base}/v1/messages`.

    JSON comes as the input of a tool that the model must use; where it refuses that, as an output
    format. What it refuses is sent in another form from then on: `capabilities` says so afterwards.
    """

    def __init__(self, model: str, endpoint: Endpoint, price: Price | None) -> None:
        self.name = f"anthropic/{model}"
        self.identity = f"{self.name} at {endpoint.address}"
        # Its newer models count up to a third more tokens than others do.
        self.capabilities = Capabilities(logprobs=False, seed=False, bytes_a_token=(3.0, 2.0))
        self.price = price
        self.batches = AnthropicBatches(endpoint, self._for_batch, self._of_batch)
        self._model = model
        self._endpoint = endpoint
        self._ways = self._ways_of_batch = best(FORMS)

    @property
    def ways(self) -> Ways:
        return self._ways

    @ways.setter
    def ways(self, found: Ways) -> None:
        self._ways = still_known(FORMS, found)
        able = self.capabilities
        bound = able.json_schema and self._ways["json"] is not None
        self.capabilities = replace(able, json_schema=bound)

    async def ask(self, prompt: Prompt, sampling: Sampling) -> Reply:
        """The reply; sent again within the call only where the server refuses a form."""
        while True:
            ways = self._ways
            body = encode(body_of(self._model, prompt, sampling, ways), prompt.item)
            started = perf_counter()
            answer = await self._endpoint.post(body)
            latency_ms = (perf_counter() - started) * 1000
            data = decode(answer.body)
            if answer.status == 200:
                reply = self._reply(answer, data)
                return replace(reply, latency_ms=latency_ms, pause=used_up(answer.headers))
            told = complaint(answer, data)
            refused = blocked(told)
            if refused:
                return replace(refused, latency_ms=latency_ms)
            if not self._adapt(told, ways):
                raise self._endpoint.failure(told)

    async def context_size(self) -> int | None:
        """None at a gateway that does not describe its models."""
        answer = await self._endpoint.call("GET", f"/models/{quote(self._model, safe='')}")
        data = decode(answer.body)
        if answer.status not in (200, 404, 405):
            raise self._endpoint.failure(complaint(answer, data))
        size = data.get("max_input_tokens") if isinstance(data, dict) else None
        return size if isinstance(size, int) else None

    async def aclose(self) -> None:
        await self._endpoint.aclose()

    def _reply(self, answer: Answer, data: Any, *, batch: bool = False) -> Reply:
        try:
            return reply_of(data, self.price, batch)
        except (KeyError, TypeError, ValueError, AttributeError):
            raise self._endpoint.malformed(answer.body) from None

    def _for_batch(self, prompt: Prompt, sampling: Sampling) -> dict[str, object]:
        self._ways_of_batch = self._ways
        return body_of(self._model, prompt, sampling, self._ways)

    def _of_batch(self, answer: Answer, data: Any) -> Reply:
        """The reply within a batch; what was refused can be sent again in another form."""
        if answer.status == 200:
            return self._reply(answer, data, batch=True)
        told = complaint(answer, data)
        refused = blocked(told)
        if refused:
            return refused
        error = self._endpoint.failure(told)
        error.retryable |= self._adapt(told, self._ways_of_batch)
        raise error

    def _adapt(self, told: Complaint, ways: Ways) -> bool:
        """Whether the request can be sent in another way than `ways`, which the server refused."""
        if told.status != 400 or told.too_long:
            return False
        refused = (name for name, pattern in _NAMES.items() if pattern.search(told.message))
        name = next(refused, None)
        other = after(FORMS, ways, name) if name else None
        if name is None or other is None:
            return False
        # Another request may have met the same refusal meanwhile: then its finding is used.
        if self._ways[name] == ways[name]:
            self.ways = {**self._ways, name: other[name]}
        return True
