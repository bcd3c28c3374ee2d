"""llama.cpp's server; tests/conformance/test_openai_wire.py has a real one."""

from __future__ import annotations

import asyncio

import pytest
from tests.doubles.chat import KEY
from tests.doubles.http import Refuses
from tests.doubles.llamacpp import CONTEXT, LlamaCppDouble

from adjudge.core.prompt import Message, Prompt, Sampling
from adjudge.errors import ProviderError
from adjudge.models.base import ModelOptions
from adjudge.models.chat_completions import OpenAIModel
from adjudge.models.llamacpp import open_model

SCHEMA = {"type": "object", "properties": {"score": {"type": "integer"}}}
PROMPT = Prompt(messages=(Message("user", "Hm?"),), criteria=("c",), schema=SCHEMA)


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LLAMACPP_API_KEY", KEY)


def used(double: LlamaCppDouble) -> OpenAIModel:
    async def run() -> OpenAIModel:
        model = open_model("any", ModelOptions(base_url=f"{double.url}/v1"))
        try:
            await model.ask(PROMPT, Sampling(seed=7))
        finally:
            await model.aclose()
        return model

    with double:
        return asyncio.run(run())


def size(double: LlamaCppDouble) -> int | None:
    async def run() -> int | None:
        model = open_model("any", ModelOptions(base_url=double.url))
        try:
            return await model.context_size()
        finally:
            await model.aclose()

    with double:
        return asyncio.run(run())


def test_the_limit_goes_by_its_older_name() -> None:
    double = LlamaCppDouble()
    used(double)
    sent = double.requests[0].json
    assert (sent["max_tokens"], sent["seed"]) == (1024, 7)
    assert sent["response_format"]["json_schema"] == {"name": "verdict", "schema": SCHEMA}


def test_an_older_one_binds_by_another_form() -> None:
    double = LlamaCppDouble(refuses=frozenset({"json_schema"}))
    assert used(double).capabilities.json_schema
    assert double.requests[-1].json["response_format"] == {"type": "json_object", "schema": SCHEMA}


def test_the_context() -> None:
    assert size(LlamaCppDouble()) == CONTEXT


def test_a_context_that_is_not_told() -> None:
    double = LlamaCppDouble()
    double.fault("GET /props", status=404)
    assert size(double) is None
    double.instead("GET /props", b"<html>")
    assert size(double) is None


def test_a_server_that_cannot_say_now() -> None:
    double = LlamaCppDouble()
    double.fault("GET /props", status=503, message="Loading model")
    with pytest.raises(ProviderError, match="Loading model") as caught:
        size(double)
    assert caught.value.retryable


def test_while_it_loads() -> None:
    with pytest.raises(ProviderError, match="Loading model") as caught:
        used(LlamaCppDouble(lambda body: Refuses(503, "Loading model", "unavailable_error")))
    assert caught.value.retryable
