"""The Batch API against a strict double on loopback."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from hashlib import sha256
from typing import Any, TypeVar

import pytest
from tests.doubles.http import Refuses, Request, Response, Says, Unanswered
from tests.doubles.openai import KEY, OpenAIDouble

from adjudge.core.prompt import Message, Prompt, Sampling
from adjudge.core.reply import Reply
from adjudge.errors import ProviderError
from adjudge.models.base import BatchState, ModelOptions, ProviderBatches
from adjudge.models.openai import OpenAIModel, open_model
from adjudge.models.prices import Price

T = TypeVar("T")
SCHEMA = {
    "type": "object",
    "properties": {"score": {"type": "integer"}},
    "required": ["score"],
    "additionalProperties": False,
}
Results = dict[str, Reply | ProviderError]


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)


def key_of(text: str) -> str:
    return sha256(text.encode()).hexdigest()


def prompt(text: str, *, bound: bool = False) -> Prompt:
    schema = SCHEMA if bound else None
    turns = (Message("system", "Judge."), Message("user", text))
    return Prompt(messages=turns, criteria=("c",), schema=schema, item=text)


def batches_of(model: OpenAIModel) -> ProviderBatches:
    assert model.batches is not None
    return model.batches


def using(double: OpenAIDouble, work: Callable[[OpenAIModel], Awaitable[T]], **options: Any) -> T:
    async def opened() -> T:
        with double:
            model = open_model("gpt-x", ModelOptions(base_url=double.url, **options))
            try:
                return await work(model)
            finally:
                await model.aclose()

    return asyncio.run(opened())


async def submit(model: OpenAIModel, *texts: str, bound: bool = False, label: str = "label") -> str:
    batches = batches_of(model)
    lines = [batches.line(key_of(t), prompt(t, bound=bound), Sampling()) for t in texts]
    return await batches.submit(lines, label)


async def ended(model: OpenAIModel, batch: str) -> Results:
    looks = [await batches_of(model).state(batch) for _ in range(3)]
    assert looks[-1].status == "ended"
    return {key: found async for key, found in batches_of(model).results(batch)}


async def through(model: OpenAIModel, *texts: str, bound: bool = False) -> Results:
    return await ended(model, await submit(model, *texts, bound=bound))


def text_of(body: Mapping[str, Any]) -> str:
    return str(body["messages"][-1]["content"])


def error_of(double: OpenAIDouble) -> ProviderError:
    found = using(double, lambda model: through(model, "a"))[key_of("a")]
    assert isinstance(found, ProviderError)
    return found


def test_replies_come_back_with_their_keys() -> None:
    double = OpenAIDouble(lambda body: f"re {text_of(body)}")
    found = using(double, lambda model: through(model, "a", "b", "ü"))
    assert {key: reply.text for key, reply in found.items() if isinstance(reply, Reply)} == {
        key_of(text): f"re {text}" for text in ("a", "b", "ü")
    }


def test_a_request_is_the_same_as_a_single_one() -> None:
    double = OpenAIDouble(lambda body: '{"score":1}')

    async def both(model: OpenAIModel) -> Results:
        await model.ask(prompt("a", bound=True), Sampling())
        return await through(model, "a", bound=True)

    found = using(double, both)
    single, [batch] = double.requests[0].json, list(double.batches.values())
    assert single["response_format"]["json_schema"]["strict"]
    assert batch.lines == [
        {"custom_id": key_of("a"), "method": "POST", "url": "/v1/chat/completions", "body": single}
    ]
    [reply] = found.values()
    assert isinstance(reply, Reply)
    assert reply.text == '{"score":1}'


def test_the_price_is_that_of_a_batch() -> None:
    double = OpenAIDouble(lambda body: Says("x", input_tokens=1000, output_tokens=100))

    async def both(model: OpenAIModel) -> tuple[Reply, Results]:
        return await model.ask(prompt("a"), Sampling()), await through(model, "a")

    single, found = using(double, both, price=Price(10.0, 50.0))
    [batched] = found.values()
    assert isinstance(batched, Reply)
    assert single.usage.cost_usd == pytest.approx(0.015)
    assert batched.usage.cost_usd == pytest.approx(0.0075)
    assert (double.billed.requests, double.billed.batched) == (2, 1)


def test_the_state_while_it_runs_and_when_it_has_ended() -> None:
    double = OpenAIDouble(polls=2)

    async def looks(model: OpenAIModel) -> list[BatchState]:
        batch = await submit(model, "a", "b")
        return [await batches_of(model).state(batch) for _ in range(3)]

    double.answers = lambda body: Refuses(400, "odd") if text_of(body) == "b" else "4"
    running = BatchState("running", 0, 2)
    assert using(double, looks) == [running, running, BatchState("ended", 2, 2)]


def test_a_batch_that_fails_says_why() -> None:
    double = OpenAIDouble(ends_as="failed")

    async def look(model: OpenAIModel) -> BatchState:
        return await batches_of(model).state(await submit(model, "a"))

    state = using(double, look)
    assert state.status == "failed"
    assert "token limit" in state.why
    assert double.billed.requests == 0


def test_a_key_used_twice_fails_the_batch_and_names_the_line() -> None:
    async def look(model: OpenAIModel) -> BatchState:
        return await batches_of(model).state(await submit(model, "a", "a"))

    state = using(OpenAIDouble(), look)
    assert state.status == "failed"
    assert "line 2: " in state.why
    assert "duplicate" in state.why


def test_a_batch_that_nobody_knows_has_failed() -> None:
    state = using(OpenAIDouble(), lambda model: batches_of(model).state("batch_9"))
    assert state.status == "failed"
    assert "batch_9" in str(state.why)


@pytest.mark.parametrize("kind", ["expired", "cancelled"])
def test_what_a_batch_did_not_get_to_can_be_asked_again(kind: str) -> None:
    def some(body: Mapping[str, Any]) -> str | Unanswered:
        return Unanswered(kind) if text_of(body) == "b" else "fine"

    double = OpenAIDouble(some, ends_as=kind)
    found = using(double, lambda model: through(model, "a", "b"))
    assert isinstance(found[key_of("a")], Reply)
    error = found[key_of("b")]
    assert isinstance(error, ProviderError)
    assert error.retryable
    assert "completion window" in str(error)
    assert double.billed.requests == 1


@pytest.mark.parametrize(
    ("status", "message", "told", "retryable", "fatal"),
    [
        (400, "odd content", 400, False, False),
        (400, "This model's maximum context length is 8192 tokens.", 413, False, False),
        (404, "The model `gpt-x` does not exist", 404, False, True),
        (429, "Rate limit reached", 429, True, False),
        (500, "The server had an error", 500, True, False),
    ],
)
def test_an_error_means_what_it_means_for_a_single_request(
    status: int, message: str, told: int, retryable: bool, fatal: bool
) -> None:
    error = error_of(OpenAIDouble(lambda body: Refuses(status, message)))
    assert (error.status, error.retryable, error.fatal) == (told, retryable, fatal)
    assert message in str(error)


def test_one_bad_result_does_not_stop_the_others() -> None:
    def some(body: Mapping[str, Any]) -> str | Refuses:
        return Refuses(400, "odd") if text_of(body) == "b" else "fine"

    found = using(OpenAIDouble(some), lambda model: through(model, "a", "b", "c"))
    kinds = {text: type(found[key_of(text)]) for text in "abc"}
    assert kinds == {"a": Reply, "b": ProviderError, "c": Reply}


def test_a_form_that_is_refused_is_another_one_in_the_next_batch() -> None:
    double = OpenAIDouble(refuses=frozenset({"temperature"}))

    async def twice(model: OpenAIModel) -> tuple[Results, Results]:
        return await through(model, "a", "b", "c"), await through(model, "a", "b", "c")

    first, second = using(double, twice)
    assert all(isinstance(error, ProviderError) and error.retryable for error in first.values())
    assert all(isinstance(reply, Reply) for reply in second.values())
    assert "temperature" not in double.batches["batch_2"].lines[0]["body"]


def test_many_refusals_in_a_batch_take_one_step_only() -> None:
    double = OpenAIDouble(lambda body: '{"score": 1}', refuses=frozenset({"response_format"}))

    async def once(model: OpenAIModel) -> str:
        await through(model, "a", "b", "c", bound=True)
        return await submit(model, "a", bound=True)

    batch = using(double, once)
    form = double.batches[batch].lines[0]["body"]["response_format"]
    assert "strict" not in form["json_schema"]  # the form after the best, and not a later one


def test_a_new_client_goes_on_with_the_batch() -> None:
    async def both() -> Results:
        with OpenAIDouble() as double:
            options = ModelOptions(base_url=double.url)
            first = open_model("gpt-x", options)
            batch = await submit(first, "a")
            await first.aclose()
            second = open_model("gpt-x", options)
            try:
                return await ended(second, batch)
            finally:
                await second.aclose()

    assert isinstance(asyncio.run(both())[key_of("a")], Reply)


@pytest.mark.parametrize("page", [1, 2, 100])
def test_a_batch_whose_id_was_lost_is_found_by_its_label(page: int) -> None:
    double = OpenAIDouble(page=page)

    async def lost(model: OpenAIModel) -> list[str | None]:
        for label in ("one", "two", "three", "two"):
            await submit(model, "a", label=label)
        return [await batches_of(model).find(label) for label in ("one", "two", "four")]

    assert using(double, lost) == ["batch_1", "batch_4", None]


def test_an_answer_that_got_lost_leaves_a_batch_to_be_found() -> None:
    double = OpenAIDouble()
    double.lose("POST /v1/batches", times=9)

    async def lost(model: OpenAIModel) -> str | None:
        with pytest.raises(ProviderError) as caught:
            await submit(model, "a")
        assert caught.value.retryable
        return await batches_of(model).find("label")

    assert using(double, lost) == list(double.batches)[-1]


def test_a_server_that_knows_no_pages_is_not_asked_for_ever() -> None:
    class Pageless(OpenAIDouble):
        def _list(self, request: Request) -> Response:
            return super()._list(replace(request, query={"limit": "1"}))

    async def look(model: OpenAIModel) -> str | None:
        await submit(model, "a")
        await submit(model, "b")
        return await batches_of(model).find("other")

    assert using(Pageless(), look) is None


def test_no_batch_is_found_where_there_is_none() -> None:
    assert using(OpenAIDouble(), lambda model: batches_of(model).find("label")) is None


@pytest.mark.parametrize("status", [429, 500])
def test_a_refused_submission_can_be_tried_again(status: int) -> None:
    double = OpenAIDouble()
    double.fault("POST /v1/batches", status=status, headers={"retry-after": "3"})
    with pytest.raises(ProviderError) as caught:
        using(double, lambda model: submit(model, "a"))
    assert caught.value.retryable
    assert caught.value.retry_after == 3.0
    assert not double.batches


@pytest.mark.parametrize("call", ["POST /v1/files", "POST /v1/batches"])
@pytest.mark.parametrize("status", [404, 405, 501])
def test_a_server_without_batches_says_so(call: str, status: int) -> None:
    double = OpenAIDouble()
    double.fault(call, status=status)
    with pytest.raises(ProviderError, match="no batch endpoint") as caught:
        using(double, lambda model: submit(model, "a"))
    assert caught.value.fatal


def test_a_failure_of_a_look_or_of_the_results_is_raised() -> None:
    double = OpenAIDouble(polls=0)

    async def looks(model: OpenAIModel) -> list[ProviderError]:
        batch = await submit(model, "a")
        errors = []
        double.fault("GET /v1/batches", status=500)
        with pytest.raises(ProviderError) as caught:
            await batches_of(model).state(batch)
        errors.append(caught.value)
        await batches_of(model).state(batch)
        double.fault("GET /v1/files", status=500)
        with pytest.raises(ProviderError) as caught:
            [_ async for _ in batches_of(model).results(batch)]
        return [*errors, caught.value]

    errors = using(double, looks)
    assert all(error.retryable and error.status == 500 for error in errors)


def test_the_limits_are_those_of_the_provider() -> None:
    batches = batches_of(open_model("gpt-x", ModelOptions()))
    assert batches.most_requests == 50_000
    assert batches.most_bytes <= 200_000_000 - batches.most_requests


def test_a_line_is_one_line() -> None:
    batches = batches_of(open_model("gpt-x", ModelOptions()))
    line = batches.line("k", prompt("two\nlines"), Sampling())
    assert b"\n" not in line
    assert json.loads(line)["custom_id"] == "k"


def test_what_is_uploaded() -> None:
    double = OpenAIDouble()
    using(double, lambda model: submit(model, "a", "ü"))
    [file] = double.files.values()
    rows = [json.loads(line) for line in file.splitlines()]
    assert [row["custom_id"] for row in rows] == [key_of("a"), key_of("ü")]
    [batch] = double.batches.values()
    assert batch.order["metadata"] == {"adjudge": "label"}


@pytest.mark.parametrize("line", [b"no json", b"[]", b"{}", b'"x"'])
def test_a_result_that_is_none(line: bytes) -> None:
    class Odd(OpenAIDouble):
        def _content(self, file: str) -> Response:
            return Response(200, line + b"\n")

    with pytest.raises(ProviderError, match="sent no"):
        using(Odd(), lambda model: through(model, "a"))


def test_a_reply_that_is_none_is_the_error_of_that_request_alone() -> None:
    class Odd(OpenAIDouble):
        def completion(self, body: Any, says: Says) -> dict[str, Any]:
            return {} if text_of(body) == "a" else super().completion(body, says)

    found = using(Odd(), lambda model: through(model, "a", "b"))
    assert isinstance(found[key_of("a")], ProviderError)
    assert isinstance(found[key_of("b")], Reply)


def test_the_double_refuses_what_the_api_refuses() -> None:
    """The other tests mean something only if the double is strict."""
    double, head = OpenAIDouble(), {"authorization": f"Bearer {KEY}"}

    def post(path: str, body: Any, **more: str) -> int:
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        return double.handle(Request("POST", path, {}, head | more, data)).status

    form = (
        b'--x\r\nContent-Disposition: form-data; name="purpose"\r\n\r\n%s\r\n'
        b'--x\r\nContent-Disposition: form-data; name="file"; filename="a.jsonl"\r\n\r\n'
        b"{}\n\r\n--x--\r\n"
    )
    kind = {"content-type": "multipart/form-data; boundary=x"}
    assert post("/v1/files", form % b"fine-tune", **kind) == 400
    assert post("/v1/files", form % b"batch") == 400
    assert post("/v1/files", form % b"batch", **kind) == 200
    order = {"input_file_id": "file-1", "endpoint": "/v1/chat/completions"}
    assert post("/v1/batches", order) == 400
    assert post("/v1/batches", order | {"completion_window": "24h", "more": 1}) == 400
    assert post("/v1/batches", order | {"completion_window": "24h", "input_file_id": "x"}) == 400
    assert post("/v1/batches", order | {"completion_window": "24h"}) == 200
    chat = {"model": "m", "messages": [{"role": "user", "content": "x"}]}
    assert post("/v1/chat/completions", chat | {"top_k": 3}) == 400
    assert (
        post("/v1/chat/completions", chat | {"messages": [{"role": "judge", "content": ""}]}) == 400
    )
    head.clear()
    assert post("/v1/chat/completions", chat) == 401
