"""Every provider through the same laws, each against a strict double of its API on loopback."""

from __future__ import annotations

import asyncio
import gc
import json
import time
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest
from tests.conformance.case import Case, Opened, found, on_the_wire
from tests.doubles.http import Refuses, Request, Says

from adjudge.core.prompt import Message, Prompt, Sampling
from adjudge.errors import ProviderError
from adjudge.models.base import Model
from adjudge.models.prices import Price

CASES = {name: case for name in on_the_wire() if (case := found(name))}
TEXT = '안녕하세요, 평가해 주세요. Tiếng Việt đủ dấu: ữ ợ ẵ. 𝒜 🧑🏽‍⚖️ "x" \\ \t\n<end>'
PLAIN = Prompt(messages=(Message("system", "Judge."), Message("user", TEXT)), criteria=("c",))
SCHEMA = {
    "type": "object",
    "properties": {
        "why": {"type": "string"},
        "score": {"type": "integer", "enum": [1, 2, 3, 4, 5]},
    },
    "required": ["why", "score"],
    "additionalProperties": False,
}
BOUND = replace(PLAIN, schema=SCHEMA)
VERDICT = json.dumps({"why": TEXT, "score": 4}, ensure_ascii=False)
# More than any provider documents to take.
_MANY = {f"p{number}": {"type": "integer"} for number in range(6000)}
OVERSIZED: dict[str, Any] = {
    "type": "object",
    "properties": _MANY,
    "required": list(_MANY),
    "additionalProperties": False,
}
HUGE = replace(PLAIN, schema=OVERSIZED)
PRICE = Price(10.0, 50.0, cached_input=1.0)


@pytest.fixture(params=CASES, name="case")
def _case(request: pytest.FixtureRequest) -> Case:
    return CASES[request.param]


@pytest.mark.parametrize("provider", on_the_wire())
def test_it_is_in_this_suite(provider: str) -> None:
    assert found(provider), f"write tests/conformance/cases/{provider}.py; case.py says how"


def failure(opened: Opened, prompt: Prompt = PLAIN) -> ProviderError:
    with pytest.raises(ProviderError) as caught:
        opened.ask(prompt)
    error = caught.value
    assert not opened.case.key or opened.case.key not in str(error)
    assert "\n" not in str(error)
    return error


def refused(case: Case, refuses: Refuses) -> ProviderError:
    with case.opened(lambda body: refuses) as opened:
        return failure(opened)


