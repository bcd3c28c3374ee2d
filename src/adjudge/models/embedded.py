"""The embedded model: llama.cpp inside this process, no server, no key, no network."""

from __future__ import annotations

import asyncio
import json
import os
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from adjudge.core.prompt import Prompt, Sampling
from adjudge.core.reply import Finish, Reply, Usage
from adjudge.core.turn_marks import broken
from adjudge.errors import ModelUnavailable, ProviderError

from . import hub, llama, weights
from .base import Capabilities, Generating, Model, ModelOptions
from .bounded_schema import bounded
from .embedded_likelihood import EmbeddedLikelihoods
from .prices import FREE, Price
from .token_logprobs import aligned

# Of every model in this process.
CAPABILITIES = Capabilities(patterns=True, small=True, concurrency=1, context=llama.CONTEXT)
# A request that was given no --timeout. A full context read at 20 tokens/s and 1024 tokens written
# at 3 take 750 s, which nobody should lose for a limit that is meant for a network.
_PATIENCE = 900.0
# Bytes a token where a model's vocabulary has few words of other languages, as counted on Korean.
_RATES = {"smollm2-135m": (3.5, 1.3)}


def open_model(rest: str, options: ModelOptions) -> EmbeddedModel:
    """The model for what follows `embedded`: nothing, a name, or the path of a GGUF file.

    Nothing stands for ADJUDGE_EMBEDDED (a name or a path), else for the recommended model. Neither
    loads nor fetches anything: that happens with the first question.
    """
    chosen = rest or os.environ.get("ADJUDGE_EMBEDDED", "") or weights.DEFAULT
    limit = _PATIENCE if options.timeout == ModelOptions().timeout else options.timeout
    return EmbeddedModel(chosen, limit)


class EmbeddedModel(Model):
    """A model that answers one question at a time, out of a file.

    Replies that must obey a schema are written compactly and without a code fence, and free texts
    in them are bounded, so that they end. Token probabilities are the model's own, before the
    schema ruled tokens out. A character made of several tokens has one entry, whose probability is
    that of its last token: llama.cpp reports no other.
    """

    def __init__(self, chosen: str, limit: float) -> None:
        self._chosen, self._limit = chosen, limit
        self._is_file = is_file(chosen)
        self.name = f"embedded:{chosen}" if self._is_file else f"embedded/{chosen}"
        self.identity = self.name + _version_of(chosen)
        rates = _RATES.get(chosen, CAPABILITIES.bytes_a_token)
        self.capabilities = replace(CAPABILITIES, bytes_a_token=rates)
        self.price: Price | None = FREE
        self._engine: llama.Engine | None = None
        self._calls = 0
        self.likelihoods = EmbeddedLikelihoods(self._file)

    async def ask(self, prompt: Prompt, sampling: Sampling) -> Reply:
        began = time.monotonic()
        if self._engine is None:
            llama.library()  # before gigabytes are fetched for nothing
            self._engine = llama.engine(*await self._located())
        self._calls += 1
        request = _request(prompt, sampling)
        answer = await self._engine.chat(request, self._limit, self._teller(self._calls))
        if prompt.schema is not None and answer.finish == "stop":
            _check_is_json(answer.text)
        return Reply(
            text=answer.text,
            finish=_finish(answer.finish),
            usage=_usage(answer.usage),
            logprobs=aligned(answer.tokens, answer.text) if sampling.top_logprobs else None,
            latency_ms=(time.monotonic() - began) * 1000,
        )

    def _teller(self, call: int) -> llama.Tell | None:
        heard = self.heard
        if heard is None:
            return None
        return lambda prompt, read, written: heard(Generating(call, prompt, read, written))

    async def _file(self) -> Path:
        return (await self._located())[0]

    async def _located(self) -> tuple[Path, str | None]:
        gone = threading.Event()
        try:
            return await asyncio.to_thread(locate, self._chosen, gone)
        finally:
            gone.set()  # a cancelled fetch must not keep the process alive

    async def aclose(self) -> None:
        """Let go of the model; it stays loaded until another one is, see `llama.engine`."""
        self._engine = None


def _version_of(chosen: str) -> str:
    """Tells apart what bears the same name at different times, without reading gigabytes."""
    try:
        if chosen.startswith(hub.PREFIX):
            found = _pulled(chosen).stat()
        elif is_file(chosen):
            found = Path(chosen).expanduser().stat()
        else:
            weights.look_up(chosen)
            return ""
    except OSError:
        return ""
    return f" of {found.st_size} bytes, {found.st_mtime_ns}"


def is_file(chosen: str) -> bool:
    """Whether this is the path of a file, and not the name of a known or a pulled model."""
    if chosen.startswith(hub.PREFIX):
        return False
    return chosen.endswith(".gguf") or "/" in chosen or os.sep in chosen


