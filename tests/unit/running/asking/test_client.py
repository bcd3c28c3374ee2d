"""What stands between a question and the model, one thing at a time."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from adjudge.core.prompt import Message, Prompt, Sampling
from adjudge.core.reply import Reply, Usage
from adjudge.errors import ProviderError
from adjudge.models.base import Capabilities, Model
from adjudge.models.prices import Price
from adjudge.running.asking import client as module
from adjudge.running.asking.budget import Budget, Ledger
from adjudge.running.asking.client import ModelClient
from adjudge.running.asking.limits import Limits
from adjudge.running.asking.stop import Draining, Stop
from adjudge.stores import Cost, Granted

PROMPT = Prompt(messages=(Message("user", "word " * 100),), criteria=("c",))


class Answers(Model):
    name = identity = "test/m"
    price = Price(1.0, 10.0)

    def __init__(self, *replies: Reply | Exception) -> None:
        self.capabilities = Capabilities()
        self.replies = list(replies)

    async def ask(self, prompt: Prompt, sampling: Sampling) -> Reply:
        reply = self.replies.pop(0)
        if isinstance(reply, Exception):
            raise reply
        return reply


class Spent(list[Cost]):
    """What a ledger with a large budget was told of."""

    def ledger(self) -> Ledger:
        async def reserve(need: Cost, ahead: Cost, budget: Budget) -> Granted:
            return Granted(need, 1e9, False)

        ledger = Ledger(Budget(tokens=10**9), reserve)
        ledger.tell = lambda cost, _: self.append(cost)
        return ledger


def asked(model: Model, spent: Spent, stop: Stop | None = None) -> Reply:
    async def run() -> Reply:
        limits = Limits(1, stop or Stop())
        client = ModelClient(model, Sampling(max_tokens=500), limits, spent.ledger())
        return (await client.ask(PROMPT, ""))[0]

    return asyncio.run(run())


def test_a_model_of_another_package_that_counts_oddly() -> None:
    """What it says is checked as that of any other, and estimated."""
    spent, odd = Spent(), Usage(input_tokens=-5, output_tokens=2**40, cost_usd=-1.0)
    usage = asked(Answers(Reply(text="word " * 10, usage=odd)), spent).usage
    assert 100 <= usage.input_tokens <= 200
    assert 10 <= usage.output_tokens <= 20
    assert usage.cost_usd == pytest.approx((usage.input_tokens + 10 * usage.output_tokens) / 1e6)
    assert spent == [Cost(usage.input_tokens + 500, spent[0].usd)]  # the most that it can have cost


def test_a_request_that_a_wish_to_stop_kept_back_costs_nothing() -> None:
    stop, spent = Stop(), Spent()
    stop.ask()
    with pytest.raises(Draining):
        asked(Answers(Reply(text="4")), spent, stop)
    assert spent == []


@pytest.mark.parametrize(("sent", "billed"), [(True, 1), (False, 0)])
def test_a_request_that_was_lost(sent: bool, billed: int) -> None:
    spent = Spent()
    with pytest.raises(ProviderError):
        asked(Answers(ProviderError("gone", sent=sent)), spent)
    assert len(spent) == billed


def test_a_text_without_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """Asked again; the first one was worked on, and counts."""
    monkeypatch.setattr(module, "_LONGEST_TEXT", 10)
    usage: Any = Usage(input_tokens=100, output_tokens=1)
    spent = Spent()
    model = Answers(Reply(text="x" * 11, usage=usage), Reply(text="4", usage=usage))
    assert asked(model, spent).text == "4"
    assert len(spent) == 2
    assert spent[0].tokens > 500
    assert spent[1].tokens == 101
