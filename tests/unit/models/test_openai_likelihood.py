"""The probabilities of a given text: exact numbers through doubles that echo."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from tests.doubles.chat import KEY
from tests.doubles.openai import OpenAIDouble
from tests.doubles.together import MODEL, TogetherDouble
from tests.doubles.vllm import VllmDouble

from adjudge.core.reply import Reply, TokenLogprob, Usage
from adjudge.errors import ProviderError
from adjudge.models import llamacpp, openai, together, vllm
from adjudge.models.base import ModelOptions
from adjudge.models.openai_model import OpenAIModel

Tokens = list[tuple[str, float | None]]
# As the tokenizer of a Llama does it: a mark of the beginning, then pieces with their blanks.
ASKED: Tokens = [("<s>", None), ("Q", -3.0), (":", -0.5), (" sky", -2.25), ("?", -0.125)]
ANSWER: Tokens = [(" It", -1.5), (" is", -0.25), (" blue", -0.75)]


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("VLLM_API_KEY", "TOGETHER_API_KEY", "OPENAI_API_KEY"):
        monkeypatch.setenv(name, KEY)


async def likelihood(model: OpenAIModel, given: str, text: str) -> Reply:
    assert model.likelihoods is not None
    try:
        return await model.likelihoods.of(given, text)
    finally:
        await model.aclose()


def told(tokens: Tokens | None, given: str, text: str) -> list[tuple[str, float]]:
    """Token and log-probability, from a server that spells its prompt so; None: it tells none."""
    with VllmDouble(likelihoods=tokens) as double:
        model = vllm.open_model("x", ModelOptions(base_url=double.url))
        found = asyncio.run(likelihood(model, given, text))
        sent: dict[str, Any] = double.requests[-1].json
    assert sent["prompt"] == given + text
    return pairs(found)


def pairs(reply: Reply) -> list[tuple[str, float]]:
    return [(token.token, token.logprob) for token in reply.logprobs or ()]


def test_the_tokens_of_the_text_alone() -> None:
    assert told([*ASKED, *ANSWER], "Q: sky?", " It is blue") == ANSWER


def test_the_alternatives_come_along() -> None:
    with VllmDouble(likelihoods=[("a", None), ("b", -1.0)]) as double:
        model = vllm.open_model("x", ModelOptions(base_url=double.url))
        reply = asyncio.run(likelihood(model, "a", "b"))
    assert reply.logprobs == (TokenLogprob("b", -1.0, {"b": -1.0}),)
    assert (reply.text, reply.finish) == ("", "stop")
    assert reply.usage == Usage(input_tokens=2, output_tokens=1, cost_usd=0.0)
    assert reply.latency_ms > 0


def test_a_mark_of_the_beginning_gives_the_first_token_a_probability() -> None:
    assert told([("<s>", None), ("Hi", -4.0)], "", "Hi") == [("Hi", -4.0)]


@pytest.mark.parametrize("mark", ["", "<|begin_of_text|>"])
def test_a_mark_in_any_form(mark: str) -> None:
    assert told([(mark, None), ("a", -1.0), ("b", -2.0)], "a", "b") == [("b", -2.0)]


def test_a_token_that_straddles_the_boundary_is_one_of_the_text() -> None:
    assert told([("a", None), ("b c", -0.5), ("d", -1.0)], "ab", " cd") == [
        ("b c", -0.5),
        ("d", -1.0),
    ]


def test_a_first_token_without_a_probability() -> None:
    with pytest.raises(ProviderError, match="something has to come before the text"):
        told([("Hi", None), ("!", -1.0)], "", "Hi!")


def test_no_text() -> None:
    with VllmDouble() as double:
        model = vllm.open_model("x", ModelOptions(base_url=double.url))
        assert asyncio.run(likelihood(model, "given", "")).logprobs == ()
        assert not double.requests


class TestPiecesOfCharacters:
    # 👋 in two tokens of bytes, which a server shows as nothing or as a stand-in.
    @pytest.mark.parametrize(("one", "two"), [("\ufffd", "\ufffd"), ("", ""), ("", "\ufffd")])
    @pytest.mark.parametrize("after", ["!", ""])
    def test_in_the_text(self, one: str, two: str, after: str) -> None:
        end: Tokens = [(after, -0.5)] if after else []
        tokens = [("a", None), (one, -1.0), (two, -2.0), *end]
        assert told(tokens, "a", f"👋{after}") == [(one, -1.0), (two, -2.0), *end]

    def test_before_the_text(self) -> None:
        tokens: Tokens = [("\ufffd", None), ("\ufffd", -2.0), ("b", -0.5)]
        assert told(tokens, "👋", "b") == [("b", -0.5)]

    def test_on_both_sides_of_the_boundary(self) -> None:
        """Nobody can say which of them belong to the text."""
        tokens: Tokens = [("a", None), *[("\ufffd", -1.0)] * 4, ("b", -0.5)]
        with pytest.raises(ProviderError, match="split a character where the text begins"):
            told(tokens, "a👋", "🌍b")

    def test_a_stand_in_that_is_in_the_text_itself(self) -> None:
        tokens: Tokens = [("a", None), ("\ufffd", -1.0), ("b", -2.0)]
        assert told(tokens, "a", "\ufffdb") == [("\ufffd", -1.0), ("b", -2.0)]


class TestNothingIsGuessed:
    @pytest.mark.parametrize(
        "tokens",
        [
            [("<s>", None), ("a", -1.0), ("x", -1.0)],
            [("a", None), ("b", -1.0)],
            [("a", None), ("b", -1.0), ("c", -1.0), ("d", -1.0)],
            [("a", None), ("\ufffd", -1.0), ("zzz", -1.0)],
        ],
    )
    def test_tokens_that_do_not_spell_the_text(self, tokens: Tokens) -> None:
        with pytest.raises(ProviderError, match="do not spell the text") as caught:
            told(tokens, "a", "bc")
        assert not caught.value.retryable

    def test_a_server_that_does_not_echo(self) -> None:
        with pytest.raises(ProviderError, match="does not tell the probabilities") as caught:
            told(None, "a", "bc")
        assert caught.value.fatal

    def test_a_server_without_the_endpoint(self) -> None:
        with OpenAIDouble() as double:
            model = openai.open_model("x", ModelOptions(base_url=double.url))
            with pytest.raises(ProviderError, match="HTTP 404") as caught:
                asyncio.run(likelihood(model, "a", "b"))
        assert caught.value.fatal

    @pytest.mark.parametrize(
        "body", [b"{}", b"<html>", b'{"choices": [{"logprobs": {"tokens": 3}}]}']
    )
    def test_an_answer_that_is_none(self, body: bytes) -> None:
        with VllmDouble() as double:
            double.instead("POST /v1/completions", body)
            model = vllm.open_model("x", ModelOptions(base_url=double.url))
            with pytest.raises(ProviderError) as caught:
                asyncio.run(likelihood(model, "a", "b"))
        assert caught.value.retryable

    def test_who_offers_none(self) -> None:
        assert openai.open_model("x", ModelOptions()).likelihoods is None
        assert llamacpp.open_model("x", ModelOptions()).likelihoods is None


def test_a_prompt_that_comes_apart_from_what_was_generated() -> None:
    class Echoes(TogetherDouble):
        likelihoods = [*ASKED, *ANSWER]  # noqa: RUF012 - the double's own

    with Echoes() as double:
        model = together.open_model(MODEL, ModelOptions(base_url=double.url))
        found = asyncio.run(likelihood(model, "Q: sky?", " It is blue"))
    assert pairs(found) == ANSWER
    assert found.usage.cost_usd is None
