"""Message batches against a strict double on loopback."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping
from hashlib import sha256
from typing import Any, TypeVar

import pytest
from tests.doubles.anthropic import KEY, AnthropicDouble
from tests.doubles.http import Refuses, Says, Unanswered

from adjudge.core.prompt import Message, Prompt, Sampling
from adjudge.core.reply import Reply
from adjudge.errors import ProviderError
from adjudge.models.anthropic import AnthropicModel, open_model
from adjudge.models.base import BatchState, ModelOptions, ProviderBatches
from adjudge.models.prices import Price

T = TypeVar("T")
SCHEMA = {"type": "object", "properties": {"score": {"type": "integer"}}}
Results = dict[str, Reply | ProviderError]


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)


def key_of(text: str) -> str:
    return sha256(text.encode()).hexdigest()


def prompt(text: str, *, bound: bool = False) -> Prompt:
    schema = SCHEMA if bound else None
    turns = (Message("system", "Judge."), Message("user", text))
    return Prompt(messages=turns, criteria=("c",), schema=schema, item=text)


def batches_of(model: AnthropicModel) -> ProviderBatches:
    assert model.batches is not None
    return model.batches


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


async def submit(model: AnthropicModel, *texts: str, bound: bool = False) -> str:
    batches = batches_of(model)
    lines = [batches.line(key_of(t), prompt(t, bound=bound), Sampling()) for t in texts]
    return await batches.submit(lines, "label")


async def ended(model: AnthropicModel, batch: str) -> Results:
    looks = [await batches_of(model).state(batch) for _ in range(3)]
    assert looks[-1].status == "ended"
    return {key: found async for key, found in batches_of(model).results(batch)}


async def through(model: AnthropicModel, *texts: str, bound: bool = False) -> Results:
    return await ended(model, await submit(model, *texts, bound=bound))


def text_of(params: Mapping[str, Any]) -> str:
    return str(params["messages"][-1]["content"])


def error_of(double: AnthropicDouble) -> ProviderError:
    found = using(double, lambda model: through(model, "a"))[key_of("a")]
    assert isinstance(found, ProviderError)
    return found


def test_replies_come_back_with_their_keys() -> None:
    double = AnthropicDouble(lambda params: f"re {text_of(params)}")
    found = using(double, lambda model: through(model, "a", "b", "ü"))
    assert {key: reply.text for key, reply in found.items() if isinstance(reply, Reply)} == {
        key_of(text): f"re {text}" for text in ("a", "b", "ü")
    }


def test_a_request_is_the_same_as_a_single_one() -> None:
    double = AnthropicDouble(lambda params: '{"score":1}')

    async def both(model: AnthropicModel) -> Results:
        await model.ask(prompt("a", bound=True), Sampling())
        return await through(model, "a", bound=True)

    found = using(double, both)
    single, [batch] = double.requests[0].json, list(double.batches.values())
    assert batch.requests == [{"custom_id": key_of("a"), "params": single}]
    [reply] = found.values()
    assert isinstance(reply, Reply)
    assert reply.text == '{"score":1}'


def test_the_price_is_that_of_a_batch() -> None:
    double = AnthropicDouble(lambda params: Says("x", input_tokens=1000, output_tokens=100))

    async def both(model: AnthropicModel) -> tuple[Reply, Results]:
        return await model.ask(prompt("a"), Sampling()), await through(model, "a")

    single, found = using(double, both, price=Price(10.0, 50.0))
    [batched] = found.values()
    assert isinstance(batched, Reply)
    assert single.usage.cost_usd == pytest.approx(0.015)
    assert batched.usage.cost_usd == pytest.approx(0.0075)
    assert (double.billed.requests, double.billed.batched) == (2, 1)


def test_the_state_while_it_runs_and_when_it_has_ended() -> None:
    double = AnthropicDouble(polls=2)

    async def looks(model: AnthropicModel) -> list[BatchState]:
        batch = await submit(model, "a", "b")
        return [await batches_of(model).state(batch) for _ in range(3)]

    running = BatchState("running", 0, 2)
    assert using(double, looks) == [running, running, BatchState("ended", 2, 2)]


def test_results_that_are_no_longer_kept() -> None:
    double = AnthropicDouble(polls=0)

    async def late(model: AnthropicModel) -> BatchState:
        batch = await submit(model, "a")
        await batches_of(model).state(batch)
        double.batches[batch].archived = True
        return await batches_of(model).state(batch)

    state = using(double, late)
    assert state.status == "failed"
    assert "no longer kept" in str(state.why)


def test_a_batch_that_nobody_knows_has_failed() -> None:
    state = using(AnthropicDouble(), lambda model: batches_of(model).state("msgbatch_9"))
    assert state.status == "failed"
    assert "msgbatch_9" in str(state.why)


@pytest.mark.parametrize("kind", ["expired", "canceled"])
def test_a_request_that_went_unanswered_can_be_asked_again(kind: str) -> None:
    error = error_of(AnthropicDouble(lambda params: Unanswered(kind)))
    assert error.retryable
    assert kind in str(error)


@pytest.mark.parametrize(
    ("kind", "message", "status", "retryable", "fatal"),
    [
        ("invalid_request_error", "messages.0: odd", 400, False, False),
        ("invalid_request_error", "prompt is too long: 3 tokens > 2 maximum", 413, False, False),
        ("not_found_error", "model: claude-x", 404, False, True),
        ("api_error", "Internal server error", 500, True, False),
        ("overloaded_error", "Overloaded", 529, True, False),
        ("unheard_of_error", "?", 500, True, False),
    ],
)
def test_an_error_means_what_it_means_for_a_single_request(
    kind: str, message: str, status: int, retryable: bool, fatal: bool
) -> None:
    error = error_of(AnthropicDouble(lambda params: Refuses(400, message, kind)))
    assert (error.status, error.retryable, error.fatal) == (status, retryable, fatal)
    assert message in str(error)


def test_what_the_filter_stopped_is_a_refusal_there_too() -> None:
    told = "Output blocked by content filtering policy"
    double = AnthropicDouble(lambda params: Refuses(400, told))
    found = using(double, lambda model: through(model, "a"))[key_of("a")]
    assert isinstance(found, Reply)
    assert (found.finish, found.refusal) == ("refused", told)


def test_one_bad_result_does_not_stop_the_others() -> None:
    def some(params: Mapping[str, Any]) -> str | Refuses:
        return Refuses(400, "odd") if text_of(params) == "b" else "fine"

    found = using(AnthropicDouble(some), lambda model: through(model, "a", "b", "c"))
    kinds = {text: type(found[key_of(text)]) for text in "abc"}
    assert kinds == {"a": Reply, "b": ProviderError, "c": Reply}


def test_a_form_that_is_refused_is_another_one_in_the_next_batch() -> None:
    refused = frozenset({"tool_choice"})
    double = AnthropicDouble(lambda params: '{"score": 1}', refuses=refused)

    async def twice(model: AnthropicModel) -> tuple[Results, Results]:
        first = await through(model, "a", "b", "c", bound=True)
        return first, await through(model, "a", "b", "c", bound=True)

    first, second = using(double, twice)
    assert all(isinstance(error, ProviderError) and error.retryable for error in first.values())
    assert all(isinstance(reply, Reply) for reply in second.values())
    assert "output_config" in double.batches["msgbatch_2"].requests[0]["params"]


def test_forms_that_are_refused_one_after_the_other() -> None:
    refused = frozenset({"tool_choice", "output_config"})
    double = AnthropicDouble(lambda params: '{"score": 1}', refuses=refused)

    async def thrice(model: AnthropicModel) -> list[Results]:
        return [await through(model, "a", "b", bound=True) for _ in range(3)]

    kinds = [{type(one) for one in results.values()} for results in using(double, thrice)]
    assert kinds == [{ProviderError}, {ProviderError}, {Reply}]


def test_a_form_that_was_left_meanwhile_is_not_left_again() -> None:
    double = AnthropicDouble(lambda params: '{"score": 1}', refuses=frozenset({"tool_choice"}))

    async def between(model: AnthropicModel) -> Results:
        batch = await submit(model, "a", bound=True)
        await model.ask(prompt("b", bound=True), Sampling())
        found = await ended(model, batch)
        await submit(model, "a", bound=True)
        return found

    [error] = using(double, between).values()
    assert isinstance(error, ProviderError)
    assert error.retryable
    assert "output_config" in double.batches["msgbatch_2"].requests[0]["params"]


def test_a_new_client_goes_on_with_the_batch() -> None:
    async def both() -> Results:
        with AnthropicDouble() as double:
            options = ModelOptions(base_url=double.url)
            first = open_model("claude-x", options)
            batch = await submit(first, "a")
            await first.aclose()
            second = open_model("claude-x", options)
            try:
                return await ended(second, batch)
            finally:
                await second.aclose()

    assert isinstance(asyncio.run(both())[key_of("a")], Reply)


def test_a_lost_batch_cannot_be_found() -> None:
    async def lost(model: AnthropicModel) -> str | None:
        await submit(model, "a")
        return await batches_of(model).find("label")

    assert using(AnthropicDouble(), lost) is None


@pytest.mark.parametrize("status", [429, 500, 529])
def test_a_refused_submission_can_be_tried_again(status: int) -> None:
    double = AnthropicDouble()
    double.fault("POST /v1/messages/batches", status=status, headers={"retry-after": "3"})
    with pytest.raises(ProviderError) as caught:
        using(double, lambda model: submit(model, "a"))
    assert caught.value.retryable
    assert caught.value.retry_after == 3.0
    assert not double.batches


def test_a_server_without_batches_says_so() -> None:
    double = AnthropicDouble()
    double.fault("POST /v1/messages/batches", status=404)
    with pytest.raises(ProviderError, match="no batch endpoint") as caught:
        using(double, lambda model: submit(model, "a"))
    assert caught.value.fatal


def test_a_failure_of_a_look_or_of_the_results_is_raised() -> None:
    double = AnthropicDouble(polls=0)

    async def looks(model: AnthropicModel) -> list[ProviderError]:
        batch = await submit(model, "a")
        errors = []
        double.fault("GET /v1/messages/batches", status=500)
        with pytest.raises(ProviderError) as caught:
            await batches_of(model).state(batch)
        errors.append(caught.value)
        await batches_of(model).state(batch)
        double.fault("GET /v1/messages/batches", status=500)
        with pytest.raises(ProviderError) as caught:
            [_ async for _ in batches_of(model).results(batch)]
        return [*errors, caught.value]

    errors = using(double, looks)
    assert all(error.retryable and error.status == 500 for error in errors)


def test_a_key_used_twice_is_refused() -> None:
    with pytest.raises(ProviderError, match="duplicate custom_id"):
        using(AnthropicDouble(), lambda model: submit(model, "a", "a"))


def test_the_limits_are_those_of_the_provider() -> None:
    batches = batches_of(open_model("claude-x", ModelOptions()))
    assert batches.most_requests == 100_000
    assert batches.most_bytes <= 256_000_000 - batches.most_requests


def test_a_line_is_one_line() -> None:
    batches = batches_of(open_model("claude-x", ModelOptions()))
    line = batches.line("k", prompt("two\nlines"), Sampling())
    assert b"\n" not in line
    assert json.loads(line)["custom_id"] == "k"
