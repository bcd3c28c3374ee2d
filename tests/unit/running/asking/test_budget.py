from __future__ import annotations

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.core.reply import Usage
from adjudge.errors import UsageError
from adjudge.models.prices import Price
from adjudge.running.asking.budget import Budget, BudgetStopped, Cost, Ledger, most_it_can_cost


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


def test_without_a_budget_nothing_waits() -> None:
    async def main() -> None:
        ledger = Ledger()
        for _ in range(3):
            await ledger.reserve(Cost(10**9, 10**9))

    asyncio.run(main())


def test_waits_for_what_others_leave_over() -> None:
    async def main() -> None:
        ledger = Ledger(Budget(tokens=100))
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
        ledger = Ledger(Budget(tokens=100))
        ledger.settle(await ledger.reserve(Cost(80)), Cost(70))
        with pytest.raises(BudgetStopped, match="the budget of 100 tokens is used up"):
            await ledger.reserve(Cost(40))
        assert ledger.used_up
        with pytest.raises(BudgetStopped):  # though this one would fit: rows stop in order
            await ledger.reserve(Cost(1))

    asyncio.run(main())


def test_those_that_wait_are_told() -> None:
    async def main() -> None:
        ledger = Ledger(Budget(tokens=100))
        first = await ledger.reserve(Cost(90))
        waiting = [asyncio.create_task(ledger.reserve(Cost(50))) for _ in range(3)]
        await asyncio.sleep(0.01)
        ledger.settle(first, Cost(90))
        done = await asyncio.wait_for(asyncio.gather(*waiting, return_exceptions=True), 1)
        assert all(isinstance(each, BudgetStopped) for each in done)

    asyncio.run(main())


def test_earlier_sessions_and_other_processes_count() -> None:
    async def main() -> None:
        ledger = Ledger(Budget(usd=1.0))
        ledger.start_at(0, 0.4)
        ledger.settle(await ledger.reserve(Cost(0, 0.1)), Cost(0, 0.1))
        ledger.heard(0, 0.9)  # somebody else spent 0.4 meanwhile
        with pytest.raises(BudgetStopped):
            await ledger.reserve(Cost(0, 0.2))

    asyncio.run(main())


@given(st.lists(st.tuples(st.integers(1, 60), st.integers(0, 60)), min_size=1), st.integers(1, 300))
def test_law_never_above(requests: list[tuple[int, int]], cap: int) -> None:
    """Whatever is asked at once and whatever it costs in the end, up to what was reserved."""

    async def ask(ledger: Ledger, most: int, cost: int) -> int:
        try:
            ticket = await ledger.reserve(Cost(most))
        except BudgetStopped:
            return 0
        await asyncio.sleep(0)
        ledger.settle(ticket, Cost(min(most, cost)))
        return min(most, cost)

    async def main() -> int:
        ledger = Ledger(Budget(tokens=cap))
        return sum(await asyncio.gather(*(ask(ledger, *each) for each in requests)))

    assert asyncio.run(main()) <= cap


def test_an_unknown_price_counts_as_the_most() -> None:
    most = most_it_can_cost(Price(1.0, 2.0), 1_000_000, 500_000)
    assert most == Cost(1_500_000, 2.0)
    assert most_it_can_cost(Price(1.0, 2.0), 1_000_000, 500_000, batch=True).usd == 1.0
    usage = Usage(input_tokens=10, output_tokens=5, cost_usd=None)
    assert Cost.of(usage, most) == Cost(15, 2.0)
