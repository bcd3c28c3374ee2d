"""The probabilities of a given text: exact numbers through doubles that echo."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from tests.doubles.chat import KEY
from tests.doubles.http import Response
from tests.doubles.openai import OpenAIDouble
from tests.doubles.together import MODEL, TogetherDouble
from tests.doubles.vllm import VllmDouble

from adjudge.core.reply import Reply, TokenLogprob, Usage
from adjudge.errors import ProviderError
from adjudge.models import llamacpp, openai, together, vllm
from adjudge.models.base import ModelOptions
from adjudge.models.chat_completions import OpenAIModel

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


class TestPromptLogprobs:
    """vLLM's own field, for servers that do not echo."""

    def told(
        self, tokens: Tokens | None, given: str, text: str, **double: Any
    ) -> tuple[list[tuple[str, float]], list[dict[str, Any]]]:
        """What two questions find, and all that was sent."""

        async def twice(model: OpenAIModel) -> Reply:
            assert model.likelihoods is not None
            try:
                await model.likelihoods.of(given, text)
                return await model.likelihoods.of(given, text)
            finally:
                await model.aclose()

        with VllmDouble(likelihoods=tokens, **double) as server:
            model = vllm.open_model("x", ModelOptions(base_url=server.url))
            found = asyncio.run(twice(model))
            return pairs(found), [request.json for request in server.requests]

    @pytest.mark.parametrize("double", [{"refuses": frozenset({"echo"})}, {"most_logprobs": 0}])
    def test_where_an_echo_is_refused(self, double: dict[str, Any]) -> None:
        found, sent = self.told([*ASKED, *ANSWER], "Q: sky?", " It is blue", **double)
        assert found == ANSWER
        same = {"model": "x", "prompt": "Q: sky? It is blue", "max_tokens": 1, "temperature": 0.0}
        asked = same | {"prompt_logprobs": 0}
        # Once found out, it is not tried again.
        assert sent == [same | {"echo": True, "logprobs": 1}, asked, asked]

    def test_where_the_tokens_do_not_come(self) -> None:
        class Silent(VllmDouble):
            """Takes an echo and forgets about it."""

            def _completed(self, body: dict[str, Any]) -> Response:
                return super()._completed({**body, "echo": False})

        with Silent(likelihoods=[*ASKED, *ANSWER]) as double:
            model = vllm.open_model("x", ModelOptions(base_url=double.url))
            assert pairs(asyncio.run(likelihood(model, "Q: sky?", " It is blue"))) == ANSWER
            assert len(double.requests) == 2

    def test_an_alternative_is_told_from_the_token(self) -> None:
        """With an echo there is one, in an answer that has them only so."""
        body = {
            "choices": [{"logprobs": None, "prompt_logprobs": [
                None,
                {"7": {"logprob": -0.5, "rank": 1, "decoded_token": " best"},
                 "8": {"logprob": -2.0, "rank": 4, "decoded_token": "b"}},
                {"9": {"logprob": -0.25, "rank": 1, "decoded_token": "c"}},
            ]}],
            "usage": {"prompt_tokens": 3, "completion_tokens": 1},
        }  # fmt: skip
        with VllmDouble() as double:
            double.instead("POST /v1/completions", json.dumps(body).encode())
            model = vllm.open_model("x", ModelOptions(base_url=double.url))
            reply = asyncio.run(likelihood(model, "a", "bc"))
            assert len(double.requests) == 1
        assert reply.logprobs == (
            TokenLogprob("b", -2.0, {" best": -0.5, "b": -2.0}),
            TokenLogprob("c", -0.25, {"c": -0.25}),
        )

    @pytest.mark.parametrize(
        ("first", "given", "text"),
        [
            ("<s>", "", "ab"),  # a mark, which is nothing of the text
            ("Hello", "Hello", "ab"),
            ("\ufffd", "👋", "ab"),
        ],
    )
    def test_the_first_token_is_not_spelled_out(self, first: str, given: str, text: str) -> None:
        rest: Tokens = [("a", -1.0), ("b", -2.0)]
        pieces: Tokens = [("\ufffd", -3.0)] if first == "\ufffd" else []
        tokens = [(first, None), *pieces, *rest]
        found, _ = self.told(tokens, given, text, refuses=frozenset({"echo"}))
        assert found == rest

    def test_a_first_token_of_the_text(self) -> None:
        with pytest.raises(ProviderError, match="something has to come before the text"):
            self.told([("Hi", None), ("!", -1.0)], "", "Hi!", refuses=frozenset({"echo"}))

    def test_tokens_that_do_not_spell_the_text(self) -> None:
        with pytest.raises(ProviderError, match="do not spell the text"):
            self.told([("a", None), ("x", -1.0)], "a", "b", refuses=frozenset({"echo"}))

    def test_neither_way(self) -> None:
        """The complaint is about the usual one."""
        with pytest.raises(ProviderError, match="'echo' is not supported") as caught:
            self.told(ASKED, "a", "b", refuses=frozenset({"echo", "prompt_logprobs"}))
        assert not caught.value.retryable

    def test_a_prompt_that_is_too_long_is_not_asked_about_again(self) -> None:
        body = {"message": "This model's maximum context length is 9 tokens.", "code": 400}
        with VllmDouble() as double:
            double.instead("POST /v1/completions", json.dumps({"error": body}).encode())
            model = vllm.open_model("x", ModelOptions(base_url=double.url))
            with pytest.raises(ProviderError, match="too long"):
                asyncio.run(likelihood(model, "a", "b"))
            assert len(double.requests) == 1


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
        with pytest.raises(ProviderError, match="does not give the probabilities") as caught:
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
