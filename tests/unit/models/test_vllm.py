"""vLLM: versions differ in how a reply is bound to a schema."""

from __future__ import annotations

import asyncio

import pytest
from tests.doubles.chat import KEY
from tests.doubles.vllm import CONTEXT, VllmDouble

from adjudge.core.prompt import Message, Prompt, Sampling
from adjudge.errors import ProviderError
from adjudge.models.base import ModelOptions
from adjudge.models.chat_completions import OpenAIModel
from adjudge.models.vllm import open_model

SCHEMA = {"type": "object", "properties": {"score": {"type": "integer"}}}
PROMPT = Prompt(messages=(Message("user", "Hm?"),), criteria=("c",), schema=SCHEMA)


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VLLM_API_KEY", KEY)


def used(double: VllmDouble, name: str = "x") -> OpenAIModel:
    """The model after two questions."""

    async def run() -> OpenAIModel:
        model = open_model(name, ModelOptions(base_url=double.url))
        try:
            for _ in range(2):
                await model.ask(PROMPT, Sampling(seed=7))
            assert await model.context_size() == model.capabilities.context == CONTEXT
        finally:
            await model.aclose()
        return model

    with double:
        return asyncio.run(run())


def test_a_newer_one() -> None:
    double = VllmDouble()
    model = used(double)
    sent = double.requests[0].json
    assert sent["response_format"]["json_schema"]["schema"] == SCHEMA
    assert (sent["max_tokens"], sent["seed"]) == (1024, 7)
    assert double.calls("POST") == 2
    assert model.capabilities.json_schema


def test_an_older_one() -> None:
    double = VllmDouble(old=True)
    model = used(double)
    bodies = [request.json for request in double.requests if request.method == "POST"]
    assert ["response_format" in body for body in bodies] == [True, False, False]
    assert bodies[-1]["guided_json"] == SCHEMA
    assert bodies[-1]["structured_outputs"] == {"json": SCHEMA}
    assert model.ways["response_format"] == "guided"
    assert model.capabilities.json_schema


def test_a_schema_that_its_grammars_do_not_know() -> None:
    double = VllmDouble(refuses=frozenset({"json_schema", "guided_json"}))
    model = used(double)
    assert double.requests[-2].json["response_format"] == {"type": "json_object"}
    assert not model.capabilities.json_schema


def test_an_unknown_model() -> None:
    with pytest.raises(
        ProviderError, match="`y` does not exist; check the model's name and --base"
    ):
        used(VllmDouble(), "y")


def test_a_wrong_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VLLM_API_KEY", "another")
    with pytest.raises(ProviderError, match="check that VLLM_API_KEY") as caught:
        used(VllmDouble())
    assert "another" not in str(caught.value)


def test_nobody_there() -> None:
    async def run() -> None:
        model = open_model("x", ModelOptions(base_url="http://127.0.0.1:1"))
        try:
            await model.ask(PROMPT, Sampling())
        finally:
            await model.aclose()

    with pytest.raises(ProviderError, match=r"start it \(vllm serve MODEL\), or check --base-url"):
        asyncio.run(run())
