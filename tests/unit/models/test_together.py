"""Together: a number of alternatives, and columns in return."""

from __future__ import annotations

import asyncio

import pytest
from tests.doubles.chat import KEY
from tests.doubles.http import Says
from tests.doubles.together import CONTEXT, MODEL, TogetherDouble

from adjudge.core.prompt import Message, Prompt, Sampling
from adjudge.core.reply import Reply, TokenLogprob
from adjudge.errors import ProviderError
from adjudge.models.base import ModelOptions
from adjudge.models.together import open_model

SCHEMA = {"type": "object", "properties": {"score": {"type": "integer"}}}
PROMPT = Prompt(messages=(Message("user", "Hm?"),), criteria=("c",), schema=SCHEMA)


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOGETHER_API_KEY", KEY)


def ask(double: TogetherDouble, name: str = MODEL) -> Reply:
    async def run() -> Reply:
        model = open_model(name, ModelOptions(base_url=double.url))
        try:
            assert await model.context_size() == (CONTEXT if name == MODEL else None)
            return await model.ask(PROMPT, Sampling(top_logprobs=2))
        finally:
            await model.aclose()

    with double:
        return asyncio.run(run())


def test_probabilities() -> None:
    double = TogetherDouble(lambda body: "four")
    reply = ask(double)
    assert double.requests[-1].json["logprobs"] == 2
    assert "top_logprobs" not in double.requests[-1].json
    assert reply.logprobs == (
        TokenLogprob("fo", -0.25, {"fo": -0.25, "~0": -2.0}),
        TokenLogprob("ur", -0.25, {"ur": -0.25, "~0": -2.0}),
    )
    assert reply.finish == "stop"


def test_cut_off() -> None:
    assert ask(TogetherDouble(lambda body: Says("fo", finish="length"))).finish == "length"


def test_the_older_form_of_a_schema() -> None:
    double = TogetherDouble(refuses=frozenset({"json_schema"}))
    ask(double)
    assert double.requests[-1].json["response_format"] == {"type": "json_object", "schema": SCHEMA}


def test_an_unknown_model() -> None:
    with pytest.raises(ProviderError, match="Unable to access model nobody/y") as caught:
        ask(TogetherDouble(), "nobody/y")
    assert caught.value.fatal
