"""Whatever a provider tells about tokens: usable figures come out, and what was wrong is said."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.core.reason import Reason
from adjudge.core.reply import Usage
from adjudge.models import anthropic as anthropic_api
from adjudge.models import gemini as gemini_api
from adjudge.models import ollama as ollama_api
from adjudge.models.chat_completions import answer
from adjudge.models.prices import Price
from adjudge.models.usage import (
    MOST_TOKENS,
    ReportedUsage,
    plausible_usage,
    usage_from_report,
    with_estimates,
)
from adjudge.stores.codec import decode_reply, encode

PRICE = Price(10.0, 50.0, cached_input=1.0, cached_write=12.5)
NONSENSE = [-1, -(2**40), 2**32, 2**70, 1e300, 1.5, math.nan, math.inf, True, "many", "", [], {}]


def openai(count: Any, of: str) -> Usage:
    usage = {"prompt_tokens": 100, "completion_tokens": 10, "prompt_tokens_details": {}}
    if of == "cached_tokens":
        usage["prompt_tokens_details"] = {of: count}
    else:
        usage[{"input_tokens": "prompt_tokens", "output_tokens": "completion_tokens"}[of]] = count
    return answer.usage_of({"usage": usage}, PRICE, batch=False, tells_cost=False)


def anthropic(count: Any, of: str) -> Usage:
    usage = {"input_tokens": 100, "output_tokens": 10}
    usage["cache_read_input_tokens" if of == "cached_tokens" else of] = count
    data = {"stop_reason": "end_turn", "content": [{"type": "text", "text": "4"}], "usage": usage}
    return anthropic_api.reply_of(data, PRICE, False).usage


def gemini(count: Any, of: str) -> Usage:
    names = {
        "input_tokens": "promptTokenCount",
        "output_tokens": "candidatesTokenCount",
        "cached_tokens": "cachedContentTokenCount",
    }
    usage = {"promptTokenCount": 100, "candidatesTokenCount": 10} | {names[of]: count}
    candidate = {"content": {"parts": [{"text": "4"}]}, "finishReason": "STOP"}
    return gemini_api.reply_of({"candidates": [candidate], "usageMetadata": usage}, PRICE).usage


def ollama(count: Any, of: str) -> Usage:
    counts = {"prompt_eval_count": 100, "eval_count": 10}
    counts["prompt_eval_count" if of == "input_tokens" else "eval_count"] = count
    data = {"done": True, "message": {"content": "4"}} | counts
    return ollama_api.reply_of(data, PRICE).usage


PROVIDERS = [openai, anthropic, gemini, ollama]


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize("told", NONSENSE, ids=repr)
@pytest.mark.parametrize("of", ["input_tokens", "output_tokens", "cached_tokens"])
def test_what_is_no_count(provider: Any, told: Any, of: str) -> None:
    """It is 0 and a doubt that names it; the other counts stay as they were told."""
    if provider is ollama and of == "cached_tokens":
        return  # it tells none
    if of == "cached_tokens" and not told and told is not True and provider is openai:
        return  # nothing, and taken so
    usage = provider(told, of)
    counts = {"input_tokens": 100, "output_tokens": 10, "cached_tokens": 0} | {of: 0}
    assert {name: getattr(usage, name) for name in counts} == counts
    assert [doubt.fields["count"] for doubt in usage.doubts] == [of]
    assert usage.cost_usd is not None
    assert 0.0 <= usage.cost_usd <= 0.01


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize("told", [7, 7.0, "7"], ids=repr)
def test_what_is_one(provider: Any, told: Any) -> None:
    assert provider(told, "input_tokens").input_tokens == 7
    assert provider(told, "output_tokens").output_tokens == 7
    assert provider(told, "output_tokens").doubts == ()


@pytest.mark.parametrize("usage", [None, [], "none", 3, {}], ids=repr)
def test_no_usage_at_all(usage: Any) -> None:
    """Of no provider is a reply lost for it."""
    told = Reason("usage.untold", count="input_tokens", instead=Reason("usage.from_prompt"))
    assert str(told) == "usage: input_tokens is missing; estimated from the prompt"
    found = answer.usage_of({"usage": usage}, PRICE, batch=False, tells_cost=True)
    assert found.doubts == (told,)
    text = {"content": [{"type": "text", "text": "4"}], "stop_reason": "end_turn"}
    assert anthropic_api.reply_of(text | {"usage": usage}, PRICE, False).usage.doubts == (told,)
    candidate = {"candidates": [{"content": {"parts": [{"text": "4"}]}}], "usageMetadata": usage}
    assert gemini_api.reply_of(candidate, PRICE).usage.doubts == (told,)
    assert ollama_api.reply_of({"done": True, "message": {"content": "4"}}, PRICE).usage.doubts


def test_more_in_the_cache_than_was_sent() -> None:
    """Such a prompt would earn money. It is counted at the full price."""
    usage = openai(900, "cached_tokens")
    assert (usage.input_tokens, usage.cached_tokens) == (100, 0)
    assert usage.cost_usd == pytest.approx((100 * 10 + 10 * 50) / 1e6)
    assert "900 tokens in the cache of 100 that were sent" in str(usage.doubts[0])


@pytest.mark.parametrize("cost", [-0.5, math.nan, math.inf, 1e9, "free", None, [1]], ids=repr)
def test_a_cost_that_cannot_be(cost: Any) -> None:
    """Then it is not known, and never 0."""
    usage = {"prompt_tokens": 100, "completion_tokens": 10, "cost": cost}
    found = answer.usage_of({"usage": usage}, None, batch=False, tells_cost=True)
    assert found.cost_usd is None
    assert len(found.doubts) == (cost is not None)


_ANYTHING = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=5), st.just({})
)


_TOLD = st.builds(
    ReportedUsage,
    input_tokens=_ANYTHING,
    output_tokens=_ANYTHING,
    cached_tokens=_ANYTHING,
    written_tokens=_ANYTHING,
    thought_tokens=_ANYTHING,
    cached_apart=st.booleans(),
    costs=st.tuples(_ANYTHING),
)


@given(_TOLD, st.sampled_from([PRICE, None]))
def test_law_nothing_is_negative_and_nothing_raised(
    told: ReportedUsage, price: Price | None
) -> None:
    usage = usage_from_report(told, price)
    assert 0 <= usage.cached_tokens <= usage.input_tokens
    assert 0 <= usage.input_tokens <= 3 * MOST_TOKENS
    assert 0 <= usage.output_tokens <= 2 * MOST_TOKENS
    assert usage.cost_usd is None or 0.0 <= usage.cost_usd < math.inf


class TestEstimates:
    def test_in_the_place_of_what_is_in_doubt(self) -> None:
        usage = with_estimates(openai(-5, "input_tokens"), PRICE, 80, 3)
        assert (usage.input_tokens, usage.output_tokens) == (80, 10)
        assert usage.cost_usd == pytest.approx((80 * 10 + 10 * 50) / 1e6)
        usage = with_estimates(openai(None, "output_tokens"), PRICE, 80, 3)
        assert (usage.input_tokens, usage.output_tokens) == (100, 3)
        assert list(map(str, usage.doubts)) == [
            "usage: output_tokens is missing; estimated from the reply"
        ]

    def test_not_of_a_reply_without_a_text(self) -> None:
        usage = openai(0, "output_tokens")
        assert with_estimates(usage, PRICE, 80, 0) is usage

    def test_not_of_a_model_that_does_not_count(self) -> None:
        """A function of one's own, or a replay: nothing is paid for."""
        usage = Usage()
        assert with_estimates(usage, None, 80, 3) is usage

    def test_a_price_that_is_not_known_stays_so(self) -> None:
        told = usage_from_report(ReportedUsage(), None)
        assert with_estimates(told, None, 80, 3).cost_usd is None


