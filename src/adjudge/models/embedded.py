"""The embedded model: llama.cpp inside this process, no server, no key, no network."""

from __future__ import annotations

import asyncio
import json
import math
import os
import sys
import threading
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from adjudge.core.prompt import Prompt, ReferenceCheck, Sampling
from adjudge.core.reason import Reason
from adjudge.core.reply import NO_USAGE, Reply, TokenLogprob, Usage
from adjudge.core.turn_marks import break_turn_marks
from adjudge.errors import ModelUnavailable, ProviderError

from . import hub, llama, weights
from .base import (
    Capabilities,
    GenerationProgress,
    Likelihoods,
    Model,
    ModelOptions,
    sampling_fields,
)
from .llama_native import Native
from .prices import FREE, Price
from .token_logprobs import aligned

# Of every model in this process.
CAPABILITIES = Capabilities(patterns=True, small=True, concurrency=1, context=llama.CONTEXT)
# A request that was given no --timeout. A full context read at 20 tokens/s and 1024 tokens written
# at 3 take 750 s, which should not be lost for a limit that is meant for a network.
_PATIENCE = 900.0
# Bytes per token where a model's vocabulary has few words of other languages, as counted on Korean.
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
        rates = _RATES.get(chosen, CAPABILITIES.bytes_per_token)
        self.capabilities = replace(CAPABILITIES, bytes_per_token=rates)
        self.price: Price | None = FREE
        self._engine: llama.Engine | None = None
        self._calls = 0
        self._last_check: tuple[ReferenceCheck, bool] | None = None
        self.likelihoods = EmbeddedLikelihoods(self._file)

    async def ask(self, prompt: Prompt, sampling: Sampling) -> Reply:
        began = time.monotonic()
        if self._engine is None:
            llama.library()  # before gigabytes are fetched for nothing
            self._engine = llama.engine(*await self._located())
        self._calls += 1
        usage = NO_USAGE
        if prompt.check is not None:
            agrees, usage = await self._checked(self._engine, prompt.check)
            prompt = prompt.with_more(prompt.check.yes if agrees else prompt.check.no)
        request = _request(prompt, sampling)
        answer = await self._engine.chat(request, self._limit, self._progress_of(self._calls))
        if prompt.schema is not None and answer.finish == "stop":
            _check_is_json(answer.text)
        return Reply(
            text=answer.text,
            finish="length" if answer.finish == "length" else "stop",
            usage=usage + _usage(answer.usage),
            logprobs=aligned(answer.tokens, answer.text) if sampling.top_logprobs else None,
            latency_ms=(time.monotonic() - began) * 1000,
        )

    async def _checked(self, engine: llama.Engine, check: ReferenceCheck) -> tuple[bool, Usage]:
        """Whether yes is likelier than no; the calls about one item ask the same, which is kept."""
        if self._last_check is not None and self._last_check[0] == check:
            return self._last_check[1], NO_USAGE
        request = _request(Prompt(messages=check.messages, criteria=()), _ONE_WORD)
        answer = await engine.chat(request, self._limit)
        agrees = share_of_yes(aligned(answer.tokens, answer.text) or ()) >= _LEAST_YES
        self._last_check = (check, agrees)
        return agrees, _usage(answer.usage)

    def _progress_of(self, call: int) -> llama.OnProgress | None:
        report = self.on_progress
        if report is None:
            return None
        return lambda prompt, read, written: report(GenerationProgress(call, prompt, read, written))

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


# Alternatives at the one token: "Yes", " yes", "YES" are all yes.
_ONE_WORD = Sampling(max_tokens=1, top_logprobs=20)
# The least share that counts as a yes: chosen on the tuning half of tests/data/answers.
_LEAST_YES = 0.475


def share_of_yes(tokens: Sequence[TokenLogprob]) -> float:
    """Of the probability that the first token says yes or no; a half where it says neither."""
    shares = {"yes": 0.0, "no": 0.0}
    for text, logprob in tokens[0].top.items() if tokens else ():
        word = text.strip().casefold()
        if word in shares:
            shares[word] += math.exp(logprob)
    total = sum(shares.values())
    return shares["yes"] / total if total else 0.5


def _version_of(chosen: str) -> str:
    """Differs where a file changes under the same name, without reading gigabytes."""
    try:
        if chosen.startswith(hub.PREFIX):
            stat = _pulled(chosen).stat()
        elif is_file(chosen):
            stat = Path(chosen).expanduser().stat()
        else:
            weights.look_up(chosen)
            return ""
    except OSError:
        return ""
    return f" of {stat.st_size} bytes, {stat.st_mtime_ns}"


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
            raise ModelUnavailable(Reason("embedded.no_file", name=chosen))
        return path, None
    if chosen.startswith(hub.PREFIX):
        return _pulled(chosen), None
    entry = weights.look_up(chosen)
    pulled = weights.find(chosen)
    if pulled is None:
        sys.stderr.write(
            f"embedded/{chosen} is fetched now, once: {weights.megabytes(entry.size)}, "
            f"licence {entry.licence}, kept in {weights.directory()}\n"
        )
        pulled = weights.pull(chosen, on_stderr(gone))
    return pulled, entry.chat_template


def _pulled(chosen: str) -> Path:
    """A model from the hub; none is fetched unless that was asked for."""
    path = hub.find(chosen)
    if path is None:
        raise ModelUnavailable(Reason("embedded.not_pulled", name=chosen))
    return path


