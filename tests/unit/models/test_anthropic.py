"""The Messages API client against a strict double on loopback."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any, TypeVar

import pytest
from tests.doubles.anthropic import KEY, AnthropicDouble
from tests.doubles.http import Refuses, Request, Response, Says

from adjudge.core.item import Item
from adjudge.core.prompt import Message, Prompt, Sampling
from adjudge.core.reply import Reply
from adjudge.errors import ModelUnavailable, ProviderError, UsageError
from adjudge.judges.load import load_text
from adjudge.judges.render import Renderer
from adjudge.models.anthropic import AnthropicModel, open_model
from adjudge.models.base import Capabilities, ModelOptions
from adjudge.models.prices import Price
from adjudge.models.registry import providers

T = TypeVar("T")
SCHEMA = {
    "type": "object",
    "properties": {
        "reasons": {"type": "array", "items": {"type": "string"}, "minItems": 2, "maxItems": 3},
        "minimum": {"type": "number", "minimum": 0, "maximum": 10},
        "score": {"type": "integer", "enum": [1, 2, 3]},
    },
    "required": ["reasons", "minimum", "score"],
    "additionalProperties": False,
}
PLAIN = Prompt(messages=(Message("system", "Judge."), Message("user", "Chào 👋")), criteria=("c",))
BOUND = Prompt(messages=PLAIN.messages, criteria=("c",), schema=SCHEMA, item="7")
VERDICT = '{"reasons":["z","a"],"minimum":0.5,"score":3}'
JUDGE = """
judge: tone
version: 1
title: Is the tone right?
language: en
explain_in: en
inputs:
  answer: {judged: true}
criteria:
  tone: {scale: {type: integer, min: 1, max: 5}}
