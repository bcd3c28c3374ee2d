from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adjudge.core.reason import Reason
from adjudge.core.reply import Usage
from adjudge.errors import UsageError
from adjudge.models.prices import Price
from adjudge.running.asking import budget
from adjudge.running.asking.budget import (
    Budget,
    BudgetStopped,
    Ledger,
    cost_of,
    most_it_can_cost,
)
from adjudge.stores import Cost, Granted


@pytest.mark.parametrize(
    ("text", "usd", "tokens"),
    [
        ("5usd", 5.0, None),
        ("0.5 USD", 0.5, None),
        ("$2.50", 2.5, None),
        ("3$", 3.0, None),
        ("2Mtok", None, 2_000_000),
        ("500ktok", None, 500_000),
        ("1.5M tokens", None, 1_500_000),
        ("100_000tok", None, 100_000),
    ],
)
def test_written(text: str, usd: float | None, tokens: int | None) -> None:
    assert Budget.parse(text) == Budget(usd, tokens)


@pytest.mark.parametrize("text", ["", "5", "usd", "-1usd", "0usd", "5eur", "fivetok", "5 5usd"])
def test_nonsense(text: str) -> None:
    with pytest.raises(UsageError, match="5usd or 2Mtok"):
        Budget.parse(text)


class Store:
    """Keeps a budget for several ledgers, as stores do: `counted` is spent or reserved."""

    def __init__(self, budget: Budget) -> None:
        self.budget, self.asked = budget, 0
        self.spent = Cost()
        self.held: dict[int, Cost] = {}

    def ledger(self, **options: Any) -> Ledger:
        who = len(self.held)
        self.held[who] = Cost()

        async def reserve(need: Cost, ahead: Cost, budget: Budget) -> Granted:
            self.asked += 1
            await asyncio.sleep(0)
            left, others = self._left(), [each for n, each in self.held.items() if n != who]
            if self._size(need) > left:
                return Granted(None, left, any(map(any, others)))
            spare = (left - self._size(need)) / 16
            more = ahead if self._size(ahead) <= spare else Cost()
            self.held[who] = self.held[who].plus(need).plus(more)
            return Granted(need.plus(more), left, False)

        def tell(cost: Cost, of_reserved: Cost) -> None:
            self.spent = self.spent.plus(cost)
            self.held[who] = self.held[who].less(of_reserved)

        async def pause(_: float) -> None:
            await asyncio.sleep(0.001)

        ledger = Ledger(self.budget, reserve, **({"pause": pause} | options))
        ledger.tell = tell
        return ledger

    def _size(self, cost: Cost) -> float:
        return cost.tokens if self.budget.tokens is not None else cost.usd

    def _left(self) -> float:
        counted = self.spent
        for each in self.held.values():
            counted = counted.plus(each)
        whole = self.budget.usd if self.budget.tokens is None else self.budget.tokens
        return (whole or 0.0) - self._size(counted)


def tokens(most: int) -> Ledger:
    return Store(Budget(tokens=most)).ledger()


def test_without_a_budget_nothing_waits_and_nothing_is_reserved() -> None:
    async def main() -> None:
        ledger = Ledger()
        for _ in range(3):
            ledger.settle(await ledger.reserve(Cost(10**9, 10**9)), Cost(10**9))

    asyncio.run(main())


def test_waits_for_what_others_leave_over() -> None:
    async def main() -> None:
        ledger = tokens(100)
        first = await ledger.reserve(Cost(80))
        second = asyncio.create_task(ledger.reserve(Cost(60)))
        await asyncio.sleep(0.01)
        assert not second.done()  # 80 + 60 might be too much
        ledger.settle(first, Cost(30))
        await asyncio.wait_for(second, 1)
        assert not ledger.used_up

    asyncio.run(main())


def test_used_up_stays_used_up() -> None:
    async def main() -> None:
        ledger = tokens(100)
        ledger.settle(await ledger.reserve(Cost(80)), Cost(70))
        with pytest.raises(BudgetStopped, match="the budget of 100 tokens is used up"):
            await ledger.reserve(Cost(40))
        assert ledger.used_up
        with pytest.raises(BudgetStopped):  # though this one would fit: rows stop in order
            await ledger.reserve(Cost(1))

    asyncio.run(main())


def test_those_that_wait_are_told() -> None:
    async def main() -> None:
        ledger = tokens(100)
        first = await ledger.reserve(Cost(90))
        waiting = [asyncio.create_task(ledger.reserve(Cost(50))) for _ in range(3)]
        await asyncio.sleep(0.01)
        ledger.settle(first, Cost(90))
        done = await asyncio.wait_for(asyncio.gather(*waiting, return_exceptions=True), 1)
        assert all(isinstance(each, BudgetStopped) for each in done)

    asyncio.run(main())


def test_what_the_store_counts_is_not_there() -> None:
    """Earlier sessions, and those who died with requests under way."""

    async def main() -> None:
        store = Store(Budget(usd=1.0))
        store.spent, store.held[99] = Cost(0, 0.4), Cost(0, 0.3)
        ledger = store.ledger()
        store.held.pop(99)
        store.spent = Cost(0, 0.8)
        ledger.settle(await ledger.reserve(Cost(0, 0.1)), Cost(0, 0.1))
        with pytest.raises(BudgetStopped):
            await ledger.reserve(Cost(0, 0.2))

    asyncio.run(main())