def on_stderr(gone: threading.Event | None = None) -> weights.Report:
    """A report of progress on stderr: one line that changes, or plain lines at every tenth."""
    terminal = sys.stderr.isatty()
    last = ""

    def report(done: int, total: int, text: str) -> None:
        nonlocal last
        if gone is not None and gone.is_set():
            raise ModelUnavailable(Reason("embedded.stopped"))
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


# Tokens of a reply that no schema ends: small models write about anything, for minutes.
_LONGEST_TEXT = 500


def _request(prompt: Prompt, sampling: Sampling) -> dict[str, object]:
    body: dict[str, object] = {
        # llama.cpp reads the marks of the chat template everywhere, inside a text too.
        "messages": [
            {"role": message.role, "content": break_turn_marks(message.content)}
            for message in prompt.messages
        ],
        "max_tokens": sampling.max_tokens
        if prompt.schema is not None
        else min(sampling.max_tokens, _LONGEST_TEXT),
        **sampling_fields(sampling),
    }
    if sampling.top_logprobs:
        body |= {"logprobs": True, "top_logprobs": sampling.top_logprobs}
    if prompt.schema is not None:
        body |= _binding(bounded(prompt.schema, sampling.max_tokens))
    return body


# Fixed spacing: a small model left free to lay JSON out writes blank lines until it is cut off.
_COMPACT = {"whitespace_flexible": False, "item_separator": ", ", "key_separator": ": "}


def _binding(schema: Mapping[str, object]) -> dict[str, object]:
    """What binds a reply to a schema.

    `response_format` would let the model write a code fence first, which costs eleven tokens per
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
        raise ProviderError(Reason("embedded.schema")) from None


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


class EmbeddedLikelihoods(Likelihoods):
    """Reads with a context of its own, beside the one that writes replies."""

    def __init__(self, located: Callable[[], Awaitable[Path]]) -> None:
        self._located = located
        self._native: Native | None = None
        self._turn = asyncio.Lock()

    async def of(self, prefix: str, text: str) -> Reply:
        if not text:
            return Reply(text="", logprobs=())
        began = time.monotonic()
        async with self._turn:
            if self._native is None:
                self._native = await asyncio.to_thread(_native, await self._located())
            evaluated = await asyncio.to_thread(self._native.likelihood, prefix, text)
        return Reply(
            text="",
            logprobs=tuple(
                TokenLogprob(token.decode(errors="replace"), logprob, {})
                for token, logprob in zip(evaluated.tokens, evaluated.logprobs, strict=True)
            ),
            usage=Usage(input_tokens=evaluated.total, cached_tokens=evaluated.reused),
            latency_ms=(time.monotonic() - began) * 1000,
        )


_native = lru_cache(maxsize=1)(Native)  # the last one stays loaded, as the engine that writes does


# Characters that a token stands for at the least: about 2 in Korean, over 3 in Vietnamese, 4 to 5
# in English. With it all free texts together fit into the tokens that the reply may take.
_CHARS_PER_TOKEN = 2
# The longest is two or three sentences: a small model has said all it knows after that, and what it
# adds is the same sentence again, at seven tokens per second.
_SHORTEST, _LONGEST = 60, 240
_MOST_ITEMS = 5
_MOST_OBJECTS = 6  # of a list that the score is made of, such as claims


def bounded(schema: Mapping[str, object], max_tokens: int) -> dict[str, Any]:
    """The schema with limits where it has none; every reply to it is one to the original too.

    Free texts share the tokens evenly, lists get five items, numbers two decimals ("3.0000000…"
    has no end otherwise). Limits that are there stay as they are.
    """
    texts = max(1, _texts(schema))
    longest = min(_LONGEST, max(_SHORTEST, _CHARS_PER_TOKEN * max_tokens // texts))
    limited: dict[str, Any] = _limited(schema, longest)
    return limited


def _texts(node: object) -> int:
    """How many free texts a reply may hold."""
    if isinstance(node, Mapping):
        if _is_free(node, "string", "maxLength"):
            return 1
        inside = sum(_texts(value) for value in node.values())
        return inside * _most_items(node) if node.get("type") == "array" else inside
    return sum(map(_texts, node)) if isinstance(node, list | tuple) else 0


def _limited(node: object, longest: int) -> Any:
    if isinstance(node, list | tuple):
        return [_limited(value, longest) for value in node]
    if not isinstance(node, Mapping):
        return node
    limited = {name: _limited(value, longest) for name, value in node.items()}
    if _is_free(node, "string", "maxLength"):
        limited["maxLength"] = max(longest, node.get("minLength", 0))
    elif _is_free(node, "number", "multipleOf"):
        limited["multipleOf"] = 0.01
    elif node.get("type") == "array":
        limited["maxItems"] = _most_items(node)
    return limited


def _most_items(node: Mapping[str, Any]) -> int:
    items = node.get("items")
    of_objects = isinstance(items, Mapping) and items.get("type") == "object"
    most = _MOST_OBJECTS if of_objects else _MOST_ITEMS
    return int(node.get("maxItems", max(most, node.get("minItems", 0))))


def _is_free(node: Mapping[str, Any], kind: str, limit: str) -> bool:
    settled = {limit, "enum", "const", "pattern", "format"}
    return node.get("type") == kind and settled.isdisjoint(node)
