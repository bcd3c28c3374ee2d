"""DeepSeek: JSON without a schema, a cache in other words, thinking, a lack of resources."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest
from tests.doubles.chat import KEY
from tests.doubles.deepseek import DeepSeekDouble
from tests.doubles.http import Refuses, Says

from adjudge.core.prompt import Message, Prompt, Sampling
from adjudge.core.reply import Reply
from adjudge.errors import ProviderError
from adjudge.models.base import ModelOptions
from adjudge.models.deepseek import open_model

SCHEMA = {"type": "object", "properties": {"score": {"type": "integer"}}}
PROMPT = Prompt(messages=(Message("user", "Reply in JSON."),), criteria=("c",), schema=SCHEMA)
ALL = Sampling(temperature=0.0, max_tokens=50, seed=3, top_logprobs=2)


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DEEPSEEK_API_KEY", KEY)


def ask(double: DeepSeekDouble, prompt: Prompt = PROMPT) -> Reply:
    async def run() -> Reply:
        model = open_model("deepseek-x", ModelOptions(base_url=double.url))
        try:
            assert not model.capabilities.json_schema
            assert not model.capabilities.seed
            return await model.ask(prompt, ALL)
        finally:
            await model.aclose()

    with double:
        return asyncio.run(run())


def test_only_what_it_takes() -> None:
    double = DeepSeekDouble(lambda body: '{"score": 4}')
    assert ask(double).text == '{"score": 4}'
    assert double.requests[0].json == {
        "model": "deepseek-x",
        "messages": [{"role": "user", "content": "Reply in JSON."}],
        "max_tokens": 50,
        "temperature": 0.0,
        "logprobs": True,
        "top_logprobs": 2,
        "response_format": {"type": "json_object"},
    }
    assert len(double.requests) == 1


def test_a_prompt_that_does_not_speak_of_json() -> None:
    double = DeepSeekDouble()
    ask(double, replace(PROMPT, messages=(Message("user", "Hm?"),)))
    assert ["response_format" in request.json for request in double.requests] == [True, False]


def test_a_model_that_thinks_has_no_probabilities() -> None:
    double = DeepSeekDouble(refuses=frozenset({"logprobs"}))
    assert ask(double).logprobs is None
    assert "top_logprobs" not in double.requests[-1].json


def test_what_it_thought_is_left_out() -> None:
    says = Says("4", thought="Let me see.", thinking=6, input_tokens=100, cached=64)
    reply = ask(DeepSeekDouble(lambda body: says))
    assert reply.text == "4"
    assert (reply.usage.input_tokens, reply.usage.cached_tokens) == (100, 64)


def test_a_lack_of_resources_may_pass() -> None:
    says = Says("hal", finish="insufficient_system_resource")
    with pytest.raises(ProviderError, match="insufficient_system_resource") as caught:
        ask(DeepSeekDouble(lambda body: says))
    assert caught.value.retryable
    assert caught.value.sent


def test_its_filter() -> None:
    reply = ask(DeepSeekDouble(lambda body: Refuses(400, "Content Exists Risk")))
    assert (reply.finish, reply.refusal) == ("refused", "Content Exists Risk")


def test_an_empty_account() -> None:
    with pytest.raises(ProviderError, match="add credit") as caught:
        ask(DeepSeekDouble(lambda body: Refuses(402, "Insufficient Balance")))
    assert caught.value.fatal
