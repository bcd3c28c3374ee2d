"""Who is asked on behalf of a search: the judge's model about items, the writer about guides. One
budget covers both, and what is needed to judge the held-out items at the end is set aside."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import Any

from adjudge.core.item import Item
from adjudge.core.judge import Judge
from adjudge.core.prompt import Prompt
from adjudge.core.verdict import Verdict
from adjudge.judges import renderer_for
from adjudge.models import Model
from adjudge.reading.json import find_objects
from adjudge.running import Budget, Limits, RunOptions, SingleItemJudge, limits_of, reply_cache
from adjudge.running.asking.budget import BudgetStopped, Ledger, most_it_can_cost
from adjudge.running.asking.cache import ReplyCache
from adjudge.running.asking.client import ModelClient
from adjudge.running.asking.tokens import TokenGuess
from adjudge.running.one import gather
from adjudge.stores import Cost, Granted, Store

_REPLY = 300  # tokens of a usual reply


@dataclass
class SearchBudget:
    """A budget in memory. `aside` is kept back from whoever asks."""

    budget: Budget | None
    aside: Cost = field(default_factory=Cost)
    spent: Cost = field(default_factory=Cost)
    _reserved: Cost = field(default_factory=Cost)

    def ledger(self) -> Ledger:
        """For those who spend from now on; one that is used up stays so, others may go on."""
        made = Ledger(self.budget, self._grant)
        made.tell = self._told
        return made

    async def _grant(self, need: Cost, ahead: Cost, budget: Budget) -> Granted:  # noqa: ARG002
        held = self.spent.plus(self._reserved).plus(self.aside)
        whole = Cost(budget.tokens or 0, budget.usd or 0.0)
        left = whole.less(held)
        if not budget.covers(held.plus(need)):
            return Granted(None, float(left.tokens if budget.tokens else left.usd), False)
        self._reserved = self._reserved.plus(need)
        return Granted(need, 0.0, False)

    def _told(self, cost: Cost, of_allowance: Cost) -> None:
        self.spent = self.spent.plus(cost)
        self._reserved = self._reserved.less(of_allowance)


class Asker:
    """Judges items with any judge, and asks the writer. Replies are kept and looked up in the store
    where there is one: the same search again asks nothing."""

    def __init__(
        self,
        models: tuple[Model, Model],
        options: RunOptions,
        caches: Mapping[str, ReplyCache | None],
        secret: bytes,
    ) -> None:
        self.model, self.writer = models
        self.secret, self.options = secret, options
        self.money = SearchBudget(Budget.parse(options.budget) if options.budget else None)
        self.ledger = self.money.ledger()
        self.calls = 0
        self._limits: Mapping[str, Limits] = {
            model.name: limits_of(model, options.concurrency) for model in models
        }
        self._caches = caches
        self._judged: dict[tuple[str, str], Verdict] = {}

    def renew(self) -> None:
        """A new phase: what was set aside is there for it."""
        self.money.aside = Cost()
        self.ledger = self.money.ledger()

    @property
    def used_up(self) -> bool:
        return self.ledger.used_up

    async def judge(self, judge: Judge, items: Sequence[Item]) -> list[Verdict]:
        """What the judge says of each; nothing is asked twice."""
        missing = [item for item in items if (judge.fingerprint, item.id) not in self._judged]
        if missing:
            limits = self._limits[self.model.name]
            judging = SingleItemJudge(
                judge, self.model, limits, self.options, self.secret, self.ledger
            )
            judging.client.cache = self._caches.get(self.model.name)
            verdicts = await gather(judging.judge(item) for item in missing)
            for item, verdict in zip(missing, verdicts, strict=True):
                self.calls += verdict.attempts
                if verdict.outcome != "budget_stopped":
                    self._judged[judge.fingerprint, item.id] = verdict
                else:
                    self._judged.setdefault((judge.fingerprint, item.id), verdict)
        return [self._judged[judge.fingerprint, item.id] for item in items]

    def foreseen(self, judge: Judge, items: Sequence[Item], times: float = 1.0) -> Cost:
        """About what judging these items costs, and on top the most that one call can: a call is
        made only where the budget has that much left."""
        renderer = renderer_for(judge, self.secret, self.model.capabilities.profile)
        guess = TokenGuess(self.model.capabilities.bytes_per_token)
        price, total, longest = self.model.price, Cost(), 0
        for item in items:
            for prompt in renderer.prompts(item):
                rough = guess.rough(prompt)
                longest = max(longest, rough)
                total = total.plus(most_it_can_cost(price, rough, _REPLY))
        longest_reply = guess.longest_reply(self.options.max_tokens)
        return total.times(times).plus(most_it_can_cost(price, longest, longest_reply))

    async def write(self, prompt: Prompt) -> Mapping[str, Any] | None:
        """The object in the writer's reply; None where there is none, or no money for it."""
        sampling = replace(self.options.sampling, temperature=1.0, seed=prompt.sample)
        client = ModelClient(self.writer, sampling, self._limits[self.writer.name], self.ledger)
        client.cache = self._caches.get(self.writer.name)
        client.offline = bool(self.options.offline)
        key = client.key(prompt) if client.cache is not None else ""
        try:
            reply, attempts = await client.ask(prompt, key)
        except BudgetStopped:
            return None
        self.calls += attempts
        objects = find_objects(reply.text, repair=True)
        return objects[0].obj if objects else None


@asynccontextmanager
async def asker(
    models: tuple[Model, Model], options: RunOptions, store: Store
) -> AsyncIterator[Asker]:
    """With the replies of the store, unless the options say otherwise."""
    async with AsyncExitStack() as stack:
        caches: dict[str, ReplyCache | None] = {}
        for model in models:
            if model.capabilities.cached and not options.no_cache and model.name not in caches:
                stop = limits_of(model, 1).stop
                opened = reply_cache(store, model, stop)
                caches[model.name] = await stack.enter_async_context(opened)
        yield Asker(models, options, caches, store.secret)