def locate(chosen: str, gone: threading.Event | None = None) -> tuple[Path, str | None]:
    """The file and the chat template to use, None for its own. Fetches a known model if need be.

    `gone` ends the fetch when it is set.
    """
    if is_file(chosen):
        path = Path(chosen).expanduser()
        if not path.is_file():
            raise ModelUnavailable(f"there is no model file {chosen}")
        return path, None
    if chosen.startswith(hub.PREFIX):
        return _pulled(chosen), None
    entry = weights.look_up(chosen)
    found = weights.find(chosen)
    if found is None:
        sys.stderr.write(
            f"embedded/{chosen} is fetched now, once: {weights.megabytes(entry.size)}, "
            f"licence {entry.licence}, kept in {weights.directory()}\n"
        )
        found = weights.pull(chosen, on_stderr(gone))
    return found, entry.chat_template


def _pulled(chosen: str) -> Path:
    """A model from the hub; none is fetched unless that was asked for."""
    found = hub.find(chosen)
    if found is None:
        raise ModelUnavailable(f"{chosen} is not here yet: adjudge models pull {chosen}")
    return found


def on_stderr(gone: threading.Event | None = None) -> weights.Report:
    """A report of progress on stderr: one line that changes, or plain lines at every tenth."""
    terminal = sys.stderr.isatty()
    last = ""

    def report(done: int, total: int, text: str) -> None:
        nonlocal last
        if gone is not None and gone.is_set():
            raise ModelUnavailable("the model was still being fetched when the work was stopped")
        percent = 100 * done // total
        key = f"{percent if terminal else percent // 10} {text if done in (0, total) else ''}"
        if key == last:
            return
        last = key
        line = f"{percent:3d}%  {weights.megabytes(done)} of {weights.megabytes(total)}  {text}"
        sys.stderr.write(f"\r\x1b[K{line}" if terminal else f"{line}\n")
        if terminal and text == "ready":
            sys.stderr.write("\n")
        sys.stderr.flush()

    return report


# Tokens of a reply that no schema ends: small models go on about anything, for minutes.
_LONGEST_TEXT = 500


def _request(prompt: Prompt, sampling: Sampling) -> dict[str, object]:
    body: dict[str, object] = {
        # llama.cpp reads the marks of the chat template wherever they stand, inside a text too.
        "messages": [
            {"role": each.role, "content": broken(each.content)} for each in prompt.messages
        ],
        "max_tokens": sampling.max_tokens
        if prompt.schema is not None
        else min(sampling.max_tokens, _LONGEST_TEXT),
    }
    if sampling.temperature is not None:
        body["temperature"] = sampling.temperature
    if sampling.seed is not None:
        body["seed"] = sampling.seed
    if sampling.top_logprobs:
        body |= {"logprobs": True, "top_logprobs": sampling.top_logprobs}
    if prompt.schema is not None:
        body |= _binding(bounded(prompt.schema, sampling.max_tokens))
    return body


# Fixed spacing: a small model left free to lay JSON out writes blank lines until it is cut off.
_COMPACT = {"whitespace_flexible": False, "item_separator": ", ", "key_separator": ": "}


def _binding(schema: Mapping[str, object]) -> dict[str, object]:
    """What binds a reply to a schema.

    `response_format` would let the model write a code fence first, which costs eleven tokens a
    reply and shifts the probabilities; a grammar does not. Builds without LLGuidance do not
    understand the grammar, so they get the other form.
    """
    if not llama.library().json_schema_to_grammar("{}").startswith("%llguidance"):
        shape = {"name": "reply", "schema": schema}
        return {"response_format": {"type": "json_schema", "json_schema": shape}}
    text = json.dumps({**schema, "x-guidance": _COMPACT}, ensure_ascii=False)
    return {"grammar": f"%llguidance {{}}\nstart: %json {text}"}


def _check_is_json(text: str) -> None:
    """A bound reply that ended by itself is always JSON; llama.cpp drops a grammar in silence."""
    try:
        json.loads(text)
    except ValueError:
        raise ProviderError(
            "the embedded model cannot be bound to this judge's reply schema: it uses a keyword "
            "that LLGuidance does not know"
        ) from None


def _finish(reason: str) -> Finish:
    return "length" if reason == "length" else "stop"


def _usage(usage: Mapping[str, Any]) -> Usage:
    details = usage.get("prompt_tokens_details") or {}
    return Usage(
        input_tokens=usage.get("prompt_tokens", 0),
        output_tokens=usage.get("completion_tokens", 0),
        cached_tokens=details.get("cached_tokens", 0),
        cost_usd=0.0,
    )


@contextmanager
def serve(chosen: str = "", key: str | None = None) -> Iterator[str]:
    """An OpenAI-compatible server on loopback for the time of a `with`; gives its base URL.

    `chosen` as in `open_model`, `key` the bearer token that it asks for, None for none.
    """
    path, template = locate(chosen or os.environ.get("ADJUDGE_EMBEDDED", "") or weights.DEFAULT)
    server = llama.start(path, template, key)
    yield f"{server.listening_address}/v1"
    del server
