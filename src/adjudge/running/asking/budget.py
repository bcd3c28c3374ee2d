"""A hard cap on what a run may spend, counted before it is spent."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from adjudge.core.reply import Usage
from adjudge.errors import AdjudgeError, UsageError
from adjudge.models.prices import Price

_WRITTEN = re.compile(
    r"\$?\s*(\d[\d_]*(?:\.\d+)?)\s*([kMG]?)\s*(usd|tok|tokens|\$)?", re.IGNORECASE
)
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
        found = _WRITTEN.fullmatch(text.strip())
        unit = "usd" if text.strip().startswith("$") else ((found and found[3]) or "").lower()
        if not found or not unit or float(found[1].replace("_", "")) <= 0:
            raise UsageError(f"--budget {text}: write it like 5usd or 2Mtok.")
        amount = float(found[1].replace("_", "")) * _TIMES[found[2].lower()]
        return cls(usd=amount) if unit in ("usd", "$") else cls(tokens=round(amount))

    def __str__(self) -> str:
        return f"${self.usd:g}" if self.usd is not None else f"{self.tokens:,} tokens"


class Cost(NamedTuple):
    tokens: int = 0
    usd: float = 0.0

    @classmethod
    def of(cls, usage: Usage, most: Cost) -> Cost:
        """What a reply cost; where that is not known or doubtful, the most that it can have."""
        if usage.doubts:
            known = usage.input_tokens + usage.output_tokens
            return cls(max(known, most.tokens), max(usage.cost_usd or 0.0, most.usd))
        if not (usage.input_tokens or usage.output_tokens) and (most.usd or usage.cost_usd is None):
            return most  # a server that does not count tokens
        usd = most.usd if usage.cost_usd is None else usage.cost_usd
        return cls(usage.input_tokens + usage.output_tokens, usd)


class Ledger:
    """What a run has spent and what its requests under way may cost at most.

    A request is made only when it fits even if it costs the most that it can; with others under way
    it waits for what they leave over. The first one goes alone: its answer shows how many tokens
    the model makes of a prompt, which was a guess until then. Once one does not fit with nothing
    under way, the budget is used up, and stays so.
    """

    def __init__(
        self, budget: Budget | None = None, tell: Callable[[int, float], None] | None = None
    ) -> None:
        self.budget = budget
        self.used_up = False
        self.tell = tell
        self._before = Cost()
        self._spent = Cost()
        self._reserved: dict[object, Cost] = {}
        self._counted = False
        self._change = asyncio.Event()

    def start_at(self, tokens: int, usd: float) -> None:
        """What the run had spent in earlier sessions."""
        self._before = Cost(tokens, usd)

    def heard(self, tokens: int, usd: float) -> None:
        """The sum over all processes of the run, as the store has it; ours may be ahead of it."""
        self._before = Cost(
            max(self._before.tokens, tokens - self._spent.tokens),
            max(self._before.usd, usd - self._spent.usd),
        )

    async def reserve(self, most: Cost) -> object:
        """A ticket for `settle`; BudgetStopped when there is not enough left."""
        while (ticket := self.reserve_now(most)) is None:
            if self.used_up or not self._reserved:
                self.used_up = True
                self._change.set()
                raise BudgetStopped(f"the budget of {self.budget} is used up")
            self._change.clear()
            await self._change.wait()
        return ticket

    def reserve_now(self, most: Cost) -> object | None:
        """The same without waiting: None when it does not fit just now."""
        if not self._fits(most):
            return None
        ticket = object()
        if self.budget:
            self._reserved[ticket] = most
        return ticket

    def settle(self, ticket: object, cost: Cost) -> None:
        """What it cost in the end takes the place of what it might have cost."""
        self._reserved.pop(ticket, None)
        self._counted |= cost.tokens > 0
        self._spent = Cost(self._spent.tokens + cost.tokens, self._spent.usd + cost.usd)
        self._change.set()
        if self.tell and (cost.tokens or cost.usd):
            self.tell(cost.tokens, cost.usd)

    def _fits(self, most: Cost) -> bool:
        if self.budget is None:
            return True
        if self.used_up or (self._reserved and not self._counted):
            return False
        all_of = (self._before, self._spent, most, *self._reserved.values())
        if self.budget.tokens is not None:
            return sum(each.tokens for each in all_of) <= self.budget.tokens
        return sum(each.usd for each in all_of) <= (self.budget.usd or 0.0)


def most_it_can_cost(
    price: Price | None, tokens_in: int, tokens_out: int, *, batch: bool = False
) -> Cost:
    """With nothing read from the provider's cache, and all written to it where that costs more."""
    usage = Usage(input_tokens=tokens_in, output_tokens=tokens_out)
    usd = max(price.cost(usage, batch=batch, written=n) for n in (0, tokens_in)) if price else 0.0
    return Cost(tokens_in + tokens_out, usd)
