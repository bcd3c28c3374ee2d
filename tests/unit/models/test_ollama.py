"""Ollama's own API, and its OpenAI path, against a strict double on loopback."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any, TypeVar

import pytest
from tests.doubles.http import Refuses, Says
from tests.doubles.ollama import OllamaDouble

from adjudge.core.prompt import Message, Prompt, Sampling
from adjudge.core.reply import Reply
from adjudge.errors import ModelUnavailable, ProviderError, UsageError
from adjudge.models import openai
from adjudge.models.base import Capabilities, ModelOptions
from adjudge.models.ollama import OllamaModel, base_url_of, open_model
from adjudge.models.prices import FREE, Price

T = TypeVar("T")
SCHEMA = {
    "type": "object",
    "properties": {"score": {"type": "integer", "enum": [1, 2, 3]}},
    "required": ["score"],
    "additionalProperties": False,
}
PLAIN = Prompt(messages=(Message("system", "Judge."), Message("user", "Chào 👋")), criteria=("c",))
BOUND = replace(PLAIN, schema=SCHEMA)
LONG = replace(PLAIN, messages=(Message("user", "word " * 20_000),))
CHAT = "POST /api/chat"


@pytest.fixture(autouse=True)
def nothing_set(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OLLAMA_HOST", "OLLAMA_API_KEY", "OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)


def using(double: OllamaDouble, work: Callable[[OllamaModel], Awaitable[T]], **options: Any) -> T:
    async def opened() -> T:
        with double:
            model = open_model("gemma3", ModelOptions(base_url=double.url, **options))
            try:
                return await work(model)
            finally:
                await model.aclose()

    return asyncio.run(opened())


def ask(double: OllamaDouble, prompt: Prompt, sampling: Sampling | None = None) -> Reply:
    return using(double, lambda model: model.ask(prompt, sampling or Sampling()))


def windows(double: OllamaDouble) -> list[int]:
    sent = [request.json for request in double.requests if str(request) == CHAT]
    return [body["options"]["num_ctx"] for body in sent]


def test_what_is_sent() -> None:
    double = OllamaDouble(lambda body: '{"score": 3}')
    reply = ask(double, BOUND, Sampling(temperature=0.5, max_tokens=50, seed=3, top_logprobs=30))
    assert reply.text == '{"score": 3}'
    assert double.requests[-1].json == {
        "model": "gemma3",
        "messages": [
            {"role": "system", "content": "Judge."},
            {"role": "user", "content": "Chào 👋"},
        ],
        "stream": False,
        "format": SCHEMA,
        "options": {"num_ctx": 4096, "num_predict": 50, "temperature": 0.5, "seed": 3},
        "truncate": False,
        "shift": False,
        "logprobs": True,
        "top_logprobs": 20,
    }


def test_what_is_not_said_is_not_sent() -> None:
    double = OllamaDouble()
    ask(double, PLAIN, Sampling(temperature=None))
    body = double.requests[-1].json
    assert body["options"].keys() == {"num_ctx", "num_predict"}
    assert not {"format", "logprobs", "keep_alive", "think"} & body.keys()


def test_the_window_holds_the_prompt_and_does_not_shrink_again() -> None:
    double = OllamaDouble(lambda body: Says("4", input_tokens=20_000))

    async def both(model: OllamaModel) -> None:
        await model.ask(LONG, Sampling())
        await model.ask(PLAIN, Sampling())  # a smaller window would load the model anew

    using(double, both)
    assert windows(double) == [65_536, 65_536]


def test_the_window_is_no_larger_than_what_the_model_was_made_for() -> None:
    double = OllamaDouble(lambda body: Says("4", input_tokens=20_000), context=40_960)
    ask(double, LONG)
    assert windows(double) == [40_960]


def test_a_prompt_of_more_tokens_than_foreseen_gets_a_larger_window() -> None:
    double = OllamaDouble(lambda body: Says("4", input_tokens=30_000))
    assert ask(double, PLAIN).text == "4"
    assert windows(double) == [4096, 32_768]


def test_a_prompt_that_fits_no_window_is_given_up_at_once() -> None:
    double = OllamaDouble(lambda body: Says("4", input_tokens=500_000))
    with pytest.raises(ProviderError, match="500000 tokens") as caught:
        ask(double, PLAIN)
    assert (caught.value.status, caught.value.retryable, caught.value.fatal) == (413, False, False)
    assert windows(double) == [4096]


def test_a_version_that_cuts_in_silence_is_found_out() -> None:
    cut = OllamaDouble(lambda body: Says("4", input_tokens=10_000), old=True)
    assert ask(cut, PLAIN).usage.input_tokens == 10_000
    assert windows(cut) == [4096, 16_384]
    hopeless = OllamaDouble(lambda body: Says("4", input_tokens=100_000), old=True)
    with pytest.raises(ProviderError, match="a part was cut off") as caught:
        ask(hopeless, PLAIN)
    assert caught.value.status == 413
    assert windows(hopeless) == [4096, 16_384]


def test_a_version_without_probabilities_says_so_afterwards() -> None:
    async def once(model: OllamaModel) -> tuple[Reply, Capabilities]:
        return await model.ask(PLAIN, Sampling(top_logprobs=3)), model.capabilities

    reply, able = using(OllamaDouble(old=True), once)
    assert (reply.text, reply.logprobs, able.logprobs) == ("4", None, False)


def test_thoughts_and_their_tokens_are_no_part_of_the_reply() -> None:
    double = OllamaDouble(lambda body: Says("네, 4", thought="Hm, 음."))
    reply = ask(double, PLAIN, Sampling(top_logprobs=2))
    assert reply.text == "네, 4"
    assert reply.logprobs is not None
    assert "".join(token.token for token in reply.logprobs) == "네, 4"


def test_a_schema_that_no_grammar_can_be_made_of() -> None:
    double = OllamaDouble(lambda body: '{"score": 3}')
    prompt = replace(PLAIN, schema={"type": "object", "$ref": "#/x"})

    async def once(model: OllamaModel) -> tuple[Reply, Capabilities]:
        return await model.ask(prompt, Sampling()), model.capabilities

    reply, able = using(double, once)
    assert (reply.text, able.json_schema) == ('{"score": 3}', False)
    assert double.requests[-1].json["format"] == "json"


def test_a_model_that_is_not_there_is_to_be_pulled() -> None:
    double = OllamaDouble(models=frozenset({"other"}))
    with pytest.raises(ProviderError, match="`ollama pull gemma3`") as caught:
        ask(double, PLAIN)
    assert caught.value.fatal
    assert double.calls(CHAT) == 0


def test_nobody_serving_names_the_command() -> None:
    async def run() -> None:
        model = open_model("gemma3", ModelOptions(base_url="127.0.0.1:1"))
        await model.ask(PLAIN, Sampling())

    with pytest.raises(ProviderError, match=r"start it \(ollama serve\)"):
        asyncio.run(run())


def test_a_model_that_does_not_fit_the_memory() -> None:
    told = "model requires more system memory (9.0 GiB) than is available (4.2 GiB)"

    def failing(prompt: Prompt) -> ProviderError:
        with pytest.raises(ProviderError, match="a smaller model, or shorter texts") as caught:
            ask(OllamaDouble(lambda body: Refuses(500, told)), prompt)
        return caught.value

    assert (failing(PLAIN).fatal, failing(PLAIN).retryable) == (True, False)
    assert not failing(LONG).fatal  # the next text may be shorter


def test_a_server_that_does_not_describe_its_models_is_asked_all_the_same() -> None:
    double = OllamaDouble()
    double.instead("POST /api/show", b"<html>", times=9)

    async def both(model: OllamaModel) -> int | None:
        await model.ask(PLAIN, Sampling())
        await model.ask(PLAIN, Sampling())
        return await model.context_size()

    assert using(double, both) is None
    assert double.calls("POST /api/show") == 2  # once for both questions


@pytest.mark.parametrize(
    ("host", "base"),
    [
        ("", "http://127.0.0.1:11434"),
        ("  ", "http://127.0.0.1:11434"),
        ("box", "http://box:11434"),
        ("box:1234", "http://box:1234"),
        (":1234", "http://127.0.0.1:1234"),
        ("0.0.0.0", "http://127.0.0.1:11434"),  # noqa: S104 - nothing is bound
        ("0.0.0.0:1234", "http://127.0.0.1:1234"),
        ("http://0.0.0.0:1234", "http://127.0.0.1:1234"),
        ("http://box", "http://box:80"),
        ("https://box", "https://box:443"),
        ("https://box:1234/", "https://box:1234"),
        ("https://box/ollama/", "https://box:443/ollama"),
        ("box:1234/ollama", "http://box:1234/ollama"),
        ("::1", "http://[::1]:11434"),
        ("[::1]:1234", "http://[::1]:1234"),
        ("[::]:1234", "http://[::1]:1234"),
        ("::", "http://[::1]:11434"),
        ('"box"', "http://box:11434"),
        ("ollama.com", "https://ollama.com:443"),
    ],
)
def test_the_host_in_all_its_forms(host: str, base: str) -> None:
    assert base_url_of(host) == base


@pytest.mark.parametrize("end", ["", "/", "/api", "/api/chat", "/v1"])
def test_the_address_with_or_without_its_end(end: str, monkeypatch: pytest.MonkeyPatch) -> None:
    async def run() -> str:
        with OllamaDouble() as double:
            monkeypatch.setenv("OLLAMA_HOST", double.url.removeprefix("http://") + end)
            model = open_model("gemma3", ModelOptions())
            reply = await model.ask(PLAIN, Sampling())
            await model.aclose()
            return reply.text

    assert asyncio.run(run()) == "4"


def test_what_cannot_be_opened(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UsageError, match="ollama/NAME"):
        open_model("", ModelOptions())
    with pytest.raises(UsageError, match="not a base URL"):
        open_model("gemma3", ModelOptions(base_url="box:port"))
    monkeypatch.setenv("OLLAMA_API_KEY", "a\nb")
    with pytest.raises(ModelUnavailable, match="OLLAMA_API_KEY"):
        open_model("gemma3", ModelOptions())


def test_a_model_of_ones_own_costs_nothing_and_a_rented_one_is_not_priced() -> None:
    def price(name: str, **options: Any) -> Price | None:
        return open_model(name, ModelOptions(**options)).price

    assert price("gemma3") == price("gemma3", base_url="http://box") == FREE
    assert price("mycloud") == FREE
    assert price("gpt-oss:120b-cloud") is price("qwen3.5:cloud") is None
    assert price("gpt-oss:120b", base_url="https://ollama.com") is None
    assert price("gemma3", price=Price(1, 2)) == Price(1, 2)


def test_a_key_goes_where_it_is_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OLLAMA_API_KEY", " secret ")
    double = OllamaDouble(lambda body: Refuses(401, "unauthorized secret"))
    with pytest.raises(ProviderError, match="ollama signin") as caught:
        ask(double, PLAIN)
    assert "secret" not in str(caught.value)
    assert double.requests[-1].headers["authorization"] == "Bearer secret"


def test_the_openai_path() -> None:
    async def run() -> tuple[Reply, Reply]:
        with OllamaDouble(lambda body: '{"score": 3}') as double:
            options = ModelOptions(base_url=f"{double.url}/v1")
            model = openai.open_model("gemma3", options)
            asked = await model.ask(BOUND, Sampling(top_logprobs=2, seed=1))
            unknown = openai.open_model("other", options)
            with pytest.raises(ProviderError, match="not found"):
                await unknown.ask(PLAIN, Sampling())
            await unknown.aclose()
            again = await model.ask(BOUND.followed_by(asked.text, "Sure?"), Sampling())
            await model.aclose()
            return asked, again

    asked, again = asyncio.run(run())
    assert json.loads(asked.text) == json.loads(again.text) == {"score": 3}
    assert asked.logprobs is not None
    assert asked.usage.cost_usd is None