"""
NEWER = frozenset({"temperature", "tool_choice"})


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    monkeypatch.delenv("ANTHROPIC_BASE_URL", raising=False)


def using(
    double: AnthropicDouble, work: Callable[[AnthropicModel], Awaitable[T]], **options: Any
) -> T:
    async def opened() -> T:
        with double:
            model = open_model("claude-x", ModelOptions(base_url=double.url, **options))
            try:
                return await work(model)
            finally:
                await model.aclose()

    return asyncio.run(opened())


def ask(
    double: AnthropicDouble, prompt: Prompt, sampling: Sampling | None = None, **options: Any
) -> Reply:
    return using(double, lambda model: model.ask(prompt, sampling or Sampling()), **options)


def test_a_text_reply() -> None:
    double = AnthropicDouble(lambda params: "Xin chào")
    reply = ask(double, PLAIN, Sampling(temperature=0.5, max_tokens=50, seed=3, top_logprobs=5))
    assert (reply.text, reply.finish, reply.refusal) == ("Xin chào", "stop", None)
    assert reply.logprobs is None
    assert reply.latency_ms > 0
    [request] = double.requests
    assert request.headers["anthropic-version"] == "2023-06-01"
    assert request.json == {
        "model": "claude-x",
        "max_tokens": 50,
        "temperature": 0.5,
        "system": [{"type": "text", "text": "Judge.", "cache_control": {"type": "ephemeral"}}],
        "messages": [{"role": "user", "content": "Chào 👋"}],
    }


def test_all_that_is_the_same_for_every_item_is_marked_for_the_cache() -> None:
    judge = load_text(JUDGE, "j.yaml")
    prompts = [
        Renderer(judge, b"secret").prompts(Item(number, {"answer": f"text {number}"}))[0]
        for number in ("1", "2")
    ]
    double = AnthropicDouble(lambda params: '{"explanation": "x", "tone": 3}')

    async def both(model: AnthropicModel) -> None:
        for prompt in prompts:
            await model.ask(prompt, Sampling())

    using(double, both)
    first, second = (request.json for request in double.requests)
    assert first["system"] == second["system"]
    assert first["tools"] == second["tools"]  # before the system text, so kept with it
    assert first["system"][-1]["cache_control"] == {"type": "ephemeral"}
    assert "Is the tone right?" in first["system"][-1]["text"]
    assert "text 1" not in json.dumps(first["system"])
    assert "cache_control" not in json.dumps(first["messages"])


def test_of_several_system_texts_the_last_is_marked() -> None:
    double = AnthropicDouble()
    turns = (Message("system", "One."), Message("system", ""), Message("system", "Two."))
    ask(double, Prompt(messages=(*turns, *PLAIN.messages[1:]), criteria=()))
    assert double.requests[0].json["system"] == [
        {"type": "text", "text": "One."},
        {"type": "text", "text": "Two.", "cache_control": {"type": "ephemeral"}},
    ]


def test_a_format_too_large_to_be_compiled_is_left_out() -> None:
    parts = {f"p{number}": {"type": "integer"} for number in range(600)}
    schema = {"type": "object", "properties": parts, "required": [], "additionalProperties": False}
    double = AnthropicDouble(lambda _: VERDICT, refuses=frozenset({"tool_choice"}))
    assert ask(double, replace(BOUND, schema=schema)).text == VERDICT
    assert len(double.requests) == 3


@pytest.mark.parametrize("status", [200, 404])
def test_a_gateway_may_not_describe_its_models(status: int) -> None:
    class Silent(AnthropicDouble):
        def handle(self, request: Request) -> Response:
            return Response(status, b'{"id": "claude-x"}')

    assert using(Silent(), lambda model: model.context_size()) is None


def test_a_description_that_is_refused_is_told() -> None:
    double = AnthropicDouble()
    double.fault("GET /v1/models/", status=529, type="overloaded_error", message="Overloaded")
    with pytest.raises(ProviderError, match="Overloaded"):
        using(double, lambda model: model.context_size())


def test_what_was_found_another_day_is_taken_as_far_as_it_is_known() -> None:
    double = AnthropicDouble(lambda params: VERDICT, refuses=NEWER)

    async def once(model: AnthropicModel) -> Reply:
        model.ways = {"json": "format", "temperature": None, "other": "x"}
        return await model.ask(BOUND, Sampling())

    assert using(double, once).text == VERDICT
    assert len(double.requests) == 1


def test_what_is_not_said_is_not_sent() -> None:
    double = AnthropicDouble()
    ask(double, Prompt(messages=PLAIN.messages[1:], criteria=()), Sampling(temperature=None))
    assert double.requests[0].json.keys() == {"model", "max_tokens", "messages"}


def test_json_is_the_input_of_a_forced_tool() -> None:
    double = AnthropicDouble(lambda params: VERDICT)
    reply = ask(double, BOUND)
    assert reply.text == VERDICT  # in the order in which the model gave it
    assert reply.finish == "stop"
    body = double.requests[0].json
    assert body["tool_choice"]["type"] == "tool"
    assert body["tools"][0]["input_schema"] == SCHEMA
    assert body["tool_choice"]["name"] == body["tools"][0]["name"]


def test_a_further_question_after_a_tool() -> None:
    double = AnthropicDouble(lambda params: VERDICT)

    async def twice(model: AnthropicModel) -> Reply:
        first = await model.ask(BOUND, Sampling())
        return await model.ask(BOUND.followed_by(first.text, "In Vietnamese, please."), Sampling())

    assert using(double, twice).text == VERDICT
    assert double.requests[1].json["messages"] == [
        {"role": "user", "content": "Chào 👋"},
        {"role": "assistant", "content": VERDICT},
        {"role": "user", "content": "In Vietnamese, please."},
    ]


def test_a_further_question_after_an_empty_reply() -> None:
    double = AnthropicDouble()
    assert ask(double, PLAIN.followed_by(" \n", "Again, please.")).text == "4"


def test_newer_models_get_a_format_and_no_temperature() -> None:
    double = AnthropicDouble(lambda params: VERDICT, refuses=NEWER)

    async def twice(model: AnthropicModel) -> tuple[Reply, Reply, Capabilities]:
        first = await model.ask(BOUND, Sampling())
        return first, await model.ask(BOUND, Sampling()), model.capabilities

    first, second, capabilities = using(double, twice)
    assert first.text == second.text == VERDICT
    assert capabilities.json_schema
    assert len(double.requests) == 4  # two refusals, once for the life of the model
    body = double.requests[-1].json
    assert body.keys() == {"model", "max_tokens", "messages", "system", "output_config"}
    form = body["output_config"]["format"]["schema"]
    assert form["properties"] == {
        "reasons": {"type": "array", "items": {"type": "string"}},
        "minimum": {"type": "number"},
        "score": {"type": "integer", "enum": [1, 2, 3]},
    }
    assert form["required"] == SCHEMA["required"]


def test_a_model_that_can_be_bound_in_no_way_is_asked_in_words() -> None:
    double = AnthropicDouble(lambda _: VERDICT, refuses=frozenset({"tool_choice", "output_config"}))

    async def once(model: AnthropicModel) -> tuple[Reply, Capabilities]:
        return await model.ask(BOUND, Sampling()), model.capabilities

    reply, capabilities = using(double, once)
    assert reply.text == VERDICT
    assert not capabilities.json_schema
    assert not {"tools", "output_config"} & double.requests[-1].json.keys()


def test_refusals_at_once_take_one_step_only() -> None:
    double = AnthropicDouble(lambda params: VERDICT, refuses=frozenset({"tool_choice"}))

    async def many(model: AnthropicModel) -> list[Reply]:
        return await asyncio.gather(*(model.ask(BOUND, Sampling()) for _ in range(8)))

    assert {reply.text for reply in using(double, many)} == {VERDICT}
    assert "output_config" in double.requests[-1].json


def test_thoughts_are_no_part_of_the_reply() -> None:
    class Thinking(AnthropicDouble):
        def _message(self, params: Mapping[str, Any], says: Says, *, batched: bool) -> Any:
            message = super()._message(params, says, batched=batched)
            thought = {"type": "thinking", "thinking": "Hm.", "signature": "x"}
            return message | {"content": [thought, *message["content"], *message["content"]]}

    assert ask(Thinking(lambda params: "ab"), PLAIN).text == "abab"


@pytest.mark.parametrize(
    ("stop", "finish"),
    [
        ("end_turn", "stop"),
        ("stop_sequence", "stop"),
        ("max_tokens", "length"),
        ("model_context_window_exceeded", "length"),
        ("refusal", "refused"),
    ],
)
def test_how_it_ended(stop: str, finish: str) -> None:
    reply = ask(AnthropicDouble(lambda params: Says("x", finish=stop)), PLAIN)
    assert reply.finish == finish
    assert reply.refusal == ("It is not safe." if finish == "refused" else None)


def test_a_tool_input_cut_off_is_told() -> None:
    reply = ask(AnthropicDouble(lambda params: Says("{}", finish="max_tokens")), BOUND)
    assert (reply.text, reply.finish) == ("{}", "length")


def test_usage_and_cost() -> None:
    says = Says("4", input_tokens=1000, output_tokens=200, cached=600, written=300)
    price = Price(10.0, 50.0, cached_input=1.0, cached_write=12.5)
    usage = ask(AnthropicDouble(lambda params: says), PLAIN, price=price).usage
    assert (usage.input_tokens, usage.cached_tokens, usage.output_tokens) == (1000, 600, 200)
    expected = (100 * 10.0 + 600 * 1.0 + 300 * 12.5 + 200 * 50.0) / 1e6
    assert usage.cost_usd == pytest.approx(expected)


def test_the_price_is_known_at_home_only(monkeypatch: pytest.MonkeyPatch) -> None:
    def price(name: str, **options: Any) -> Price | None:
        return open_model(name, ModelOptions(**options)).price

    at_home = price("claude-haiku-4-5-20251001")
    assert at_home is not None
    assert at_home.input == 1.0
    assert price("claude-haiku-4-5", base_url="https://api.anthropic.com/v1/") == at_home
    assert price("claude-haiku-4-5", base_url="https://gateway.example") is None
    assert price("claude-unheard-of") is None
    assert price("claude-haiku-4-5", price=Price(1, 2)) == Price(1, 2)
    assert ask(AnthropicDouble(), PLAIN).usage.cost_usd is None


def failing(refuses: Refuses) -> ProviderError:
    with pytest.raises(ProviderError) as caught:
        ask(AnthropicDouble(lambda params: refuses), PLAIN)
    return caught.value


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (429, "rate_limit_error"),
        (500, "api_error"),
        (504, "timeout_error"),
        (529, "overloaded_error"),
    ],
)
def test_what_may_pass(status: int, kind: str) -> None:
    error = failing(Refuses(status, "Overloaded", kind, {"retry-after": "7"}))
    assert error.retryable
    assert not error.fatal
    assert (error.status, error.retry_after) == (status, 7.0)


def test_the_wait_until_the_limits_that_are_used_up_are_whole() -> None:
    def at(seconds: int) -> str:
        return (datetime.now(UTC) + timedelta(seconds=seconds)).isoformat().replace("+00:00", "Z")

    headers = {
        "anthropic-ratelimit-requests-remaining": "0",
        "anthropic-ratelimit-requests-reset": at(20),
        "anthropic-ratelimit-input-tokens-remaining": "0",
        "anthropic-ratelimit-input-tokens-reset": at(40),
        "anthropic-ratelimit-output-tokens-remaining": "5",
        "anthropic-ratelimit-output-tokens-reset": at(90),
        "anthropic-ratelimit-tokens-remaining": "0",
        "anthropic-ratelimit-tokens-reset": "soon",
    }
    error = failing(Refuses(429, "slow down", "rate_limit_error", headers))
    assert error.retry_after is not None
    assert 35 < error.retry_after <= 40
    assert failing(Refuses(429, "slow down", "rate_limit_error")).retry_after is None


def test_a_reply_that_used_a_limit_up_says_for_how_long() -> None:
    class Limited(AnthropicDouble):
        def handle(self, request: Request) -> Response:
            ends = (datetime.now(UTC) + timedelta(seconds=30)).isoformat()
            name = "anthropic-ratelimit-requests"
            headers = {f"{name}-remaining": "0", f"{name}-reset": ends}
            return replace(super().handle(request), headers=headers)

    pause = ask(Limited(), PLAIN).pause
    assert pause is not None
    assert 25 < pause <= 30
    assert ask(AnthropicDouble(), PLAIN).pause is None


@pytest.mark.parametrize(
    ("status", "kind", "message"),
    [
        (403, "permission_error", "Your key may not use this."),
        (404, "not_found_error", "model: claude-x"),
        (402, "billing_error", "Check your payment details."),
        (400, "invalid_request_error", "Your credit balance is too low to access the API."),
        (400, "invalid_request_error", "You have reached your specified API usage limits."),
    ],
)
def test_what_every_request_will_meet(status: int, kind: str, message: str) -> None:
    error = failing(Refuses(status, message, kind))
    assert error.fatal
    assert error.status == status
    assert message in str(error)


@pytest.mark.parametrize(
    ("status", "kind", "message"),
    [
        (400, "invalid_request_error", "prompt is too long: 215000 tokens > 200000 maximum"),
        (413, "request_too_large", "Request exceeds the maximum size"),
    ],
)
def test_a_prompt_too_long(status: int, kind: str, message: str) -> None:
    error = failing(Refuses(status, message, kind))
    assert (error.status, error.retryable, error.fatal) == (413, False, False)


def test_a_bad_request_is_no_reason_to_stop_or_to_repeat() -> None:
    error = failing(Refuses(400, "messages.0.content: invalid"))
    assert (error.status, error.retryable, error.fatal) == (400, False, False)


def test_a_wrong_key_is_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-ant-wrong")
    with pytest.raises(ProviderError, match="ANTHROPIC_API_KEY") as caught:
        ask(AnthropicDouble(), PLAIN)
    assert caught.value.fatal
    assert "sk-ant-wrong" not in str(caught.value)


def test_a_temperature_that_is_not_taken() -> None:
    double = AnthropicDouble()
    with pytest.raises(ProviderError, match="from 0 to 1") as caught:
        ask(double, PLAIN, Sampling(temperature=1.5))
    assert caught.value.fatal
    assert not double.requests


@pytest.mark.parametrize("body", [b"no json", b"[]", b'{"content": []}', b'{"stop_reason": null}'])
def test_an_answer_that_is_none(body: bytes) -> None:
    class Odd(AnthropicDouble):
        def handle(self, request: Request) -> Response:
            return Response(200, body)

    with pytest.raises(ProviderError, match="sent no") as caught:
        ask(Odd(), PLAIN)
    assert caught.value.retryable


def test_a_broken_connection_may_be_tried_again() -> None:
    double = AnthropicDouble()
    double.drop("POST /v1/messages", times=5)
    began = time.monotonic()
    with pytest.raises(ProviderError) as caught:
        ask(double, PLAIN)
    assert caught.value.retryable
    assert time.monotonic() - began < 5


@pytest.mark.parametrize("end", ["", "/", "/messages", "/messages/"])
def test_the_base_url_with_or_without_its_end(end: str, monkeypatch: pytest.MonkeyPatch) -> None:
    async def both() -> list[str]:
        with AnthropicDouble() as double:
            texts = []
            for base in (f"{double.url}{end}", f"{double.url.removesuffix('/v1')}"):
                monkeypatch.setenv("ANTHROPIC_BASE_URL", base)
                model = open_model("claude-x", ModelOptions())
                texts.append((await model.ask(PLAIN, Sampling())).text)
                await model.aclose()
            return texts

    assert asyncio.run(both()) == ["4", "4"]


def test_what_cannot_be_opened(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UsageError, match="anthropic/NAME"):
        open_model("", ModelOptions())
    with pytest.raises(UsageError, match="not a base URL"):
        open_model("claude-x", ModelOptions(base_url="nonsense"))
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk\n-ant")
    with pytest.raises(ModelUnavailable, match="ANTHROPIC_API_KEY"):
        open_model("claude-x", ModelOptions())
    monkeypatch.delenv("ANTHROPIC_API_KEY")
    with pytest.raises(ModelUnavailable, match="set ANTHROPIC_API_KEY"):
        open_model("claude-x", ModelOptions())
    gateway = open_model("claude-x", ModelOptions(base_url="http://localhost:1"))
    assert (gateway.name, gateway.capabilities.logprobs) == ("anthropic/claude-x", False)
    assert gateway.identity != open_model("claude-x", ModelOptions(base_url="http://o")).identity


def test_it_is_known_by_name() -> None:
    assert "anthropic" in providers()


def test_half_a_character_cannot_be_sent() -> None:
    prompt = Prompt(messages=(Message("user", "\ud83d"),), criteria=(), item="42")
    with pytest.raises(ProviderError, match="'42'"):
        ask(AnthropicDouble(), prompt)


def test_the_double_refuses_what_the_api_refuses() -> None:
    """The other tests mean something only if the double is strict."""
    bodies: dict[str, dict[str, Any]] = {
        "seed: Extra inputs": {"seed": 3},
        "temperature: range": {"temperature": 1.5},
        "Unexpected role": {
            "messages": [{"role": "user", "content": "x"}, {"role": "system", "content": "y"}]
        },
        "first message": {"messages": [{"role": "assistant", "content": "x"}]},
        "prefill": {
            "messages": [{"role": "user", "content": "x"}, {"role": "assistant", "content": "{"}]
        },
        "not found in provided tools": {"tool_choice": {"type": "tool", "name": "other"}},
        "not supported": {"output_config": {"format": {"type": "json_schema", "schema": SCHEMA}}},
    }
    usual = {"model": "m", "max_tokens": 5, "messages": [{"role": "user", "content": "x"}]}
    double = AnthropicDouble()
    head = {"x-api-key": KEY, "anthropic-version": "2023-06-01", "content-type": "application/json"}
    for message, changed in bodies.items():
        body = json.dumps(usual | changed).encode()
        response = double.handle(Request("POST", "/v1/messages", {}, head, body))
        assert response.status == 400
        assert message in response.body.decode()
    for missing in head:
        less = {name: value for name, value in head.items() if name != missing}
        body = json.dumps(usual).encode()
        assert double.handle(Request("POST", "/v1/messages", {}, less, body)).status in (400, 401)
    assert double.billed.requests == 0
