"""The chat completions client against a server as strict as the real ones, on loopback."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from email.utils import formatdate
from time import time
from types import MappingProxyType
from typing import Any, TypeVar

import pytest
from aiohttp import web

from adjudge.core.prompt import Message, Prompt, Sampling
from adjudge.core.reason import Reason
from adjudge.core.reply import Reply, TokenLogprob, Usage
from adjudge.errors import ModelUnavailable, ProviderError, UsageError
from adjudge.models.base import Capabilities, ModelOptions
from adjudge.models.openai import OpenAIModel, open_model

KEY = "sk-secret-0123456789"
SCHEMA = {
    "type": "object",
    "properties": {"score": {"type": "integer"}},
    "required": ["score"],
    "additionalProperties": False,
}
PLAIN = Prompt(messages=(Message("system", "Judge."), Message("user", "Chào 👋")), criteria=("c",))
BOUND = Prompt(messages=PLAIN.messages, criteria=("c",), schema=SCHEMA, item="7")
ALL = Sampling(temperature=0.0, max_tokens=50, seed=3, top_logprobs=2)
T = TypeVar("T")


def openai_error(status: int, message: str, **more: object) -> tuple[int, dict[str, Any]]:
    error = {"message": message, "type": "invalid_request_error", "param": None, "code": None}
    return status, {"error": error | more}


# How servers word it when they do not take a field; each as one of them really does.
REFUSALS: dict[str, tuple[int, dict[str, Any]]] = {
    "max_completion_tokens": (
        422,
        {
            "object": "error",
            "message": {
                "detail": [
                    {
                        "type": "extra_forbidden",
                        "loc": ["body", "max_completion_tokens"],
                        "msg": "Extra inputs are not permitted",
                    }
                ]
            },
            "type": "invalid_request_error",
            "param": None,
        },
    ),
    "max_tokens": openai_error(
        400,
        "Unsupported parameter: 'max_tokens' is not supported with this model. "
        "Use 'max_completion_tokens' instead.",
        param="max_tokens",
        code="unsupported_parameter",
    ),
    "temperature": openai_error(
        400,
        "Unsupported value: 'temperature' does not support 0.0 with this model. "
        "Only the default (1) value is supported.",
        param="temperature",
        code="unsupported_value",
    ),
    "seed": (400, {"error": {"code": 400, "message": 'Unknown name "seed": Cannot find field.'}}),
    "logprobs": openai_error(400, "This model does not support the 'logprobs' parameter."),
    "strict": openai_error(
        400,
        "Invalid schema for response_format 'verdict': In context=(), 'x' is not permitted.",
        param="response_format",
    ),
    "json_schema": (400, {"error": {"message": "This response_format type is unavailable now"}}),
    "json_object": (400, {"error": "'response_format.type' must be 'json_schema' or 'text'"}),
}


def completion(**choice: Any) -> dict[str, Any]:
    message = {"role": "assistant", "content": '{"score": 4}', "refusal": None}
    return {
        "object": "chat.completion",
        "choices": [
            {"index": 0, "message": message, "finish_reason": "stop", "logprobs": None} | choice
        ],
        "usage": {
            "prompt_tokens": 20,
            "completion_tokens": 5,
            "prompt_tokens_details": {"cached_tokens": 16},
        },
    }


LOGPROBS = {
    "content": [
        {
            "token": "4",
            "logprob": -0.1,
            "bytes": [52],
            "top_logprobs": [
                {"token": "4", "logprob": -0.1, "bytes": [52]},
                {"token": "\ufffd", "logprob": -2.5, "bytes": [240]},
                {"token": "\ufffd", "logprob": -3.5, "bytes": [241]},
            ],
        }
    ]
}


@dataclass
class Double:
    """A chat completions server: knows its fields and their types, and says no to all else."""

    refuses: frozenset[str] = frozenset()
    needs_key: bool = True
    answer: Callable[[], web.StreamResponse] | None = None
    bodies: list[dict[str, Any]] = field(default_factory=list)

    async def handle(self, request: web.Request) -> web.StreamResponse:
        body = await request.json()
        self.bodies.append(body)
        wrong = self._auth(request) or self._shape(body) or self._refusal(body)
        if wrong:
            return web.json_response(wrong[1], status=wrong[0])
        if self.answer:
            return self.answer()
        return web.json_response(completion(logprobs=LOGPROBS if body.get("logprobs") else None))

    def _auth(self, request: web.Request) -> tuple[int, dict[str, Any]] | None:
        sent = request.headers.get("Authorization")
        if self.needs_key and sent != f"Bearer {KEY}":
            return openai_error(
                401, f"Incorrect API key provided: {sent}", code="invalid_api_key", type="auth"
            )
        return None

    def _shape(self, body: dict[str, Any]) -> tuple[int, dict[str, Any]] | None:
        kinds: dict[str, Any] = {
            "model": str,
            "messages": list,
            "max_completion_tokens": int,
            "max_tokens": int,
            "temperature": (int, float),
            "seed": int,
            "logprobs": bool,
            "top_logprobs": int,
            "response_format": dict,
        }
        for name, value in body.items():
            if name not in kinds:
                return openai_error(400, f"Unrecognized request argument supplied: {name}")
            if not isinstance(value, kinds[name]):
                return openai_error(400, f"Invalid type for '{name}'", param=name)
        if any(set(message) != {"role", "content"} for message in body["messages"]):
            return openai_error(400, "Invalid message", param="messages")
        if ("top_logprobs" in body) != ("logprobs" in body):
            return openai_error(400, "'logprobs' must be true with 'top_logprobs'")
        if {"max_tokens", "max_completion_tokens"} <= set(body):
            return openai_error(400, "Setting both max_tokens names is not possible.")
        return self._format(body.get("response_format"))

    def _format(self, form: dict[str, Any] | None) -> tuple[int, dict[str, Any]] | None:
        if form is None or form == {"type": "json_object"}:
            return None
        inner = form.get("json_schema") or {}
        right = form.keys() == {"type", "json_schema"} and inner.get("schema") == SCHEMA
        if right and inner.keys() - {"strict"} == {"name", "schema"}:
            return None
        return openai_error(400, "Malformed response_format", param="response_format")

    def _refusal(self, body: dict[str, Any]) -> tuple[int, dict[str, Any]] | None:
        form = body.get("response_format") or {}
        sent = {*body, form.get("type"), *form.get("json_schema", {})}
        return next((REFUSALS[name] for name in REFUSALS if name in sent & self.refuses), None)


@asynccontextmanager
async def served(double: Double) -> AsyncIterator[str]:
    app = web.Application(client_max_size=2**25)
    app.router.add_post("/v1/chat/completions", double.handle)
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    try:
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        yield f"http://127.0.0.1:{runner.addresses[0][1]}/v1"
    finally:
        await runner.cleanup()


def using(
    double: Double,
    work: Callable[[OpenAIModel], Coroutine[Any, Any, T]],
    timeout: float = 20.0,
) -> T:
    async def run() -> T:
        async with served(double) as base:
            model = open_model("gpt-x", ModelOptions(base_url=base, timeout=timeout))
            try:
                return await work(model)
            finally:
                await model.aclose()

    return asyncio.run(run())


def ask(double: Double, prompt: Prompt = PLAIN, sampling: Sampling = ALL) -> Reply:
    return using(double, lambda model: model.ask(prompt, sampling))


def failing(double: Double, timeout: float = 20.0) -> ProviderError:
    with pytest.raises(ProviderError) as caught:
        using(double, lambda model: model.ask(PLAIN, ALL), timeout)
    text = str(caught.value)
    assert KEY not in text
    assert "Bearer" not in text
    assert "\n" not in text
    return caught.value


def answering(
    data: Any, status: int = 200, headers: dict[str, str] | None = None
) -> Callable[[], web.StreamResponse]:
    return lambda: web.json_response(data, status=status, headers=headers)


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_BASE_URL", "http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("OPENAI_API_KEY", KEY)


class TestRequest:
    def test_all_fields(self) -> None:
        double = Double()
        reply = ask(double, BOUND)
        assert double.bodies == [
            {
                "model": "gpt-x",
                "messages": [
                    {"role": "system", "content": "Judge."},
                    {"role": "user", "content": "Chào 👋"},
                ],
                "max_tokens": 50,
                "temperature": 0.0,
                "seed": 3,
                "logprobs": True,
                "top_logprobs": 2,
                "response_format": {
                    "type": "json_schema",
                    "json_schema": {"name": "verdict", "strict": True, "schema": SCHEMA},
                },
            }
        ]
        assert reply.text == '{"score": 4}'
        assert reply.finish == "stop"
        assert reply.usage == Usage(
            input_tokens=20, output_tokens=5, cached_tokens=16, cost_usd=None
        )
        # Two pieces that look alike and have bytes of their own.
        top = {"4": -0.1, r"\xf0": -2.5, r"\xf1": -3.5}
        assert reply.logprobs == (TokenLogprob("4", -0.1, top),)
        assert reply.latency_ms > 0

    def test_only_what_is_asked(self) -> None:
        double = Double()
        reply = ask(double, sampling=Sampling(temperature=None, max_tokens=9))
        assert double.bodies[0].keys() == {"model", "messages", "max_tokens"}
        assert reply.logprobs is None

    def test_any_mapping_as_schema(self) -> None:
        prompt = Prompt(messages=PLAIN.messages, criteria=(), schema=MappingProxyType(SCHEMA))
        assert ask(Double(), prompt).text == '{"score": 4}'

    def test_a_body_above_a_megabyte(self) -> None:
        double = Double()
        text = "a" * 3_000_000
        ask(double, Prompt(messages=(Message("user", text),), criteria=()))
        assert double.bodies[0]["messages"][0]["content"] == text

    def test_half_a_surrogate_pair(self) -> None:
        prompt = Prompt(messages=(Message("user", "\ud83d"),), criteria=(), item="42")
        with pytest.raises(ProviderError, match="item '42' cannot be sent") as caught:
            ask(Double(), prompt)
        assert not caught.value.retryable

    def test_one_session_for_all(self) -> None:
        async def work(model: OpenAIModel) -> list[Reply]:
            return await asyncio.gather(*(model.ask(PLAIN, ALL) for _ in range(150)))

        assert len(using(Double(), work)) == 150


class TestNegotiation:
    @pytest.mark.parametrize("name", ["temperature", "seed"])
    def test_a_refused_field_is_left_out_for_good(self, name: str) -> None:
        double = Double(refuses=frozenset({name}))

        async def work(model: OpenAIModel) -> None:
            await model.ask(PLAIN, ALL)
            await model.ask(PLAIN, ALL)

        using(double, work)
        assert [name in body for body in double.bodies] == [True, False, False]

    def test_the_newer_name_of_the_limit(self) -> None:
        double = Double(refuses=frozenset({"max_tokens"}))
        ask(double)
        assert [body.get("max_completion_tokens") for body in double.bodies] == [None, 50]

    def test_the_limit_is_never_left_out(self) -> None:
        double = Double(refuses=frozenset({"max_completion_tokens", "max_tokens"}))
        assert failing(double).status == 422
        assert len(double.bodies) == 2

    def test_a_limit_too_large_is_no_unknown_field(self) -> None:
        told = openai_error(
            400,
            "max_tokens is too large: 50. This model allows at most 10 completion tokens.",
            param="max_tokens",
        )
        double = Double(answer=answering(told[1], 400))
        assert failing(double).status == 400
        assert len(double.bodies) == 1

    @pytest.mark.parametrize(
        ("refused", "forms"),
        [
            ({"strict"}, ["json_schema", "json_schema"]),
            ({"json_schema"}, ["json_schema", "json_schema", "json_object"]),
            ({"json_schema", "json_object"}, ["json_schema", "json_schema", "json_object", None]),
        ],
    )
    def test_reply_forms(self, refused: set[str], forms: list[str | None]) -> None:
        double = Double(refuses=frozenset(refused))

        async def work(model: OpenAIModel) -> bool:
            await model.ask(BOUND, ALL)
            return model.capabilities.json_schema

        assert using(double, work) == (forms[-1] == "json_schema")
        sent = [body.get("response_format", {}).get("type") for body in double.bodies]
        assert sent == forms
        if "json_schema" in double.bodies[-1].get("response_format", {}):
            assert "strict" not in double.bodies[-1]["response_format"]["json_schema"]

    def test_refused_logprobs_are_none(self) -> None:
        double = Double(refuses=frozenset({"logprobs"}))

        async def work(model: OpenAIModel) -> tuple[Reply, bool]:
            return await model.ask(PLAIN, ALL), model.capabilities.logprobs

        reply, can = using(double, work)
        assert reply.logprobs is None
        assert not can
        assert "top_logprobs" not in double.bodies[-1]

    def test_everything_refused_ends(self) -> None:
        double = Double(refuses=frozenset(REFUSALS) - {"max_completion_tokens"})
        assert ask(double, BOUND).text == '{"score": 4}'
        assert double.bodies[-1].keys() == {"model", "messages", "max_completion_tokens"}
        assert len(double.bodies) == 8

    def test_a_server_that_always_complains_ends(self) -> None:
        told = openai_error(400, "temperature, seed, logprobs, response_format: not supported")
        double = Double(answer=answering(told[1], 400))
        assert not failing(double).retryable
        assert len(double.bodies) <= 8

    def test_together_as_one(self) -> None:
        # All meet the refusals at once: none may take a step that another has taken already.
        double = Double(refuses=frozenset({"strict", "temperature"}))

        async def work(model: OpenAIModel) -> bool:
            await asyncio.gather(*(model.ask(BOUND, ALL) for _ in range(20)))
            return model.capabilities.json_schema

        assert using(double, work)
        assert double.bodies[-1]["response_format"]["type"] == "json_schema"

    def test_what_was_found_on_another_day(self) -> None:
        double = Double(refuses=frozenset({"strict", "seed", "logprobs"}))

        async def find(model: OpenAIModel) -> dict[str, str | None]:
            await model.ask(BOUND, ALL)
            return dict(model.ways)

        async def take_over(model: OpenAIModel) -> Capabilities:
            model.ways = found | {"limit": "fathoms", "colour": "red"}
            await model.ask(BOUND, ALL)
            assert model.ways == found
            return model.capabilities

        found = using(double, find)
        assert found == {
            "response_format": "json_schema",
            "logprobs": None,
            "limit": "max_tokens",
            "temperature": "temperature",
            "seed": None,
        }
        double.bodies.clear()
        assert using(double, take_over) == Capabilities(logprobs=False, seed=False)
        assert len(double.bodies) == 1

    def test_a_finding_about_one_part_leaves_the_others(self) -> None:
        async def work(model: OpenAIModel) -> Capabilities:
            model.capabilities = replace(model.capabilities, logprobs=False)  # as a check found
            await model.ask(PLAIN, ALL)
            return model.capabilities

        double = Double(refuses=frozenset({"seed"}))
        assert using(double, work) == Capabilities(logprobs=False, seed=False)

    def test_inside_status_200(self) -> None:
        double = Double()

        def answer() -> web.StreamResponse:
            if "seed" not in double.bodies[-1]:
                return web.json_response(completion())
            raw = {"code": 400, "message": "Provider returned error"}
            return web.json_response({"error": raw | {"metadata": {"raw": "unknown field: seed"}}})

        double.answer = answer
        assert ask(double).finish == "stop"
        assert len(double.bodies) == 2


class TestReply:
    @pytest.mark.parametrize(
        ("reason", "finish"),
        [
            ("stop", "stop"),
            ("length", "length"),
            ("content_filter", "refused"),
            ("tool_calls", "stop"),
            (None, "stop"),
        ],
    )
    def test_finish(self, reason: str | None, finish: str) -> None:
        reply = ask(Double(answer=answering(completion(finish_reason=reason))))
        assert reply.finish == finish

    def test_refusal(self) -> None:
        message = {"role": "assistant", "content": None, "refusal": "I cannot."}
        reply = ask(Double(answer=answering(completion(message=message))))
        assert (reply.text, reply.finish, reply.refusal) == ("", "refused", "I cannot.")

    @pytest.mark.parametrize(
        ("told", "why"),
        [
            (
                openai_error(400, "Invalid prompt: it was flagged.", code="invalid_prompt"),
                "Invalid prompt: it was flagged.",
            ),
            (openai_error(403, "Your input was flagged by moderation"), "flagged by moderation"),
            (openai_error(400, "No.", code="content_policy_violation"), "No."),
            (
                openai_error(400, "Output data may be unsafe", code="data_inspection_failed"),
                "unsafe",
            ),
            # as an answer of status 200
            ((200, {"error": {"code": 403, "message": "flagged", "metadata": {}}}), "flagged"),
        ],
    )
    def test_a_filter_refuses_by_an_error(self, told: tuple[int, Any], why: str) -> None:
        double = Double(answer=answering(told[1], told[0]))
        reply = ask(double)
        assert (reply.text, reply.finish) == ("", "refused")
        assert why in (reply.refusal or "")
        assert reply.usage.input_tokens == 0
        assert len(double.bodies) == 1

    def test_a_filter_that_quotes_the_key(self) -> None:
        told = openai_error(400, f"{KEY} was flagged", code="content_filter")
        assert ask(Double(answer=answering(told[1], told[0]))).refusal == "[key] was flagged"

    def test_an_error_that_only_looks_like_a_filter(self) -> None:
        told = openai_error(500, "the moderation service is down")
        assert failing(Double(answer=answering(told[1], told[0]))).retryable

    def test_a_choice_that_broke_off(self) -> None:
        broken = completion(finish_reason="error", error={"code": 429, "message": "slow down"})
        error = failing(Double(answer=answering(broken)))
        assert (error.status, error.retryable) == (429, True)

    def test_the_arguments_of_a_call(self) -> None:
        """Some gateways bind a reply by a tool, and return its arguments."""
        call = {"id": "1", "type": "function", "function": {"name": "v", "arguments": '{"a": 1}'}}
        message = {"role": "assistant", "content": None, "tool_calls": [call]}
        data = completion(message=message, finish_reason="tool_calls")
        assert ask(Double(answer=answering(data))).text == '{"a": 1}'

    def test_logprobs_in_columns(self) -> None:
        columns = {"tokens": ["4", "."], "token_logprobs": [-0.5, -1], "top_logprobs": None}
        tops = columns | {"top_logprobs": [{"4": -0.5, "5": -2}, None]}
        found = [
            ask(Double(answer=answering(completion(logprobs=each)))).logprobs
            for each in (columns, tops)
        ]
        assert found[0] == (TokenLogprob("4", -0.5, {}), TokenLogprob(".", -1.0, {}))
        assert found[1] == (
            TokenLogprob("4", -0.5, {"4": -0.5, "5": -2.0}),
            TokenLogprob(".", -1.0, {}),
        )

    def test_parts_and_reasoning(self) -> None:
        parts = [
            {"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]},
            {"type": "text", "text": "4"},
            {"type": "text", "text": "/5"},
        ]
        message = {"content": parts, "reasoning_content": "hm", "tool_calls": [{"id": "x"}]}
        assert ask(Double(answer=answering(completion(message=message)))).text == "4/5"

    def test_a_limit_that_is_used_up(self) -> None:
        left = {"x-ratelimit-remaining-requests": "5", "x-ratelimit-reset-requests": "1s"}
        assert ask(Double(answer=answering(completion(), headers=left))).pause is None
        gone = {"x-ratelimit-remaining-tokens": "0", "x-ratelimit-reset-tokens": "2m0s"}
        assert ask(Double(answer=answering(completion(), headers=left | gone))).pause == 120.0

    def test_no_usage(self) -> None:
        data = completion()
        data["usage"] = None
        doubts = (
            Reason("usage.untold", count="input_tokens", instead=Reason("usage.from_prompt")),
        )
        usage = ask(Double(answer=answering(data))).usage
        assert usage == Usage(cost_usd=None, doubts=doubts)

    @pytest.mark.parametrize(
        "data",
        [
            [],
            "x",
            None,
            {},
            {"choices": []},
            {"choices": None},
            {"choices": [{}]},
            completion(finish_reason="error"),
        ],
    )
    def test_malformed(self, data: Any) -> None:
        error = failing(Double(answer=answering(data)))
        assert error.retryable
        assert "sent no chat completion" in str(error)

    def test_no_json(self) -> None:
        error = failing(Double(answer=lambda: web.Response(text=f"<html>\n{KEY}</html>")))
        assert error.retryable
        assert "<html> [key]</html>" in str(error)


class TestErrors:
    @pytest.mark.parametrize(
        ("told", "status", "retryable", "fatal"),
        [
            (openai_error(400, "Invalid 'messages'"), 400, False, False),
            (openai_error(403, "Country not supported"), 403, False, True),
            (openai_error(402, "Insufficient credits"), 402, False, True),
            (openai_error(404, "no", code="model_not_found"), 404, False, True),
            (openai_error(400, "gpt-x is not a valid model ID"), 400, False, True),
            ((404, {"detail": "Not Found"}), 404, False, True),
            (openai_error(429, "Slow down", code="rate_limit_exceeded"), 429, True, False),
            (openai_error(429, "Pay", code="insufficient_quota"), 429, False, True),
            # worded like a quota, but gone in a minute
            ((429, {"error": {"message": "You exceeded your current quota"}}), 429, True, False),
            ((408, {}), 408, True, False),
            ((409, {"message": "conflict"}), 409, True, False),
            ((425, {}), 425, True, False),
            ((500, {"error": "boom"}), 500, True, False),
            ((529, {"error": {"message": "overloaded"}}), 529, True, False),
            ((200, {"error": {"code": 503, "message": "no provider"}}), 503, True, False),
            ((200, {"error": {"code": "odd", "message": "?"}}), 502, True, False),
        ],
    )
    def test_kinds(self, told: tuple[int, Any], status: int, retryable: bool, fatal: bool) -> None:
        error = failing(Double(answer=answering(told[1], told[0])))
        assert (error.status, error.retryable, error.fatal) == (status, retryable, fatal)

    @pytest.mark.parametrize(
        "told",
        [
            openai_error(400, "Please reduce it.", code="context_length_exceeded"),
            openai_error(400, "This model's maximum context length is 8192 tokens. (max_tokens)"),
            # names a field that could be sent otherwise, which would not help
            openai_error(400, "max_completion_tokens: the model's context length is only 1024"),
            openai_error(400, "the request exceeds", type="exceed_context_size_error"),
            openai_error(400, "maximum prompt length is 131072 but the request contains 140000"),
            (422, {"detail": "`inputs` tokens + `max_new_tokens` must be <= 4096"}),
            (413, {}),
            openai_error(429, "Request too large for gpt-x on tokens per min"),
        ],
    )
    def test_too_long(self, told: tuple[int, Any]) -> None:
        double = Double(answer=answering(told[1], told[0]))
        error = failing(double)
        assert (error.status, error.retryable, error.fatal) == (413, False, False)
        assert len(double.bodies) == 1

    @pytest.mark.parametrize(
        ("headers", "wait"),
        [
            ({"Retry-After": "7"}, 7.0),
            ({"Retry-After": "1.5"}, 1.5),
            ({"Retry-After": "-3"}, 0.0),
            ({"Retry-After": "soon"}, None),
            ({"Retry-After": "inf"}, None),
            ({"Retry-After": "9", "retry-after-ms": "250"}, 0.25),
            ({"x-ratelimit-reset-requests": "6m0s", "x-ratelimit-reset-tokens": "20ms"}, 0.02),
            (
                {
                    "x-ratelimit-remaining-requests": "0",
                    "x-ratelimit-reset-requests": "1h2m3s",
                    "x-ratelimit-reset-tokens": "20ms",
                },
                3723.0,
            ),
            ({"x-ratelimit-reset-tokens": "never"}, None),
            ({}, None),
        ],
    )
    def test_retry_after(self, headers: dict[str, str], wait: float | None) -> None:
        error = failing(Double(answer=answering({}, 429, headers)))
        assert error.retry_after == wait

    def test_retry_after_a_date(self) -> None:
        headers = {"Retry-After": formatdate(time() + 60, usegmt=True)}
        wait = failing(Double(answer=answering({}, 503, headers))).retry_after
        assert wait is not None
        assert 55 < wait <= 60

    def test_a_wrong_key_is_not_shown(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("OPENAI_API_KEY", "sk-other")
        error = failing(Double())
        assert error.fatal
        assert "OPENAI_API_KEY" in str(error)
        assert "sk-other" not in str(error)

    def test_a_key_that_the_server_quotes(self) -> None:
        told = {"error": {"message": f"upstream failed: Authorization {KEY}"}}
        assert "[key]" in str(failing(Double(answer=answering(told, 500))))

    def test_redirect(self) -> None:
        double = Double(
            answer=lambda: web.Response(status=307, headers={"Location": "http://example.org/"})
        )
        error = failing(double)
        assert error.fatal
        assert "--base-url" in str(error)

    def test_unknown_path(self) -> None:
        async def run() -> None:
            async with served(Double()) as base:
                model = open_model("m", ModelOptions(base_url=base.removesuffix("/v1")))
                try:
                    await model.ask(PLAIN, ALL)
                finally:
                    await model.aclose()

        with pytest.raises(ProviderError, match="often ends in /v1") as caught:
            asyncio.run(run())
        assert caught.value.fatal


class TestNetwork:
    def ask_at(self, base: str, timeout: float = 5.0) -> ProviderError:
        async def run() -> None:
            model = open_model("m", ModelOptions(base_url=base, timeout=timeout))
            try:
                await model.ask(PLAIN, ALL)
            finally:
                await model.aclose()

        with pytest.raises(ProviderError) as caught:
            asyncio.run(run())
        assert caught.value.retryable
        assert caught.value.status is None
        return caught.value

    def test_nothing_listens(self) -> None:
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            port = taken.getsockname()[1]
            error = self.ask_at(f"http://user:pass@127.0.0.1:{port}/v1")
        assert f"127.0.0.1:{port} (Connection refused)" in str(error)
        assert "--base-url" in str(error)
        assert "pass" not in str(error)

    def test_unknown_host(self) -> None:
        error = self.ask_at("http://no-such-host.invalid:8000/v1")
        assert "no-such-host.invalid:8000" in str(error)
        assert "--base-url" in str(error)

    def test_proxy_down(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("http_proxy", "http://me:hidden@127.0.0.1:1")
        monkeypatch.setenv("no_proxy", "")
        error = self.ask_at("http://no-such-host.invalid:8000/v1")
        assert "the proxy 127.0.0.1 does not lead to no-such-host.invalid:8000" in str(error)
        assert "hidden" not in str(error)

    def test_proxy_of_another_kind(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("http_proxy", "socks5://127.0.0.1:1")
        monkeypatch.setenv("no_proxy", "")
        with pytest.raises(ModelUnavailable, match="http_proxy names a socks5 proxy"):
            open_model("m", ModelOptions(base_url="http://no-such-host.invalid/v1"))

    @pytest.mark.parametrize("sent", [b"", b"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{"])
    def test_broken_off(self, sent: bytes) -> None:
        async def drop(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await reader.read(10)
            writer.write(sent)
            writer.close()

        async def run() -> None:
            server = await asyncio.start_server(drop, "127.0.0.1", 0)
            base = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
            model = open_model("m", ModelOptions(base_url=base))
            try:
                await model.ask(PLAIN, ALL)
            finally:
                await model.aclose()
                server.close()
                await server.wait_closed()

        with pytest.raises(ProviderError, match=r"the connection to .* broke") as caught:
            asyncio.run(run())
        assert caught.value.retryable

    def test_timeout(self) -> None:
        class Slow(Double):
            async def handle(self, request: web.Request) -> web.StreamResponse:
                await asyncio.sleep(1.0)
                return web.json_response(completion())

        error = failing(Slow(), timeout=0.1)
        assert error.retryable
        assert "within 0.1 s; --timeout allows more" in str(error)

    def test_plain_http_behind_https(self) -> None:
        async def run() -> None:
            async with served(Double()) as base:
                model = open_model("m", ModelOptions(base_url=base.replace("http:", "https:")))
                try:
                    await model.ask(PLAIN, ALL)
                finally:
                    await model.aclose()

        with pytest.raises(ProviderError, match="no secure connection") as caught:
            asyncio.run(run())
        assert caught.value.fatal


class TestOpening:
    def test_no_key_for_the_public_server(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.delenv("OPENAI_API_KEY")
        with pytest.raises(ModelUnavailable, match="set OPENAI_API_KEY"):
            open_model("gpt-x", ModelOptions())

    def test_no_key_for_a_local_server(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.delenv("OPENAI_API_KEY")
        assert ask(Double(needs_key=False)).finish == "stop"

    def test_base_from_the_environment(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("OPENAI_BASE_URL", "nonsense")
        with pytest.raises(UsageError, match="'nonsense' is not a base URL"):
            open_model("gpt-x", ModelOptions())
        assert open_model("gpt-x", ModelOptions(base_url="http://h/v1")).name == "openai/gpt-x"

    def test_the_whole_address_as_base(self) -> None:
        double = Double()

        async def run() -> Reply:
            async with served(double) as base:
                model = open_model("m", ModelOptions(base_url=f"{base}/chat/completions/"))
                try:
                    return await model.ask(PLAIN, ALL)
                finally:
                    await model.aclose()

        assert asyncio.run(run()).finish == "stop"

    @pytest.mark.parametrize("base", ["localhost:8000", "ftp://h/v1", "http://", "http://[x"])
    def test_no_url(self, base: str) -> None:
        with pytest.raises(UsageError, match="is not a base URL"):
            open_model("m", ModelOptions(base_url=base))

    def test_no_name(self) -> None:
        with pytest.raises(UsageError, match="openai/NAME"):
            open_model("", ModelOptions())

    def test_a_broken_key(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("OPENAI_API_KEY", "sk-a\nb")
        with pytest.raises(ModelUnavailable, match="OPENAI_API_KEY holds characters") as caught:
            open_model("m", ModelOptions())
        assert "sk-a" not in str(caught.value)

    def test_closing_twice(self) -> None:
        async def work(model: OpenAIModel) -> None:
            await model.ask(PLAIN, ALL)
            await model.aclose()

        using(Double(), work)
