"""The OpenAI path against a real server: the embedded runtime's own, on a real model.

It is llama.cpp's, so that it is asked both as a server that nothing is known about and as itself.
"""

from __future__ import annotations

import asyncio
import json
import math
import os
from collections.abc import Callable, Coroutine, Iterator
from pathlib import Path
from typing import Any, TypeVar

import pytest

from adjudge.core.prompt import Message, Prompt, Sampling
from adjudge.core.reply import Reply
from adjudge.errors import ProviderError
from adjudge.models import llamacpp, openai
from adjudge.models.base import ModelOptions
from adjudge.models.chat_completions import OpenAIModel
from adjudge.models.http import Endpoint, HttpAnswer

T = TypeVar("T")
CONTEXT = 1024
HELLO = Prompt(messages=(Message("user", "Name a colour in one word."),), criteria=("c",))
SCHEMA = {
    "type": "object",
    "properties": {
        "score": {"type": "integer", "enum": [1, 2, 3, 4, 5]},
        "good": {"type": "boolean"},
    },
    "required": ["score", "good"],
    "additionalProperties": False,
}


@pytest.fixture(scope="module")
def base_url(smollm: Path) -> Iterator[str]:
    # Read when the runtime is loaded: waiting threads then sleep instead of spinning.
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = str(smollm)
    params.n_ctx, params.n_parallel = CONTEXT, 1
    params.warmup, params.verbosity = False, -1
    params.hostnames, params.port = ["127.0.0.1"], 0
    server = xllamacpp.Server(params)
    yield f"{server.listening_address}/v1"
    del server


@pytest.fixture(params=[openai.open_model, llamacpp.open_model], ids=["openai", "llamacpp"])
def use(
    request: pytest.FixtureRequest, base_url: str, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., Any]:
    for name in ("OPENAI_API_KEY", "LLAMACPP_API_KEY"):
        monkeypatch.delenv(name, raising=False)

    def run(work: Callable[[OpenAIModel], Coroutine[Any, Any, T]]) -> T:
        async def opened() -> T:
            model: OpenAIModel = request.param("smollm", ModelOptions(base_url=base_url))
            try:
                return await work(model)
            finally:
                await model.aclose()

        return asyncio.run(opened())

    return run


def test_a_reply(use: Callable[..., Any]) -> None:
    reply: Reply = use(lambda model: model.ask(HELLO, Sampling(max_tokens=8)))
    assert reply.text.strip()
    assert reply.finish in ("stop", "length")
    assert reply.usage.input_tokens > 5
    assert 0 < reply.usage.output_tokens <= 8
    assert not reply.usage.cost_usd
    assert reply.logprobs is None
    assert reply.latency_ms > 0


def test_cut_off_at_the_limit(use: Callable[..., Any]) -> None:
    prompt = Prompt(messages=(Message("user", "Tell a long story."),), criteria=())
    reply: Reply = use(lambda model: model.ask(prompt, Sampling(max_tokens=3)))
    assert reply.finish == "length"
    assert reply.usage.output_tokens == 3


def test_the_schema_is_obeyed(use: Callable[..., Any]) -> None:
    # The question alone would bring prose: what makes it JSON is the schema.
    prompt = Prompt(messages=HELLO.messages, criteria=("c",), schema=SCHEMA)

    async def work(model: OpenAIModel) -> tuple[Reply, bool]:
        return await model.ask(prompt, Sampling(max_tokens=64)), model.capabilities.json_schema

    reply, still = use(work)
    data = json.loads(reply.text)
    assert data.keys() == {"score", "good"}
    assert data["score"] in range(1, 6)
    assert isinstance(data["good"], bool)
    assert still


def test_logprobs(use: Callable[..., Any]) -> None:
    sampling = Sampling(max_tokens=6, top_logprobs=5)
    reply: Reply = use(lambda model: model.ask(HELLO, sampling))
    assert reply.logprobs is not None
    assert "".join(token.token for token in reply.logprobs).startswith(reply.text)
    for token in reply.logprobs:
        assert len(token.top) == 5
        # Greedy decoding takes the likeliest token, which heads its alternatives.
        assert token.logprob == max(token.top.values()) == token.top[token.token]
        assert 0.0 < sum(math.exp(value) for value in token.top.values()) <= 1.0 + 1e-6


def test_the_second_ask_is_cached(use: Callable[..., Any]) -> None:
    async def work(model: OpenAIModel) -> list[Reply]:
        return [await model.ask(HELLO, Sampling(max_tokens=4)) for _ in range(2)]

    first, second = use(work)
    assert first.text == second.text
    assert second.usage.input_tokens == first.usage.input_tokens
    assert 0 < second.usage.cached_tokens <= second.usage.input_tokens


def test_a_seed_repeats_a_reply(use: Callable[..., Any]) -> None:
    async def work(model: OpenAIModel) -> list[str]:
        seeds = (7, 7, 8)
        asked = [Sampling(temperature=1.5, max_tokens=24, seed=seed) for seed in seeds]
        assert model.capabilities.seed
        return [(await model.ask(HELLO, sampling)).text for sampling in asked]

    first, again, other = use(work)
    assert first == again != other


def test_it_tells_no_probabilities_of_a_given_text(use: Callable[..., Any]) -> None:
    """Then none is made up: it is not offered, or the first question for one ends the matter."""

    async def work(model: OpenAIModel) -> ProviderError | None:
        if model.likelihoods is None:
            return None
        with pytest.raises(ProviderError, match="does not give the probabilities") as caught:
            await model.likelihoods.of("The sky is", " blue")
        return caught.value

    error = use(work)
    assert error is None or error.fatal


def test_its_context(base_url: str) -> None:
    async def size(base: str) -> tuple[int | None, int | None]:
        model = llamacpp.open_model("smollm", ModelOptions(base_url=base))
        try:
            return await model.context_size(), model.capabilities.context
        finally:
            await model.aclose()

    for base in (base_url, base_url.removesuffix("/v1")):
        assert asyncio.run(size(base)) == (CONTEXT, CONTEXT)


def test_a_prompt_too_long(use: Callable[..., Any]) -> None:
    prompt = Prompt(messages=(Message("user", "word " * CONTEXT * 2),), criteria=())
    with pytest.raises(ProviderError, match="too long") as caught:
        use(lambda model: model.ask(prompt, Sampling(max_tokens=4)))
    assert caught.value.status == 413
    assert not caught.value.retryable
    assert not caught.value.fatal


def test_a_schema_that_the_server_refuses(use: Callable[..., Any]) -> None:
    prompt = Prompt(messages=HELLO.messages, criteria=("c",), schema={"type": "nonsense"})

    async def work(model: OpenAIModel) -> tuple[Reply, bool]:
        reply = await model.ask(prompt, Sampling(max_tokens=16))
        return reply, model.capabilities.json_schema

    reply, still = use(work)
    assert reply.text.lstrip().startswith("{")  # bound to JSON at least
    assert not still


def test_a_refusal_that_nothing_helps_ends(
    use: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    sent = []
    post = Endpoint.post

    async def counted(endpoint: Endpoint, body: bytes) -> HttpAnswer:
        sent.append(body)
        return await post(endpoint, body)

    monkeypatch.setattr(Endpoint, "post", counted)
    sampling = Sampling(max_tokens=4, temperature="warm")  # type: ignore[arg-type]
    with pytest.raises(ProviderError, match="temperature") as caught:
        use(lambda model: model.ask(HELLO, sampling))
    assert caught.value.status == 400
    assert not caught.value.retryable
    assert len(sent) == 1  # a wrong value is no unknown field: there is nothing to negotiate