def test_the_store_is_asked_now_and_then_only() -> None:
    """What requests leave over serves the next ones."""

    async def main() -> None:
        store = Store(Budget(tokens=10**9))
        ledger = store.ledger(at_once=8)

        async def worker() -> None:
            for _ in range(100):
                ticket = await ledger.reserve(Cost(1000))
                await asyncio.sleep(0)
                ledger.settle(ticket, Cost(100))

        await asyncio.gather(*(worker() for _ in range(8)))
        assert store.spent == Cost(80_000)
        assert store.asked < 30

    asyncio.run(main())


def test_one_that_costs_more_than_was_reserved() -> None:
    """It is paid for out of what is there, and the next one is reserved in full all the same."""

    async def main() -> None:
        store = Store(Budget(tokens=1000))
        ledger = store.ledger()
        first = await ledger.reserve(Cost(100))
        ledger.settle(first, Cost(460))
        assert await ledger.reserve(Cost(100))
        assert store.spent == Cost(460)
        assert sum(each.tokens for each in store.held.values()) >= 100

    asyncio.run(main())


def test_what_nobody_uses_goes_back(monkeypatch: pytest.MonkeyPatch) -> None:
    """Another process may wait for it, and this one for that."""
    monkeypatch.setattr(budget, "_IDLE", 0.01)

    async def main() -> None:
        store = Store(Budget(tokens=100))
        idle, other = store.ledger(), store.ledger()
        idle.settle(await idle.reserve(Cost(90)), Cost(10))
        ticket = await asyncio.wait_for(other.reserve(Cost(85)), 2)
        other.settle(ticket, Cost(5))
        assert store.spent == Cost(15)
        with pytest.raises(BudgetStopped):
            await asyncio.wait_for(idle.reserve(Cost(95)), 2)

    asyncio.run(main())


def test_two_that_wait_for_each_other_both_end() -> None:
    async def main() -> None:
        store = Store(Budget(tokens=100))
        both = [store.ledger(), store.ledger()]
        for ledger in both:
            ledger.settle(await ledger.reserve(Cost(40)), Cost(10))
        asked = [asyncio.create_task(ledger.reserve(Cost(90))) for ledger in both]
        found = await asyncio.wait_for(asyncio.gather(*asked, return_exceptions=True), 5)
        assert all(isinstance(each, BudgetStopped) for each in found)

    asyncio.run(main())


def test_what_is_handed_over_is_not_ours_any_more() -> None:
    async def main() -> None:
        store = Store(Budget(tokens=1000))
        ledger = store.ledger()
        ledger.settle(await ledger.reserve(Cost(100)), Cost(50))
        tickets = [await ledger.reserve_now(Cost(100)) for _ in range(3)]
        assert None not in tickets
        assert ledger.hand_over(filter(None, tickets)) == Cost(300)
        ledger.settle(None, Cost(70))  # of what was handed over: nothing of ours is gone with it
        assert ledger.allowance == Cost(50 - 50 + 0)

    asyncio.run(main())


_REQUESTS = st.lists(st.tuples(st.integers(1, 60), st.integers(0, 60)), min_size=1)


@given(_REQUESTS, st.integers(1, 300), st.integers(1, 3))
@settings(deadline=None)
def test_law_never_above(requests: list[tuple[int, int]], cap: int, ledgers: int) -> None:
    """Whatever is asked at once, by however many, and whatever it costs in the end, up to what was
    reserved. A ledger that dies leaves what it holds."""

    async def ask(ledger: Ledger, most: int, cost: int) -> None:
        try:
            ticket = await ledger.reserve(Cost(most))
        except BudgetStopped:
            return
        await asyncio.sleep(0)
        ledger.settle(ticket, Cost(min(most, cost)))

    async def main() -> int:
        store = Store(Budget(tokens=cap))
        all_of = [store.ledger(at_once=4) for _ in range(ledgers)]
        work = [ask(all_of[n % ledgers], *each) for n, each in enumerate(requests)]
        await asyncio.wait_for(asyncio.gather(*work), 20)
        return store.spent.tokens

    with patch.object(budget, "_IDLE", 0.002):  # what others hold is waited for that long
        assert asyncio.run(main()) <= cap


def test_an_unknown_price_counts_as_the_most() -> None:
    most = most_it_can_cost(Price(1.0, 2.0), 1_000_000, 500_000)
    assert most == Cost(1_500_000, 2.0)
    assert most_it_can_cost(Price(1.0, 2.0), 1_000_000, 500_000, batch=True).usd == 1.0
    usage = Usage(input_tokens=10, output_tokens=5, cost_usd=None)
    assert cost_of(usage, most) == Cost(15, 2.0)


def test_what_is_in_doubt_counts_as_the_most() -> None:
    most = Cost(500, 2.0)
    doubtful = Usage(
        input_tokens=10, output_tokens=5, cost_usd=0.1, doubts=(Reason.of("usage: …"),)
    )
    assert cost_of(doubtful, most) == most
    assert cost_of(replace(doubtful, output_tokens=900, cost_usd=3.0), most) == Cost(910, 3.0)
    assert cost_of(Usage(), Cost(500, 0.0)) == Cost()  # a model that costs nothing, uncounted