class TestReplies:
    def test_text(self, case: Case) -> None:
        with case.opened(lambda body: case.text_of(dict(body))) as opened:
            reply = opened.ask(PLAIN)
        assert (reply.text, reply.finish, reply.refusal) == (TEXT, "stop", None)
        assert reply.logprobs is None
        assert reply.latency_ms > 0
        assert len(opened.asked) == 1

    def test_tokens_and_what_they_cost(self, case: Case) -> None:
        says = Says("4", input_tokens=1000, output_tokens=200, cached=600)
        with case.opened(lambda body: says, price=PRICE) as opened:
            usage = opened.ask(PLAIN).usage
        cached = 600 if case.counts_cached else 0
        assert usage.input_tokens == 1000
        assert usage.cached_tokens == cached
        assert usage.output_tokens == 200
        assert usage.cost_usd == pytest.approx(((1000 - cached) * 10 + cached + 200 * 50) / 1e6)

    def test_a_price_that_is_not_known_is_no_cost_of_zero(self, case: Case) -> None:
        with case.opened(lambda body: "4") as opened:
            assert opened.ask(PLAIN).usage.cost_usd == case.unpriced

    def test_json_by_schema(self, case: Case) -> None:
        with case.opened(lambda body: VERDICT) as opened:
            reply, capable = opened.use(lambda model: _asked_and_able(model, BOUND))
        assert json.loads(reply.text) == {"why": TEXT, "score": 4}
        assert reply.finish == "stop"
        assert capable.json_schema == case.binds
        if not case.binds:
            return
        schema = case.schema_of(opened.asked[-1])
        assert schema is not None
        assert schema["properties"].keys() == {"why", "score"}
        assert schema["required"] == ["why", "score"]

    def test_a_tool_where_that_is_the_way(self, case: Case) -> None:
        with case.opened(lambda body: VERDICT) as opened:
            opened.ask(BOUND)
        assert ("tools" in opened.asked[-1]) == case.tool

    def test_cut_off(self, case: Case) -> None:
        with case.opened(lambda body: case.cut_off) as opened:
            reply = opened.ask(PLAIN)
        assert (reply.text, reply.finish) == (case.cut_off.text, "length")
        assert reply.usage.output_tokens > 0

    def test_declined_by_the_model(self, case: Case) -> None:
        if case.declined is None:
            pytest.skip("the API has no such answer: a model declines in its own words")
        self._refused_for_a_reason(case, case.declined)

    def test_stopped_by_a_filter(self, case: Case) -> None:
        if case.filtered is None:
            pytest.skip("the API has no filter")
        self._refused_for_a_reason(case, case.filtered)

    def _refused_for_a_reason(self, case: Case, says: Says | Refuses) -> None:
        with case.opened(lambda body: says) as opened:
            reply = opened.ask(PLAIN)
        assert reply.finish == "refused"
        assert reply.refusal
        assert not isinstance(says, Says) or says.reason in reply.refusal

    def test_token_probabilities(self, case: Case) -> None:
        with case.opened(lambda body: "four") as opened:
            sampling = Sampling(top_logprobs=3)
            reply, capable = opened.use(lambda model: _asked_and_able(model, PLAIN, sampling))
        if not capable.logprobs:
            assert reply.logprobs is None
            return
        assert reply.logprobs is not None
        assert "".join(token.token for token in reply.logprobs) == "four"
        for token in reply.logprobs:
            assert token.logprob == token.top[token.token] < 0
            assert len(token.top) == 3

    def test_a_seed_is_sent_where_it_is_offered(self, case: Case) -> None:
        with case.opened(lambda body: "4") as opened:
            _, capable = opened.use(lambda model: _asked_and_able(model, PLAIN, Sampling(seed=97)))
        assert (97 in _values_of(opened.asked[-1], "seed")) == capable.seed

    def test_a_further_question(self, case: Case) -> None:
        with case.opened(lambda body: case.text_of(dict(body))) as opened:
            reply = opened.ask(PLAIN.followed_by("the draft", "Once more, please."))
        assert reply.text == "Once more, please."
        sent = json.dumps(opened.asked[-1], ensure_ascii=False)
        assert "the draft" in sent
        assert sent.index("Judge.") != sent.index("the draft")

    def test_a_further_question_about_nothing(self, case: Case) -> None:
        with case.opened(lambda body: "4") as opened:
            assert opened.ask(PLAIN.followed_by("", "Once more, please.")).text == "4"

    def test_many_at_once(self, case: Case) -> None:
        texts = [f"{number} ✓" for number in range(16)]

        async def all_of(model: Model) -> list[str]:
            prompts = [Prompt(messages=(Message("user", text),), criteria=()) for text in texts]
            replies = await asyncio.gather(*(model.ask(one, Sampling()) for one in prompts))
            return [reply.text for reply in replies]

        with case.opened(lambda body: case.text_of(dict(body))) as opened:
            assert opened.use(all_of) == texts

    def test_closing_closes_the_connections(self, case: Case) -> None:
        with case.opened(lambda body: "4") as opened:
            opened.use(lambda model: _asked_and_able(model, PLAIN))
            gc.collect()  # what was forgotten would warn here, and a warning is an error
            until = time.monotonic() + 5
            while opened.double.connections and time.monotonic() < until:
                time.sleep(0.01)
            assert opened.double.connections == 0

    def test_the_context_is_told(self, case: Case) -> None:
        with case.opened(lambda body: "4") as opened:
            assert opened.use(lambda model: model.context_size()) == case.context
            assert len(opened.double.requests) <= 1
            assert not opened.asked

    def test_the_key_is_in_no_name(self, case: Case) -> None:
        async def names(model: Model) -> str:
            return f"{model.name} {model.identity} {model!r}"

        with case.opened(lambda body: "4") as opened:
            shown = opened.use(names)
        assert case.model in shown
        assert not case.key or case.key not in shown