class TestChecked:
    """Models that count by themselves, those of other packages among them."""

    def test_what_can_be_is_the_same_object(self) -> None:
        usage = Usage(input_tokens=5, output_tokens=3, cached_tokens=5)
        assert plausible_usage(usage, PRICE) is usage

    @pytest.mark.parametrize("told", [-1, 2**32, math.nan, None, "x"], ids=repr)
    def test_what_cannot(self, told: Any) -> None:
        usage = plausible_usage(Usage(input_tokens=told, output_tokens=3), PRICE)
        assert (usage.input_tokens, usage.output_tokens) == (0, 3)
        assert usage.doubts
        assert plausible_usage(Usage(input_tokens=5, cost_usd=told), None).cost_usd is None


def test_doubts_are_kept_and_summed_up() -> None:
    """Each once, and not a page of them."""
    one, other = openai(-1, "input_tokens"), openai(-2, "input_tokens")
    assert (one + other + one).doubts == one.doubts + other.doubts
    many = sum((openai(-n, "input_tokens") for n in range(1, 50)), start=Usage())
    assert len(many.doubts) == 8
    reply = anthropic_api.reply_of(
        {"stop_reason": "end_turn", "content": [], "usage": {"input_tokens": -1}}, PRICE, False
    )
    assert decode_reply(encode(reply)) == reply
