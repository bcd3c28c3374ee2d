"""The most that a run may spend, counted before it is spent."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from math import inf
from typing import Protocol

from adjudge.core.reason import Reason
from adjudge.core.reply import Usage
from adjudge.errors import AdjudgeError, StoreError, UsageError
from adjudge.models import Price
from adjudge.stores import NOTHING, Cost, Granted

_WRITTEN = re.compile(
    r"\$?\s*(\d[\d_]*(?:\.\d+)?)\s*([kMG]?)\s*(usd|tok|tokens|\$)?", re.IGNORECASE
)
_LOOK_AGAIN = 0.25  # seconds until other processes may have left something over
_IDLE = 1.0  # seconds without a request
_TIMES = {"": 1, "k": 1_000, "m": 1_000_000, "g": 1_000_000_000}


class BudgetStopped(AdjudgeError):  # noqa: N818 - says what is the case
    """A request was not made since it might cost more than the budget has left."""


@dataclass(frozen=True, slots=True)
class Budget:
    """So many US dollars, or so many tokens in and out together; the other one is None."""

    usd: float | None = None
    tokens: int | None = None

    @classmethod
    def parse(cls, text: str) -> Budget:
        """From "5usd", "$0.50", "2Mtok", "500ktok"."""
        match = _WRITTEN.fullmatch(text.strip())
        unit = "usd" if text.strip().startswith("$") else ((match and match[3]) or "").lower()
        if not match or not unit or float(match[1].replace("_", "")) <= 0:
            raise UsageError(Reason("form.budget", text=text))
        amount = float(match[1].replace("_", "")) * _TIMES[match[2].lower()]
        return cls(usd=amount) if unit in ("usd", "$") else cls(tokens=round(amount))

    @property
    def doubled(self) -> str:
        """Twice as much, as `parse` reads it."""
        return f"{2 * self.usd:.10g}usd" if self.usd is not None else f"{2 * (self.tokens or 0)}tok"

    def __str__(self) -> str:
        return f"${self.usd:g}" if self.usd is not None else f"{self.tokens:,} tokens"

    def covers(self, cost: Cost) -> bool:
        """Whether it would pay that much if nothing were spent yet."""
        if self.tokens is not None:
            return cost.tokens <= self.tokens
        return cost.usd <= (self.usd or 0.0)

    def shown(self, cost: Cost) -> str:
        """A cost in the unit of the budget."""
        return f"{cost.tokens:,} tokens" if self.tokens is not None else f"${cost.usd:.2g}"


def cost_of(usage: Usage, most: Cost) -> Cost:
    """What a reply cost; where that is not known or doubtful, the most that it can have."""
    tokens = usage.input_tokens + usage.output_tokens
    if usage.doubts:
        return Cost(max(tokens, most.tokens), max(usage.cost_usd or 0.0, most.usd))
    if not tokens and (most.usd or usage.cost_usd is None):
        return most  # a server that does not count tokens
    return Cost(tokens, most.usd if usage.cost_usd is None else usage.cost_usd)


class Ticket:
    """A request under way, and the most that it can cost."""

    __slots__ = ("most",)

    def __init__(self, most: Cost) -> None:
        self.most = most


class Reserve(Protocol):
    """Where a budget is kept that several processes share: see `Reservations.take`."""

    async def __call__(self, need: Cost, ahead: Cost, budget: Budget) -> Granted: ...


class Ledger:
    """What a run's requests may cost, reserved in the store before they are sent.

    A request is made only when it fits even if it costs the most that it can; with others under way
    it waits for what they leave over, and so it does for other processes. The first one goes alone:
    its answer shows how many tokens the model makes of a prompt, which was a guess until then. Once
    one does not fit with nothing under way, the budget is used up, and stays so.

    What the store has granted is `allowance`. It serves many requests, since most cost far less
    than they might: what a request leaves over is the next one's. `at_once` requests are reserved
    ahead. Allowance that nobody uses goes back, so that other processes can have it. `tell` hears
    what was spent, and how much of the allowance is gone. Without a budget this costs nothing.
    """

    def __init__(
        self,
        budget: Budget | None = None,
        reserve: Reserve | None = None,
        *,
        at_once: int = 1,
        pause: Callable[[float], Awaitable[object]] = asyncio.sleep,
    ) -> None:
        self.budget, self._reserve, self._at_once = budget, reserve, at_once
        self.used_up = False
        self.tell: Callable[[Cost, Cost], None] | None = None
        self.allowance = Cost()
        self._held = Cost()  # the most that all under way can cost
        self._under_way = self._begun = 0
        self._counted = self._shared = False
        self._left = inf  # of the budget in the store, when that last had too little
        self._pause = pause
        self._change = asyncio.Event()
        self._asking = asyncio.Lock()

    @property
    def unused(self) -> bool:
        """Whether no request was made yet."""
        return not self._begun

    async def reserve(self, most: Cost) -> Ticket:
        """A ticket for `settle`; BudgetStopped when there is not enough left."""
        while (ticket := await self.reserve_now(most, self._at_once - 1)) is None:
            if self._under_way and not self.used_up:
                self._change.clear()
                await self._change.wait()
            elif self._shared and not self.used_up:
                self._leave_to_others(self._begun)
                await self._pause(_LOOK_AGAIN)
            else:
                self.used_up = True
                self._change.set()
                raise BudgetStopped(Reason("budget_used_up", budget=str(self.budget)))
        return ticket

    async def reserve_now(self, most: Cost, ahead: int = 0) -> Ticket | None:
        """The same without waiting for others: None if it does not fit just now.

        The store is asked for `ahead` further ones like this at the same time.
        """
        if self.budget is None:
            return Ticket(most)
        if ticket := self._take(most):
            return ticket
        async with self._asking:  # the next one finds what this one leaves
            ticket = self._take(most)
            if not ticket and self._may_begin() and self._lacks(most) <= self._left:
                await self._ask_for(most, ahead)
                ticket = self._take(most)
        return ticket

    def settle(self, ticket: Ticket | None, cost: Cost) -> None:
        """What it cost in the end takes the place of what it might have cost.

        Without a ticket, it was spent on something that is not reserved here.
        """
        of_allowance = NOTHING
        if ticket is not None and self.budget is not None:
            before = self.allowance
            self.allowance = before.less(cost)
            of_allowance = before.less(self.allowance)
            self._end(ticket)
        self._counted |= cost.tokens > 0
        self._change.set()
        if self.tell and (cost.tokens or cost.usd):
            self.tell(cost, of_allowance)

    def hand_over(self, tickets: Iterable[Ticket]) -> Cost:
        """These reservations now belong to another owner; returns their sum."""
        total = Cost()
        for ticket in tickets:
            total = total.plus(ticket.most)
            self._end(ticket)
        self.allowance = self.allowance.less(total)
        return total

    def renew(self) -> None:
        """The store may have more again."""
        self._left = inf

    def _may_begin(self) -> bool:
        return not self.used_up and (self._counted or not self._under_way)

    def _take(self, most: Cost) -> Ticket | None:
        if not self._may_begin() or self._lacks(most) > 0:
            return None
        self._held = self._held.plus(most)
        self._under_way += 1
        self._begun += 1
        return Ticket(most)

    def _end(self, ticket: Ticket) -> None:
        self._under_way -= 1
        # Sums of fractions do not end at exactly 0.
        self._held = self._held.less(ticket.most) if self._under_way else Cost()
        if not self._under_way:
            later = asyncio.get_running_loop().call_later
            later(_IDLE, self._leave_to_others, self._begun)

    def _lacks(self, most: Cost) -> float:
        """What the allowance lacks for it, in the budget's unit."""
        if self.budget is not None and self.budget.tokens is not None:
            return self._held.tokens + most.tokens - self.allowance.tokens
        return self._held.usd + most.usd - self.allowance.usd

    async def _ask_for(self, most: Cost, ahead: int) -> None:
        if self._reserve is None or self.budget is None:
            raise AssertionError("a budget needs somebody who keeps it")
        need = self._held.plus(most).less(self.allowance)
        granted, left, self._shared = await self._reserve(need, most.times(ahead), self.budget)
        # Where nobody else has any of it, the store will not have more later on.
        self._left = inf if granted or self._shared else left
        if granted:
            self.allowance = self.allowance.plus(granted)

    def _leave_to_others(self, begun: int) -> None:
        """Unless a request began since then: what is too little for us may be enough for them."""
        idle = self.allowance
        if begun == self._begun and self.tell and any(idle):
            self.allowance = Cost()
            self.renew()
            with suppress(StoreError):  # those who ask next hear of it
                self.tell(Cost(), idle)


def most_it_can_cost(
    price: Price | None, tokens_in: int, tokens_out: int, *, batch: bool = False
) -> Cost:
    """With nothing read from the provider's cache, and all written to it where that costs more."""
    usage = Usage(input_tokens=tokens_in, output_tokens=tokens_out)
    usd = max(price.cost(usage, batch=batch, written=n) for n in (0, tokens_in)) if price else 0.0
    return Cost(tokens_in + tokens_out, usd)