class TestErrors:
    def test_a_bad_request(self, case: Case) -> None:
        error = refused(case, case.invalid)
        assert (error.status, error.retryable, error.fatal) == (case.invalid.status, False, False)
        assert case.invalid.message in str(error)

    def test_a_wrong_key(self, case: Case) -> None:
        if case.bad_key is None:
            pytest.skip("the API takes no key")
        error = refused(case, case.bad_key)
        assert (error.retryable, error.fatal) == (False, True)
        assert case.variable in str(error)

    def test_what_the_key_may_not_do(self, case: Case) -> None:
        error = refused(case, case.forbidden)
        assert (error.status, error.retryable, error.fatal) == (403, False, True)
        assert case.variable in str(error)

    def test_an_unknown_model(self, case: Case) -> None:
        error = refused(case, case.unknown_model)
        assert (error.retryable, error.fatal) == (False, True)
        assert case.remedy in str(error)

    def test_a_prompt_too_long(self, case: Case) -> None:
        error = refused(case, case.too_long)
        assert (error.status, error.retryable, error.fatal) == (413, False, False)

    def test_a_limit_says_how_long_to_wait(self, case: Case) -> None:
        error = refused(case, case.limited)
        assert (error.status, error.retryable, error.fatal) == (case.limited.status, True, False)
        assert error.retry_after == (case.waits and pytest.approx(case.waits, rel=0.1))

    @pytest.mark.parametrize("kind", ["broken", "overloaded"])
    def test_what_may_pass(self, case: Case, kind: str) -> None:
        refuses: Refuses = getattr(case, kind)
        error = refused(case, refuses)
        assert (error.status, error.retryable, error.fatal) == (refuses.status, True, False)

    @pytest.mark.parametrize(
        "kind", ["bad_key", "forbidden", "invalid", "unknown_model", "limited", "broken"]
    )
    def test_a_key_that_the_server_repeats_is_not_shown(self, case: Case, kind: str) -> None:
        refuses: Refuses | None = getattr(case, kind)
        if refuses is None or not case.key:
            pytest.skip("the API takes no key")
        error = refused(case, replace(refuses, message=f"{case.key}: {refuses.message}"))
        assert case.key not in str(error)

    @pytest.mark.parametrize("body", [b"", b"<html>", b"{}", b"[]", b"null", b'{"a": [', b'"x"'])
    def test_an_answer_that_is_none(self, case: Case, body: bytes) -> None:
        with case.opened(lambda _: "4") as opened:
            opened.double.instead(case.ask, body)
            error = failure(opened)
        assert (error.retryable, error.fatal) == (True, False)

    def test_an_answer_that_stops_half_way(self, case: Case) -> None:
        with case.opened(lambda _: "4", timeout=0.3) as opened:
            opened.double.stall(case.ask)
            error = failure(opened)
        assert (error.retryable, error.fatal) == (True, False)
        assert "--timeout" in str(error)

    def test_a_connection_that_breaks(self, case: Case) -> None:
        with case.opened(lambda _: "4") as opened:
            opened.double.drop(case.ask, times=5)
            error = failure(opened)
        assert (error.retryable, error.fatal) == (True, False)

    def test_nobody_there(self, case: Case) -> None:
        with case.opened(lambda _: "4") as opened:
            options = opened.options
            gone = Opened(case, opened.double, options)
            opened.double.__exit__()
            error = failure(gone)
            opened.double.__enter__()
        assert (error.retryable, error.fatal) == (True, False)
        assert "start it" in str(error) or "serve" in str(error)


