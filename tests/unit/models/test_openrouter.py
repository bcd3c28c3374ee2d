"""OpenRouter: nothing is dropped in silence, and the cost is what it tells."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from tests.doubles.chat import KEY
from tests.doubles.http import Refuses, Says
from tests.doubles.openrouter import COST, OpenRouterDouble, flagged

from adjudge.core.prompt import Message, Prompt, Sampling
from adjudge.core.reply import Reply
from adjudge.errors import ProviderError
from adjudge.models.base import Capabilities, ModelOptions
from adjudge.models.openrouter import open_model
from adjudge.models.prices import Price

SCHEMA = {"type": "object", "properties": {"score": {"type": "integer"}}}
PROMPT = Prompt(messages=(Message("user", "Hm?"),), criteria=("c",), schema=SCHEMA)
ALL = Sampling(temperature=0.0, max_tokens=50, seed=3, top_logprobs=2)


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENROUTER_API_KEY", KEY)


def ask(
    double: OpenRouterDouble, model: str = "author/x", **options: Any
) -> tuple[Reply, Capabilities]:
    async def run() -> tuple[Reply, Capabilities]:
        opened = open_model(model, ModelOptions(base_url=double.url, **options))
        try:
            return await opened.ask(PROMPT, ALL), opened.capabilities
        finally:
            await opened.aclose()

    with double:
        return asyncio.run(run())


def test_everything_is_required() -> None:
    double = OpenRouterDouble()
    _, able = ask(double)
    sent = double.requests[0].json
    assert sent["provider"] == {"require_parameters": True}
    assert sent["response_format"]["json_schema"]["strict"]
    assert sent["max_tokens"] == 50
    assert able == Capabilities()


@pytest.mark.parametrize(
    ("refuses", "able"),
    [
        ({"seed"}, Capabilities(seed=False)),
        ({"seed", "logprobs"}, Capabilities(seed=False, logprobs=False)),
        (
            {"response_format"},
            Capabilities(seed=False, logprobs=False, json_schema=False),
        ),
        (
            {"seed", "logprobs", "response_format", "temperature"},
            Capabilities(seed=False, logprobs=False, json_schema=False),
        ),
    ],
)
def test_what_no_provider_takes_is_given_up_aloud(refuses: set[str], able: Capabilities) -> None:
    """It is not told what: the seed goes before the probabilities, and these before the schema."""
    double = OpenRouterDouble(refuses=frozenset(refuses))
    reply, found = ask(double)
    assert reply.text == "4"
    assert found == able
    assert not double.requests[-1].json.keys() & refuses
    assert len(double.requests) <= 7


def test_a_model_that_nobody_serves_ends() -> None:
    gone = Refuses(404, "No endpoints found that can handle the requested parameters.")
    double = OpenRouterDouble(lambda body: gone)
    with pytest.raises(ProviderError, match="check the model's name") as caught:
        ask(double)
    assert caught.value.fatal
    assert len(double.requests) <= 8


def test_the_cost_is_told() -> None:
    assert ask(OpenRouterDouble())[0].usage.cost_usd == COST


def test_a_price_of_ones_own_goes_first() -> None:
    says = Says("4", input_tokens=100, output_tokens=10)
    reply, _ = ask(OpenRouterDouble(lambda body: says), price=Price(1.0, 10.0))
    assert reply.usage.cost_usd == pytest.approx(200 / 1e6)


def test_a_key_of_ones_own_at_the_provider() -> None:
    class Byok(OpenRouterDouble):
        def usage(self, says: Says) -> dict[str, Any]:
            behind = {"upstream_inference_cost": 0.5}
            return super().usage(says) | {"is_byok": True, "cost_details": behind}

    assert ask(Byok())[0].usage.cost_usd == COST + 0.5


def test_moderation() -> None:
    reply, _ = ask(OpenRouterDouble(lambda body: flagged("harassment")))
    assert reply.finish == "refused"
    assert reply.refusal == "the provider's content filter: harassment"


def test_a_key_that_may_not() -> None:
    with pytest.raises(ProviderError, match="check that OPENROUTER_API_KEY") as caught:
        ask(OpenRouterDouble(lambda body: Refuses(403, "Key limit exceeded (total limit).")))
    assert caught.value.fatal


def test_an_unknown_model() -> None:
    with pytest.raises(ProviderError, match="nobody/y is not a valid model ID; check the model's"):
        ask(OpenRouterDouble(), model="nobody/y")


def test_what_the_provider_behind_says() -> None:
    behind = {"metadata": {"raw": "overloaded", "provider_name": "Provider"}}
    with pytest.raises(ProviderError, match="Provider returned error: overloaded") as caught:
        ask(OpenRouterDouble(lambda body: Refuses(502, "Provider returned error", more=behind)))
    assert caught.value.retryable
