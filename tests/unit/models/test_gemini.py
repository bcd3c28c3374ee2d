"""The generateContent client against a strict double on loopback."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any, TypeVar

import pytest
from tests.doubles.gemini import KEY, GeminiDouble
from tests.doubles.http import Refuses, Request, Response, Says, as_json, weighed

from adjudge.core.prompt import Message, Prompt, Sampling
from adjudge.core.reply import Reply
from adjudge.errors import ModelUnavailable, ProviderError, UsageError
from adjudge.models.base import Capabilities, ModelOptions
from adjudge.models.gemini import GeminiModel, open_model
from adjudge.models.prices import Price

T = TypeVar("T")
SCHEMA = {
    "type": "object",
    "properties": {
        "reasons": {"type": "array", "items": {"type": "string"}, "minItems": 2, "maxItems": 3},
        "grade": {"type": "number", "minimum": 0, "maximum": 10},
        "score": {"type": "integer", "enum": [1, 2, 3]},
        "word": {"type": "string", "enum": ["good", "bad"]},
        "flag": {"type": "boolean"},
    },
    "required": ["reasons", "grade", "score", "word", "flag"],
    "additionalProperties": False,
}
PLAIN = Prompt(messages=(Message("system", "Judge."), Message("user", "Chào 👋")), criteria=("c",))
BOUND = replace(PLAIN, schema=SCHEMA, item="7")
VERDICT = '{"reasons":["z","a"],"grade":0.5,"score":3,"word":"bad","flag":true}'


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GEMINI_API_KEY", KEY)
    monkeypatch.delenv("GEMINI_BASE_URL", raising=False)


def using(double: GeminiDouble, work: Callable[[GeminiModel], Awaitable[T]], **options: Any) -> T:
    async def opened() -> T:
        with double:
            model = open_model("gemini-x", ModelOptions(base_url=double.url, **options))
            try:
                return await work(model)
            finally:
                await model.aclose()

    return asyncio.run(opened())


def ask(
    double: GeminiDouble, prompt: Prompt, sampling: Sampling | None = None, **options: Any
) -> Reply:
    return using(double, lambda model: model.ask(prompt, sampling or Sampling()), **options)


def asked_and_able(
    double: GeminiDouble, prompt: Prompt, sampling: Sampling | None = None
) -> tuple[Reply, Capabilities]:
    async def work(model: GeminiModel) -> tuple[Reply, Capabilities]:
        return await model.ask(prompt, sampling or Sampling()), model.capabilities

    return using(double, work)


def test_what_is_sent() -> None:
    double = GeminiDouble(lambda body: VERDICT)
    reply = ask(double, BOUND, Sampling(temperature=0.5, max_tokens=50, seed=3, top_logprobs=30))
    assert reply.text == VERDICT
    [request] = double.requests
    assert str(request) == "POST /v1beta/models/gemini-x:generateContent"
    assert request.headers["x-goog-api-key"] == KEY
    assert not request.query  # an address is written into logs
    assert request.json == {
        "systemInstruction": {"parts": [{"text": "Judge."}]},
        "contents": [{"role": "user", "parts": [{"text": "Chào 👋"}]}],
        "generationConfig": {
            "maxOutputTokens": 50,
            "temperature": 0.5,
            "seed": 3,
            "responseLogprobs": True,
            "logprobs": 20,
            "responseMimeType": "application/json",
            "responseJsonSchema": SCHEMA,
        },
    }


def test_a_token_without_a_text() -> None:
    """Half a character, whose field is then left out."""
    double = GeminiDouble(lambda body: weighed({b"": 0.5, b"5": 0.5}, {"４".encode(): 1.0}))
    reply = ask(double, PLAIN, Sampling(top_logprobs=2))
    assert [token.token for token in reply.logprobs or ()] == ["", "４"]
    assert (reply.logprobs or ())[0].top.keys() == {"", "5"}


def test_what_is_not_said_is_not_sent() -> None:
    double = GeminiDouble()
    ask(double, replace(PLAIN, messages=PLAIN.messages[1:]), Sampling(temperature=None))
    body = double.requests[0].json
    assert body.keys() == {"contents", "generationConfig"}
    assert body["generationConfig"].keys() == {"maxOutputTokens"}


def test_a_further_question() -> None:
    double = GeminiDouble()
    ask(double, PLAIN.followed_by(" ", "Again, please."))
    assert double.requests[0].json["contents"] == [
        {"role": "user", "parts": [{"text": "Chào 👋"}]},
        {"role": "model", "parts": [{"text": "(nothing)"}]},
        {"role": "user", "parts": [{"text": "Again, please."}]},
    ]


def test_a_model_without_json_schema_gets_the_dialect_of_the_api() -> None:
    double = GeminiDouble(lambda body: VERDICT, refuses=frozenset({"responseJsonSchema"}))
    reply, able = asked_and_able(double, BOUND)
    assert (reply.text, able.json_schema) == (VERDICT, True)
    config = double.requests[-1].json["generationConfig"]
    assert config["responseMimeType"] == "application/json"
    assert config["responseSchema"] == {
        "type": "OBJECT",
        "properties": {
            "reasons": {"type": "ARRAY", "items": {"type": "STRING"}},
            "grade": {"type": "NUMBER", "minimum": 0, "maximum": 10},
            "score": {"type": "INTEGER", "minimum": 1, "maximum": 3},
            "word": {"type": "STRING", "format": "enum", "enum": ["good", "bad"]},
            "flag": {"type": "BOOLEAN"},
        },
        "required": SCHEMA["required"],
        "propertyOrdering": ["reasons", "grade", "score", "word", "flag"],
    }


@pytest.mark.parametrize(
    ("refuses", "requests", "left"),
    [
        ({"responseJsonSchema", "responseSchema"}, 3, {"responseMimeType"}),
        ({"responseMimeType"}, 4, set[str]()),
    ],
)
def test_what_cannot_be_bound_is_asked_in_words(
    refuses: set[str], requests: int, left: set[str]
) -> None:
    double = GeminiDouble(lambda body: VERDICT, refuses=frozenset(refuses))
    reply, able = asked_and_able(double, BOUND)
    assert (reply.text, able.json_schema) == (VERDICT, False)
    assert len(double.requests) == requests
    config = double.requests[-1].json["generationConfig"]
    assert config.keys() == {"maxOutputTokens", "temperature"} | left


def test_a_complaint_about_something_else_teaches_nothing() -> None:
    double = GeminiDouble(lambda body: Refuses(400, "Request contains an invalid argument."))

    async def work(model: GeminiModel) -> Any:
        before = model.ways
        with pytest.raises(ProviderError, match="invalid argument") as caught:
            await model.ask(BOUND, Sampling())
        assert (caught.value.retryable, caught.value.fatal) == (False, False)
        return before == model.ways

    assert using(double, work)
    assert len(double.requests) == 4


@pytest.mark.parametrize("about", ["Request contains an invalid argument.", "bad seed or schema"])
def test_a_complaint_about_what_was_not_sent_is_final(about: str) -> None:
    double = GeminiDouble(lambda body: Refuses(400, about))
    with pytest.raises(ProviderError):
        ask(double, PLAIN)
    assert len(double.requests) == 1


@pytest.mark.parametrize("name", ["logprobs", "seed", "temperature"])
def test_what_a_model_does_not_take_is_left_out_from_then_on(name: str) -> None:
    double = GeminiDouble(refuses=frozenset({name}))
    sampling = Sampling(seed=1, top_logprobs=2)

    async def twice(model: GeminiModel) -> tuple[Reply, Capabilities]:
        await model.ask(PLAIN, sampling)
        return await model.ask(PLAIN, sampling), model.capabilities

    reply, able = using(double, twice)
    assert reply.text == "4"
    assert len(double.requests) == 3
    assert name not in double.requests[-1].json["generationConfig"]
    assert able == Capabilities(logprobs=name != "logprobs", seed=name != "seed")


def test_findings_of_several_at_once_add_up() -> None:
    double = GeminiDouble(
        lambda body: VERDICT, refuses=frozenset({"logprobs", "responseJsonSchema"})
    )

    async def many(model: GeminiModel) -> Any:
        await asyncio.gather(
            *(model.ask(BOUND, Sampling()) for _ in range(4)),
            *(model.ask(PLAIN, Sampling(top_logprobs=2)) for _ in range(4)),
        )
        return model.ways

    ways = using(double, many)
    assert (ways["json"], ways["logprobs"], ways["seed"]) == ("schema", None, "seed")


def test_thoughts_are_paid_for_and_are_no_part_of_the_reply() -> None:
    says = Says("4", thought="Hm.", input_tokens=1000, output_tokens=200, thinking=150, cached=600)
    price = Price(10.0, 50.0, cached_input=1.0)
    reply = ask(GeminiDouble(lambda body: says), PLAIN, price=price)
    assert reply.text == "4"
    assert reply.usage.output_tokens == 200
    assert reply.usage.cost_usd == pytest.approx((400 * 10.0 + 600 * 1.0 + 200 * 50.0) / 1e6)


def test_all_tokens_thought_away() -> None:
    says = Says("", finish="MAX_TOKENS", thinking=10)
    reply = ask(GeminiDouble(lambda body: says), PLAIN)
    assert (reply.text, reply.finish) == ("", "length")


@pytest.mark.parametrize(
    "reason",
    ["SAFETY", "RECITATION", "LANGUAGE", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII"],
)
def test_a_filter_says_why(reason: str) -> None:
    says = Says("half", finish=reason, reason="hate speech")
    reply = ask(GeminiDouble(lambda body: says), PLAIN)
    assert (reply.finish, reply.refusal) == ("refused", f"{reason} (hate speech)")


def test_a_blocked_prompt_says_why_and_what_it_cost() -> None:
    says = Says("", finish="prompt:BLOCKLIST", reason="harassment", output_tokens=0)
    reply = ask(GeminiDouble(lambda body: says), PLAIN, price=Price(10.0, 50.0))
    assert reply.finish == "refused"
    assert reply.refusal == "the prompt is blocked: BLOCKLIST (harassment)"
    assert reply.usage.cost_usd == pytest.approx(100 * 10.0 / 1e6)


@pytest.mark.parametrize("reason", ["OTHER", "MALFORMED_RESPONSE", "MALFORMED_FUNCTION_CALL"])
def test_a_reply_that_broke_off_may_be_tried_again(reason: str) -> None:
    double = GeminiDouble(lambda body: Says("4", finish=reason))
    with pytest.raises(ProviderError, match=f"broke off the reply \\({reason}") as caught:
        ask(double, PLAIN)
    assert (caught.value.retryable, caught.value.sent, caught.value.fatal) == (True, True, False)


def failing(refuses: Refuses) -> ProviderError:
    with pytest.raises(ProviderError) as caught:
        ask(GeminiDouble(lambda body: refuses), PLAIN)
    return caught.value


@pytest.mark.parametrize("reason", ["API_KEY_INVALID", "API_KEY_EXPIRED"])
def test_a_key_that_is_none_comes_as_a_bad_request(reason: str) -> None:
    error = failing(Refuses(400, "API key not valid.", more={"reason": reason}))
    assert error.fatal
    assert "GEMINI_API_KEY" in str(error)
    assert reason in str(error)


def test_a_wrong_key_is_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GEMINI_API_KEY", "AIza-wrong")
    with pytest.raises(ProviderError, match="GEMINI_API_KEY") as caught:
        ask(GeminiDouble(), PLAIN)
    assert caught.value.fatal
    assert "AIza-wrong" not in str(caught.value)


@pytest.mark.parametrize(
    ("refuses", "remedy"),
    [
        (
            Refuses(
                429,
                "You exceeded your current quota.",
                "RESOURCE_EXHAUSTED",
                more={"quota": "GenerateRequestsPerDayPerProjectPerModel", "retry_delay": "30s"},
            ),
            "continue tomorrow",
        ),
        (
            Refuses(
                429,
                "You exceeded your current quota.",
                "RESOURCE_EXHAUSTED",
                more={"quota": "GenerateContentInputTokensPerModelPerMinute", "value": "0"},
            ),
            "enable billing",
        ),
        (
            Refuses(400, "User location is not supported for the API use.", "FAILED_PRECONDITION"),
            "enable billing",
        ),
    ],
)
def test_what_every_request_of_the_day_will_meet(refuses: Refuses, remedy: str) -> None:
    error = failing(refuses)
    assert (error.fatal, error.retryable, error.status) == (True, False, refuses.status)
    assert refuses.message in str(error)
    assert remedy in str(error)


def test_a_header_goes_before_what_the_body_says_of_the_wait() -> None:
    refuses = Refuses(429, "x", "RESOURCE_EXHAUSTED", {"retry-after": "5"}, {"retry_delay": "9s"})
    assert failing(refuses).retry_after == 5.0
    assert failing(Refuses(429, "x", more={"retry_delay": "soon"})).retry_after is None


def test_errors_come_in_a_list_too() -> None:
    class Listing(GeminiDouble):
        def handle(self, request: Request) -> Response:
            error = {"code": 503, "message": "The model is overloaded.", "status": "UNAVAILABLE"}
            return as_json([{"error": error}], 503)

    with pytest.raises(ProviderError, match="overloaded") as caught:
        ask(Listing(), PLAIN)
    assert caught.value.retryable


@pytest.mark.parametrize("status", [200, 404])
def test_a_gateway_may_not_describe_its_models(status: int) -> None:
    class Silent(GeminiDouble):
        def handle(self, request: Request) -> Response:
            return Response(status, b"{}")

    assert using(Silent(), lambda model: model.context_size()) is None


@pytest.mark.parametrize("base", ["{}", "{}/", "{}/v1beta", "{}/v1beta/"])
def test_the_address_with_or_without_its_end(base: str, monkeypatch: pytest.MonkeyPatch) -> None:
    async def run() -> str:
        with GeminiDouble() as double:
            monkeypatch.setenv("GEMINI_BASE_URL", base.format(double.url.removesuffix("/v1beta")))
            model = open_model("models/gemini-x", ModelOptions())
            assert model.name == "gemini/gemini-x"
            reply = await model.ask(PLAIN, Sampling())
            await model.aclose()
            return reply.text

    assert asyncio.run(run()) == "4"


def test_a_tuned_model_stands_elsewhere() -> None:
    model = open_model("tunedModels/mine", ModelOptions())
    assert model.identity.endswith("/v1beta/tunedModels/mine:generateContent")


def test_the_price_is_known_at_home_only() -> None:
    def price(name: str, **options: Any) -> Price | None:
        return open_model(name, ModelOptions(**options)).price

    at_home = price("gemini-2.5-flash")
    assert at_home is not None
    own = "https://generativelanguage.googleapis.com/"
    assert price("gemini-2.5-flash", base_url=own) == at_home
    assert price("gemini-2.5-flash", base_url="https://gateway.example") is None
    assert price("gemini-unheard-of") is None
    assert price("gemini-2.5-flash", price=Price(1, 2)) == Price(1, 2)


def test_what_cannot_be_opened(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UsageError, match="gemini/NAME"):
        open_model("models/", ModelOptions())
    with pytest.raises(UsageError, match="not a base URL"):
        open_model("gemini-x", ModelOptions(base_url="nonsense"))
    monkeypatch.setenv("GEMINI_API_KEY", "AI\nza")
    with pytest.raises(ModelUnavailable, match="GEMINI_API_KEY"):
        open_model("gemini-x", ModelOptions())
    monkeypatch.delenv("GEMINI_API_KEY")
    with pytest.raises(ModelUnavailable, match="set GEMINI_API_KEY"):
        open_model("gemini-x", ModelOptions())
    assert open_model("gemini-x", ModelOptions(base_url="http://localhost:1"))


def test_a_name_adds_nothing_to_the_address() -> None:
    model = open_model("x?key=1#y", ModelOptions())
    assert model.identity.endswith("/models/x%3Fkey%3D1%23y:generateContent")


def test_the_double_refuses_what_the_api_refuses() -> None:
    """The other tests mean something only if the double is strict."""
    turn = {"role": "user", "parts": [{"text": "x"}]}
    json_type = {"responseMimeType": "application/json"}
    bodies: dict[str, dict[str, Any]] = {
        "valid role": {"contents": [{**turn, "role": "assistant"}]},
        "text parameter": {"contents": [{"role": "user", "parts": [{"text": ""}]}]},
        "not specified": {"contents": []},
        'Unknown name "maxTokens"': {"generationConfig": {"maxTokens": 3}},
        "from 0 to 2": {"generationConfig": {"temperature": 3}},
        "needs the response_mime_type": {"generationConfig": {"responseSchema": {}}},
        "Only one": {
            "generationConfig": {"responseSchema": {}, "responseJsonSchema": {}, **json_type}
        },
        "response_schema.type": {
            "generationConfig": {"responseSchema": {"type": "object"}, **json_type}
        },
        'Unknown name "additionalProperties"': {
            "generationConfig": {
                "responseSchema": {"type": "OBJECT", "additionalProperties": False},
                **json_type,
            }
        },
        "TYPE_STRING": {
            "generationConfig": {"responseSchema": {"type": "INTEGER", "enum": [1]}, **json_type}
        },
        "response_logprobs": {"generationConfig": {"logprobs": 3}},
    }
    for expected, body in bodies.items():
        response = GeminiDouble()._generate({"contents": [turn], **body})
        assert response.status == 400, expected
        assert expected in response.body.decode().replace('\\"', '"')
