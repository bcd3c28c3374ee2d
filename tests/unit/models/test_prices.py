from __future__ import annotations

import asyncio
import re
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from tests.doubles.http import Says
from tests.doubles.openai import KEY, OpenAIDouble

from adjudge.core.prompt import Message, Prompt, Sampling
from adjudge.core.reply import Usage
from adjudge.errors import UsageError
from adjudge.models import embedded, openai, prices, replay
from adjudge.models.base import ModelOptions
from adjudge.models.openai import OpenAIModel
from adjudge.models.prices import FREE, Price, priced, published_price

MILLION = 1_000_000
PROMPT = Prompt(messages=(Message("user", "Hello"),), criteria=("c",))


def test_each_kind_of_token_has_its_price() -> None:
    price = Price(2.0, 8.0, cached_input=0.5, cached_write=2.5)
    usage = Usage(input_tokens=10 * MILLION, cached_tokens=3 * MILLION, output_tokens=MILLION)
    assert price.cost(usage) == pytest.approx(7 * 2.0 + 3 * 0.5 + 8.0)
    assert price.cost(usage, written=4 * MILLION) == pytest.approx(3 * 2.0 + 1.5 + 4 * 2.5 + 8.0)


def test_what_has_no_price_of_its_own_costs_what_input_costs() -> None:
    usage = Usage(input_tokens=MILLION, cached_tokens=MILLION // 2)
    assert Price(2.0, 8.0).cost(usage, written=MILLION // 2) == pytest.approx(2.0)


def test_a_batch_costs_a_part() -> None:
    usage = Usage(input_tokens=MILLION, cached_tokens=MILLION, output_tokens=MILLION)
    assert Price(2.0, 8.0, 1.0).cost(usage, batch=True) == pytest.approx(4.5)
    assert Price(2.0, 8.0, 1.0, batch=0.25).cost(usage, batch=True) == pytest.approx(2.25)


def test_an_unknown_price_is_no_cost_of_zero() -> None:
    usage = Usage(input_tokens=5, output_tokens=5)
    assert priced(usage, None).cost_usd is None
    assert priced(usage, FREE).cost_usd == 0.0


def test_a_prompt_beyond_the_price_is_not_priced() -> None:
    price = Price(2.0, 8.0, up_to=100)
    assert priced(Usage(input_tokens=100), price).cost_usd == pytest.approx(0.0002)
    assert priced(Usage(input_tokens=101), price).cost_usd is None


def test_a_price_that_the_user_writes() -> None:
    assert Price.parse("in=0.15,out=0.6,cached=0.075") == Price(0.15, 0.6, 0.075)
    assert Price.parse(" in=1 , out=2 ") == Price(1.0, 2.0)
    assert Price.parse("in=0,out=0") == FREE
    assert Price.parse("in=1,out=2,batch=1").batch == 1.0


@pytest.mark.parametrize(
    "text", ["", "3", "in=1", "out=1", "in=1,out=x", "in=1,out=", "in=1,out=-2", "in=1,out=2,up=3"]
)
def test_nonsense_is_told_with_the_form(text: str) -> None:
    with pytest.raises(UsageError, match=r"--price .*write it like in=0.15,out=0.6"):
        Price.parse(text)


@pytest.mark.parametrize("text", ["in=1,in=2,out=1", "in=1,out=nan", "in=inf,out=1"])
def test_what_cannot_be_meant_is_refused(text: str) -> None:
    with pytest.raises(UsageError):
        Price.parse(text)


@pytest.mark.parametrize(
    ("provider", "name", "same"),
    [
        ("openai", "gpt-4o-mini-2024-07-18", "gpt-4o-mini"),
        ("openai", "gpt-4o-2024-08-06", "gpt-4o"),
        ("openai", "gpt-5-2025-08-07", "gpt-5"),
        ("anthropic", "claude-sonnet-4-20250514", "claude-sonnet-4"),
        ("anthropic", "claude-sonnet-4-5-20250929", "claude-sonnet-4-5"),
        ("anthropic", "claude-3-5-haiku-latest", "claude-3-5-haiku"),
        ("gemini", "gemini-2.0-flash-001", "gemini-2.0-flash"),
    ],
)
def test_a_snapshot_costs_what_its_model_costs(provider: str, name: str, same: str) -> None:
    assert published_price(provider, name) == published_price(provider, same) is not None


def test_a_snapshot_with_a_price_of_its_own_keeps_it() -> None:
    first = published_price("openai", "gpt-4o-2024-05-13")
    assert first is not None
    assert first.input == 5.0


@pytest.mark.parametrize(
    ("provider", "name"),
    [
        ("openai", "gpt-4o-audio-preview"),
        ("openai", "gpt-4o-mini-search-preview-2025-03-11"),
        ("openai", "gpt-5-pro"),
        ("openai", "gpt-4"),
        ("openai", "claude-sonnet-4"),
        ("anthropic", "claude-opus-4-9"),
        ("nobody", "gpt-4o"),
    ],
)
def test_a_name_that_only_begins_alike_has_no_price(provider: str, name: str) -> None:
    assert published_price(provider, name) is None


def test_the_table_is_complete_and_plausible() -> None:
    table = prices._table()
    assert table.keys() == {"openai", "anthropic", "gemini"}
    for provider, entry in table.items():
        assert isinstance(entry["date"], date)
        assert len(entry["source"]) > 10
        for name in entry["models"]:
            price = published_price(provider, name)
            assert price is not None
            assert 0 < (price.cached_input or price.input) <= price.input < price.output
            assert price.cached_write is None or price.cached_write >= price.input
            assert re.fullmatch(r"[a-z0-9.-]+", name)


def openai_model(name: str, monkeypatch: pytest.MonkeyPatch, **options: Any) -> OpenAIModel:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    return openai.open_model(name, ModelOptions(**options))


def test_a_published_price_holds_at_the_provider_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    def price(**options: Any) -> Price | None:
        return openai_model("gpt-4o-mini-2024-07-18", monkeypatch, **options).price

    published = published_price("openai", "gpt-4o-mini")
    assert price() == published is not None
    assert price(base_url="https://api.openai.com/v1/") == published
    assert price(base_url="http://localhost:8000/v1") is None
    own = Price(3.0, 4.0)
    assert price(price=own) == price(price=own, base_url="http://localhost:8000/v1") == own


def test_an_openai_reply_says_what_it_cost(monkeypatch: pytest.MonkeyPatch) -> None:
    says = Says("4", input_tokens=1000, output_tokens=100, cached=400, written=300)

    async def cost(price: Price | None) -> float | None:
        with OpenAIDouble(lambda body: says) as double:
            model = openai_model("gpt-4o", monkeypatch, base_url=double.url, price=price)
            reply = await model.ask(PROMPT, Sampling())
            await model.aclose()
            return reply.usage.cost_usd

    price = Price(10.0, 50.0, cached_input=1.0, cached_write=12.5)
    expected = (300 * 10.0 + 400 * 1.0 + 300 * 12.5 + 100 * 50.0) / 1e6
    assert asyncio.run(cost(price)) == pytest.approx(expected)
    assert asyncio.run(cost(None)) is None


def test_models_of_ones_own_cost_nothing(tmp_path: Path) -> None:
    file = tmp_path / "replies.jsonl"
    file.write_text('{"item": "a", "replies": ["4"]}\n')
    replayed = replay.open_model(str(file), ModelOptions())
    inside = embedded.open_model("smollm2-135m", ModelOptions())
    assert (replayed.price, replayed.batches) == (FREE, None)
    assert (inside.price, inside.batches) == (FREE, None)
    asyncio.run(replayed.aclose())
