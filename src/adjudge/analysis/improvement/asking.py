"""Who is asked on behalf of a search: the judge's model about items, the writer about guides. One
budget covers both, and what is needed to judge the held-out items at the end is set aside."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import reduce
from typing import Any

from adjudge.core.item import Item
from adjudge.core.judge import Judge
from adjudge.core.prompt import Prompt
from adjudge.core.verdict import Verdict
from adjudge.judges import renderer_for
from adjudge.models import Model
from adjudge.reading.json import find_objects
from adjudge.running import (
    Budget,
    Limits,
    RunOptions,
    SingleItemJudge,
    budget_of,
    reply_cache,
    reply_pace,
)
from adjudge.running.asking.budget import BudgetStopped, Ledger, most_it_can_cost
from adjudge.running.asking.cache import ReplyCache
from adjudge.running.asking.client import ModelClient
from adjudge.running.asking.stop import Draining, Stop
from adjudge.running.asking.tokens import TokenGuess
from adjudge.running.one import gather
from adjudge.running.recording import Recording
from adjudge.stores import Cost, Granted, Store


@dataclass
class SearchBudget:
    """A budget in memory. `aside` is kept back from whoever asks."""

    budget: Budget | None
    aside: Cost = field(default_factory=Cost)
    spent: Cost = field(default_factory=Cost)
    _reserved: Cost = field(default_factory=Cost)
    _ledger: Ledger | None = None

    def ledger(self, aside: Cost) -> Ledger:
        """For those who spend from now on; one that is used up stays so, others may go on. What the
        last one was granted and did not spend is there again: nothing may be under way."""
        if self._ledger is not None:
            self._ledger.tell = None
        self.aside, self._reserved = aside, Cost()
        self._ledger = made = Ledger(self.budget, self._grant)
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


@dataclass(frozen=True, slots=True)
class Foreseen:
    """Calls that judging will take, about what they cost, and the most that one of them can: a call
    is made only where the budget has that much left."""

    calls: int
    cost: Cost
    one_call: Cost


@dataclass(frozen=True, slots=True)
class Asking:
    """Who judges and who writes, and how they are asked. `recording` is a file that replies go to
    or come from."""

    model: Model
    writer: Model
    options: RunOptions
    recording: Recording | None = None


class Asker:
    """Judges items with any judge, and asks the writer. Replies are kept and looked up in the store
    where there is one: the same search again asks nothing.

    `earlier` are verdicts of the same judge and model, which tell how long replies are until this
    search has some of its own.
    """

    def __init__(self, asking: Asking, secret: bytes, earlier: Sequence[Verdict] = ()) -> None:
        self.model, self.writer, options = asking.model, asking.writer, asking.options
        self.secret, self.options, self._recording = secret, options, asking.recording
        self.money = SearchBudget(budget_of(options, (self.model, self.writer)))
        self.renew(Cost())
        self.stop = Stop()
        self.calls = 0
        self.caches: dict[str, ReplyCache] = {}
        self._limits: Mapping[str, Limits] = {
            model.name: self._limit(model) for model in (self.model, self.writer)
        }
        self._judged: dict[tuple[str, str], Verdict] = {}
        self._earlier = earlier

    def _limit(self, model: Model) -> Limits:
        most = self.options.concurrency
        return Limits(
            min(most, model.capabilities.concurrency or most),
            self.stop,
            requests_a_minute=self.options.rpm,
            tokens_a_minute=self.options.tpm,
        )

    def _equip(self, client: ModelClient) -> ModelClient:
        client.cache = self.caches.get(client.model.name)
        client.recording, client.offline = self._recording, bool(self.options.offline)
        return client

    def renew(self, aside: Cost) -> None:
        """A new phase, in which all of the budget may be spent but what is set aside."""
        self.ledger = self.money.ledger(aside)

    @property
    def used_up(self) -> bool:
        return self.ledger.used_up

    async def judge(self, judge: Judge, items: Sequence[Item]) -> list[Verdict]:
        """What the judge says of each; nothing is asked twice. After a first Ctrl-C it waits for
        the requests under way, so that their replies are kept, and raises Draining."""
        known, own = self._judged, judge.fingerprint
        missing = {item.id: item for item in items if (own, item.id) not in known}
        limits = self._limits[self.model.name]
        judging = SingleItemJudge(judge, self.model, limits, self.options, self.secret, self.ledger)
        self._equip(judging.client)

        async def judged(item: Item) -> None:
            with suppress(Draining):
                known[own, item.id] = verdict = await judging.judge(item)
                self.calls += verdict.attempts

        await gather(map(judged, missing.values()))
        self.stop.check()
        verdicts = [known[own, item.id] for item in items]
        for verdict in verdicts:
            if verdict.outcome == "budget_stopped":
                known.pop((own, verdict.item), None)  # there may be money for it later
        return verdicts

    def foreseen(self, judge: Judge, items: Sequence[Item]) -> Foreseen:
        """As the forecast of a run counts it: prompts as they are, replies as long as earlier ones
        of the judge, or by its rule of thumb."""
        renderer = renderer_for(judge, self.secret, self.model.capabilities.profile)
        guess = TokenGuess(self.model.capabilities.bytes_per_token)
        sizes = [guess.rough(prompt) for item in items for prompt in renderer.prompts(item)]
        own = [verdict for verdict in self._judged.values() if verdict.attempts]
        reply = min(round(reply_pace(judge, own or self._earlier).tokens), self.options.max_tokens)
        costs = [most_it_can_cost(self.model.price, size, reply) for size in sizes]
        longest = guess.longest_reply(self.options.max_tokens)
        most = most_it_can_cost(self.model.price, max(sizes, default=0), longest)
        return Foreseen(len(sizes), reduce(Cost.plus, costs, Cost()), most)

    async def write(self, prompt: Prompt) -> Mapping[str, Any] | None:
        """The object in the writer's reply; None where there is none, or no money for it."""
        sampling = replace(self.options.sampling, temperature=1.0, seed=prompt.sample)
        limits = self._limits[self.writer.name]
        client = self._equip(ModelClient(self.writer, sampling, limits, self.ledger))
        key = client.key(prompt) if client.cache is not None else ""
        try:
            reply, attempts = await client.ask(prompt, key)
        except BudgetStopped:
            return None
        self.calls += attempts
        objects = find_objects(reply.text, repair=True)
        return objects[0].obj if objects else None


@asynccontextmanager
async def asker(judge: str, asking: Asking, store: Store) -> AsyncIterator[Asker]:
    """With the replies of the store, unless the options say otherwise. What was recorded is written
    to its file at the end, however that comes."""
    made = Asker(asking, store.secret, store.verdicts.recent(judge, asking.model.name))
    async with AsyncExitStack() as stack:
        for model in (asking.model, asking.writer):
            kept = model.capabilities.cached and not asking.options.no_cache
            if kept and model.name not in made.caches:
                opened = reply_cache(store, model, made.stop)
                made.caches[model.name] = await stack.enter_async_context(opened)
        if asking.recording is not None:
            stack.callback(asking.recording.save, replaces=False)
        yield made
