"""Any server that speaks the chat completions protocol: `openai/NAME`."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from time import perf_counter
from typing import Any

from adjudge.core.prompt import Prompt, Sampling
from adjudge.core.reply import Finish, Reply, TokenLogprob, Usage
from adjudge.errors import ModelUnavailable, UsageError

from .base import Batches, Capabilities, ModelOptions
from .json_body import decode, encode
from .openai_batch import OpenAIBatches
from .prices import Price, known, priced
from .wire import Answer, Complaint, Endpoint, Remedies, complaint_of, pause_of

_KEY = "OPENAI_API_KEY"
_BASE = "OPENAI_BASE_URL"
_DEFAULT_BASE = "https://api.openai.com/v1"
_PATH = "/chat/completions"

_FINISH: Mapping[str, Finish] = {
    "length": "length",
    "max_tokens": "length",
    "content_filter": "refused",
}


@dataclass(frozen=True, slots=True)
class _Field:
    """A part of the request that servers differ on.

    `ways` are the forms that it is sent in, best first, None for leaving it out. `names` finds it
    in an error. `by_name_alone`: any complaint that names it counts, as even a wrong value for it
    says nothing about the judging; else the complaint has to say that the field is not wanted.
    """

    ways: tuple[str | None, ...]
    names: re.Pattern[str]
    by_name_alone: bool = False


# The token limit is never left out: without it a reply may cost any amount.
_FIELDS: Mapping[str, _Field] = {
    "response_format": _Field(
        ("strict", "json_schema", "json_object", None),
        re.compile(r"response.format|json.schema|json_object|\bstrict\b|grammar", re.IGNORECASE),
        by_name_alone=True,
    ),
    "logprobs": _Field(
        ("logprobs", None), re.compile("logprobs", re.IGNORECASE), by_name_alone=True
    ),
    "limit": _Field(
        ("max_completion_tokens", "max_tokens"), re.compile("max_(completion_)?tokens")
    ),
    "temperature": _Field(("temperature", None), re.compile("temperature", re.IGNORECASE)),
    "seed": _Field(("seed", None), re.compile(r"\bseed\b", re.IGNORECASE)),
}
_UNWANTED = re.compile(
    r"unsupported|not.{0,12}support|unknown|unrecogni[sz]ed|unexpected|extra|forbidden|deprecated"
    r"|unavailable|not.{0,6}(permitted|allowed|available|enabled|recogni[sz]ed)|\bonly\b",
    re.IGNORECASE,
)


def open_model(rest: str, options: ModelOptions) -> OpenAIModel:
    """The model NAME of `openai/NAME`, at the base URL of the options, else of the environment."""
    if not rest:
        raise UsageError("openai needs the name of a model: write openai/NAME")
    base, remedy = _DEFAULT_BASE, "--base-url, if you mean another server"
    if options.base_url:
        base, remedy = options.base_url, "--base-url (it often ends in /v1)"
    elif os.environ.get(_BASE):
        base, remedy = os.environ[_BASE], f"{_BASE} (it often ends in /v1)"
    key = os.environ.get(_KEY, "").strip()
    if not key and base == _DEFAULT_BASE:
        raise ModelUnavailable(
            f"openai/{rest} needs a key: set {_KEY}, or name your own server with --base-url"
        )
    if not (key.isascii() and key.isprintable()):
        raise ModelUnavailable(f"{_KEY} holds characters that no key has: set it again")
    root = base.rstrip("/").removesuffix(_PATH)
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    remedies = Remedies(key=f"check that {_KEY} holds a valid key for it", address=remedy)
    endpoint = Endpoint(root, _PATH, headers, key, options.timeout, remedies)
    # Another server may give the same name to something else, at another price.
    published = known("openai", rest) if base.rstrip("/") == _DEFAULT_BASE else None
    return OpenAIModel(rest, endpoint, options.price or published)


class OpenAIModel:
    """A model behind `POST {base}/chat/completions`.

    What a server refuses of a request is left out, or put in an older form, from then on:
    `capabilities` says so afterwards.
    """

    def __init__(self, model: str, endpoint: Endpoint, price: Price | None) -> None:
        self.name = f"openai/{model}"
        self.identity = f"{self.name} at {endpoint.address}"
        self.capabilities = Capabilities()
        self.price = price
        self.batches: Batches | None = OpenAIBatches(endpoint, self._for_batch, self._of_batch)
        self._model = model
        self._endpoint = endpoint
        self._ways = {name: field.ways[0] for name, field in _FIELDS.items()}
        self._ways_of_batch = self._ways

    async def ask(self, prompt: Prompt, sampling: Sampling) -> Reply:
        """The reply; sent again within the call only where the server refuses a field.

        This ends: each field moves through its ways once for the life of the model.
        """
        while True:
            ways = self._ways
            body = self._body(prompt, sampling, ways)
            started = perf_counter()
            answer = await self._endpoint.post(encode(body, prompt.item))
            latency_ms = (perf_counter() - started) * 1000
            data = decode(answer.body)
            if answer.status == 200 and not _has_error(data):
                return self._reply(answer, data, latency_ms=latency_ms)
            told = complaint_of(answer, data)
            if not self._adapt(told, body, ways):
                raise self._endpoint.failure(told)

    async def aclose(self) -> None:
        await self._endpoint.aclose()

    def _body(
        self, prompt: Prompt, sampling: Sampling, ways: Mapping[str, str | None]
    ) -> dict[str, object]:
        body: dict[str, object] = {
            "model": self._model,
            "messages": prompt.messages,
            str(ways["limit"]): sampling.max_tokens,
        }
        if sampling.temperature is not None and ways["temperature"]:
            body["temperature"] = sampling.temperature
        if sampling.seed is not None and ways["seed"]:
            body["seed"] = sampling.seed
        if sampling.top_logprobs and ways["logprobs"]:
            body["logprobs"] = True
            body["top_logprobs"] = sampling.top_logprobs
        if prompt.schema is not None and ways["response_format"]:
            body["response_format"] = _format(prompt.schema, ways["response_format"])
        return body

    def _reply(
        self, answer: Answer, data: Any, *, latency_ms: float = 0.0, batch: bool = False
    ) -> Reply:
        pause = pause_of(answer.headers)
        try:
            return _reply(
                data, _usage(data.get("usage") or {}, self.price, batch), latency_ms, pause
            )
        except (KeyError, IndexError, TypeError, ValueError, AttributeError):
            raise self._endpoint.malformed(answer.body) from None

    def _for_batch(self, prompt: Prompt, sampling: Sampling) -> dict[str, object]:
        self._ways_of_batch = self._ways
        return self._body(prompt, sampling, self._ways)

    def _of_batch(self, answer: Answer, data: Any) -> Reply:
        """The reply within a batch; what was refused can be sent again in another form."""
        if answer.status == 200 and not _has_error(data):
            return self._reply(answer, data, batch=True)
        told = complaint_of(answer, data)
        error = self._endpoint.failure(told)
        # Which fields it had is no longer known; one that it had not is not complained of.
        error.retryable |= self._adapt(told, _FIELDS, self._ways_of_batch)
        raise error

    def _adapt(
        self, told: Complaint, body: Mapping[str, object], ways: Mapping[str, str | None]
    ) -> bool:
        """Whether the request can be sent in another way than `ways`, which the server refused."""
        if told.status not in (400, 422) or told.too_long:
            return False
        name = _refused(told, body)
        if name is None or ways[name] == _FIELDS[name].ways[-1]:
            return False
        # Another request may have met the same refusal meanwhile: then its finding is used.
        if self._ways[name] == ways[name]:
            order = _FIELDS[name].ways
            self._ways = {**self._ways, name: order[order.index(ways[name]) + 1]}
            self.capabilities = replace(
                self.capabilities,
                json_schema=self._ways["response_format"] in ("strict", "json_schema"),
                logprobs=self._ways["logprobs"] is not None,
            )
        return True


def _refused(told: Complaint, body: Mapping[str, object]) -> str | None:
    """The field that the server does not take; what it points at counts before what it says."""
    unwanted = bool(_UNWANTED.search(f"{told.code} {told.message}"))
    for where in (told.param, told.message):
        for name, field in _FIELDS.items():
            sent = name == "limit" or name in body
            if sent and field.names.search(where) and (field.by_name_alone or unwanted):
                return name
    return None


def _format(schema: Mapping[str, object], way: str) -> dict[str, object]:
    if way == "json_object":
        return {"type": "json_object"}
    named: dict[str, object] = {"name": "verdict", "schema": schema}
    if way == "strict":
        named["strict"] = True
    return {"type": "json_schema", "json_schema": named}


def _has_error(data: Any) -> bool:
    """Whether an answer of status 200 reports an error after all, as gateways do."""
    return isinstance(data, dict) and bool(data.get("error"))


def _reply(data: Any, usage: Usage, latency_ms: float, pause: float | None) -> Reply:
    choice = data["choices"][0]
    if choice.get("finish_reason") == "error":  # a gateway's provider broke off in the middle
        raise ValueError("not a whole reply")
    message = choice["message"]
    refusal = message.get("refusal") or None
    finish: Finish = "refused" if refusal else _FINISH.get(choice.get("finish_reason"), "stop")
    return Reply(
        text=_text(message.get("content")),
        finish=finish,
        usage=usage,
        logprobs=_logprobs(choice.get("logprobs")),
        refusal=refusal,
        latency_ms=latency_ms,
        pause=pause,
    )


def _text(content: Any) -> str:
    """The text of a message, whose content may be null or a list of parts."""
    if isinstance(content, str):
        return content
    parts = [part.get("text") for part in content or () if part.get("type") == "text"]
    return "".join(part for part in parts if part)


def _usage(usage: Mapping[str, Any], price: Price | None, batch: bool) -> Usage:
    details = usage.get("prompt_tokens_details") or {}
    tokens = Usage(
        input_tokens=int(usage.get("prompt_tokens") or 0),
        output_tokens=int(usage.get("completion_tokens") or 0),
        cached_tokens=int(details.get("cached_tokens") or 0),
    )
    written = int(details.get("cache_write_tokens") or 0)
    return priced(tokens, price, batch=batch, written=written)


def _logprobs(logprobs: Any) -> tuple[TokenLogprob, ...] | None:
    tokens = logprobs.get("content") if logprobs else None
    if not tokens:
        return None
    return tuple(
        TokenLogprob(token["token"], float(token["logprob"]), _alternatives(token))
        for token in tokens
    )


def _alternatives(token: Mapping[str, Any]) -> dict[str, float]:
    """Log-probabilities by token; of byte pieces that look alike, the likeliest."""
    found: dict[str, float] = {}
    for other in token.get("top_logprobs") or ():
        found.setdefault(other["token"], float(other["logprob"]))
    return found