class TestWays:
    """What a server does not take is sent in another form, which is found once."""

    def test_a_schema_that_is_too_large(self, case: Case) -> None:
        if not case.binds:
            pytest.skip("the API takes no schema")
        with case.strict().opened(lambda _: "{}") as opened:
            error = opened.use(_failed)
            assert opened.double.refused, "the double has to refuse it, as the API does"
            assert len(opened.asked) < 8
        assert error is None or not error.retryable

    def test_what_one_model_found_serves_the_next(self, case: Case) -> None:
        async def found(model: Model) -> tuple[Mapping[str, str | None], bool]:
            return model.ways if not await _failed(model) else {}, model.capabilities.json_schema

        async def again(model: Model) -> bool:
            model.ways = ways
            await model.ask(HUGE, Sampling())
            return model.capabilities.json_schema

        with case.strict().opened(lambda _: "{}") as opened:
            ways, bound = opened.use(found)
            if not ways:
                pytest.skip("it has no other form for a schema")
            before = len(opened.asked)
            assert opened.use(again) == bound
            assert len(opened.asked) == before + 1


class TestTheDouble:
    """The other tests mean something only if the double is as strict as the API."""

    @pytest.fixture
    def sent(self, case: Case) -> Any:
        with case.opened(lambda _: VERDICT) as opened:
            opened.ask(BOUND)
            came = [one for one in opened.double.requests if str(one).startswith(case.ask)]
            yield lambda **changes: _status(opened, replace(came[-1], **changes))

    def test_what_was_sent_is_taken(self, sent: Any) -> None:
        assert sent() == 200

    def test_an_unknown_field(self, case: Case, sent: Any) -> None:
        with case.opened(lambda _: "4") as opened:
            opened.ask(PLAIN)
        assert sent(body=_bytes({**opened.asked[-1], "surprise": 1})) >= 400

    def test_a_role_that_does_not_exist(self, case: Case, sent: Any) -> None:
        with case.opened(lambda _: "4") as opened:
            opened.ask(PLAIN)
        assert sent(body=_bytes(case.misnamed(opened.asked[-1]))) >= 400

    def test_no_key(self, case: Case, sent: Any) -> None:
        if not case.key:
            pytest.skip("the API takes no key")
        assert sent(headers={"content-type": "application/json"}) in (400, 401, 403)

    def test_no_version(self, case: Case, sent: Any) -> None:
        if not case.version:
            pytest.skip("the API has no such header")
        with case.opened(lambda _: "4") as opened:
            opened.ask(PLAIN)
        headers = dict(opened.double.requests[-1].headers)
        del headers[case.version]
        assert sent(headers=headers) >= 400


async def _failed(model: Model) -> ProviderError | None:
    """How the question with a huge schema failed, None if it did not."""
    try:
        await model.ask(HUGE, Sampling())
    except ProviderError as error:
        return error
    return None


async def _asked_and_able(model: Model, prompt: Prompt, sampling: Sampling | None = None) -> Any:
    reply = await model.ask(prompt, sampling or Sampling())
    return reply, model.capabilities


def _values_of(node: Any, name: str) -> list[Any]:
    """All values that stand under a name, however deep."""
    if isinstance(node, list):
        return [value for one in node for value in _values_of(one, name)]
    if not isinstance(node, dict):
        return []
    inside = [value for one in node.values() for value in _values_of(one, name)]
    return [node[name], *inside] if name in node else inside


def _bytes(body: Any) -> bytes:
    return json.dumps(body).encode()


def _status(opened: Opened, request: Request) -> int:
    response = opened.double.answer(request)
    assert response is not None
    return response.status
