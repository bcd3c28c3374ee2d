"""Whole runs through a provider's batch endpoint, at its lower price.

The requests that nobody has a reply to yet are handed over in batches, and their replies go into
the reply cache. The usual pass over the rows then finds them there; only what a judge asks further
(a repair, another language) is asked directly.
"""

from __future__ import annotations

import secrets
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING

from adjudge.core.prompt import Prompt
from adjudge.core.reason import Reason
from adjudge.core.reply import Reply
from adjudge.errors import ProviderError
from adjudge.judges.first import FIRST, requests
from adjudge.models import BatchState, ProviderBatches
from adjudge.stores import Cost, KeptBatch, KeptReply

from .asking.budget import BudgetStopped, Ticket, cost_of, most_it_can_cost
from .asking.client import ModelClient, endless, no_answer
from .asking.retry import with_retries
from .feed import Work, chunks, ready_prompts

if TYPE_CHECKING:
    from .batch import RunContext

# Smaller than providers allow: what is not handed over yet is held in memory.
_MOST_REQUESTS, _MOST_BYTES = 10_000, 32_000_000
_ROUNDS = 3  # in which the provider did not get to everything
_FIRST_LOOK, _LONGEST_LOOK = 2.0, 60.0  # seconds between two looks at a batch
_RESULTS = 500  # kept at once
_AHEAD = 500  # requests whose cost is reserved at once


@dataclass(slots=True)
class _Load:
    """Requests for one batch: their lines, and what has been reserved for each."""

    lines: list[bytes] = field(default_factory=list)
    size: int = 0
    tickets: dict[str, Ticket] = field(default_factory=dict)

    def full(self, batches: ProviderBatches) -> bool:
        most = min(_MOST_REQUESTS, batches.most_requests)
        return len(self.lines) >= most or self.size >= min(_MOST_BYTES, batches.most_bytes)


class ProviderBatch:
    """The batches of one run and one model."""

    def __init__(
        self,
        context: RunContext,
        client: ModelClient,
        batches: ProviderBatches,
        say: Callable[[str], None],
    ) -> None:
        self._context, self._client, self._batches, self._say = context, client, batches, say
        self._handed_over: set[str] = set()  # requests that a batch has yet to bring a reply to
        self._tried = False
        self.refused: dict[str, ProviderError] = {}

    async def answer(self, *, resumed: bool) -> None:
        """Returns when every request is answered, or has an error in `refused`."""
        await self._settle_open()  # of an earlier session
        failed = 0
        while failed < _ROUNDS:
            self.refused = {key: e for key, e in self.refused.items() if not e.retryable}
            if not await self._hand_over(resumed=resumed):
                break
            await self._settle_open()
            failed += any(error.retryable for error in self.refused.values())

    async def _hand_over(self, *, resumed: bool) -> int:
        """Submits what has no reply; how many requests that were."""
        load, count = _Load(), 0
        async for key, prompt in self._missing(resumed=resumed):
            if not self._tried:
                # Asked directly: what the model refuses of a request's form is known from then on,
                # and not only after a day.
                self._tried = True
                await self._ask(key, prompt)
                count += prompt.order == FIRST  # there is more to ask once it is answered
                continue
            if not await self._add(load, key, prompt):
                break  # the budget: the next round has what is left of it
            if load.full(self._batches):
                count += await self._submit(load)
                load = _Load()
        return count + await self._submit(load)

    async def _missing(self, *, resumed: bool) -> AsyncIterator[tuple[str, Prompt]]:
        batch, store, model = self._context.batch, self._context.store, self._client.model
        for chunk in chunks(batch, store, model, resumed=resumed):
            self._context.stop.check()
            prompts = await self._askable(chunk)
            wanted = [key for key in prompts if key not in self.refused]
            taken = await self._context.recorder.take(wanted)
            for key in wanted:
                if key in taken.ours and key not in self._handed_over:
                    yield key, prompts[key]

    async def _askable(self, chunk: Sequence[Work]) -> dict[str, Prompt]:
        """By their keys, the prompts of rows; where something has to be asked before them and has
        no reply yet, that."""
        key = self._client.key
        first = [key(p) for work in chunk for p in requests(work.prompts) if p.order == FIRST]
        kept = (await self._context.recorder.take(first)).kept if first else {}
        ready = chain.from_iterable(ready_prompts(work.prompts, key, kept) for work in chunk)
        return {key(prompt): prompt for prompt in ready}

    async def _ask(self, key: str, prompt: Prompt) -> None:
        try:
            await self._client.ask(prompt, key)
        except BudgetStopped:
            pass  # the usual pass over the rows says so
        except ProviderError as error:
            if error.fatal:
                raise
            self.refused[key] = error

    async def _add(self, load: _Load, key: str, prompt: Prompt) -> bool:
        """False when the budget has no room for it just now."""
        if key in load.tickets:
            return True  # another row asks the very same
        client = self._client
        try:
            line = self._batches.line(key, prompt, client.sampling.of_sample(prompt.sample))
        except ProviderError as error:
            if error.fatal:
                raise
            self.refused[key] = error
            return True
        tokens = client.guess.of(prompt)
        reply = client.guess.longest_reply(client.sampling.max_tokens)
        most = most_it_can_cost(client.model.price, tokens, reply, batch=True)
        ticket = await self._context.ledger.reserve_now(most, _AHEAD)
        if ticket is None:
            return False
        load.lines.append(line)
        load.size += len(line)
        load.tickets[key] = ticket
        return True

    async def _submit(self, load: _Load) -> int:
        if not load.lines:
            return 0
        self._context.stop.check()
        run, model = self._context.batch.run.id, self._client.model.name
        note = KeptBatch(f"{run}-{secrets.token_hex(4)}", run, model, len(load.lines))
        recorder = self._context.recorder
        if self._context.ledger.budget:
            # What it may cost is counted until it is settled, by anybody.
            recorder.hand_over(note.label, self._context.ledger.hand_over(load.tickets.values()))
        # Claimed like a request: another process on the same run leaves the batch to us.
        await recorder.take([note.label])
        # Noted before and after: a crash in between leaves a label to look for.
        self._context.store.batches.put(note)
        tried = False

        async def submit() -> str:
            nonlocal tried
            batch = await self._batches.find(note.label) if tried else None
            tried = True
            return batch or await self._batches.submit(load.lines, note.label)

        batch, _ = await with_retries(submit, self._context.stop)
        self._context.store.batches.put(replace(note, batch=batch))
        self._handed_over |= load.tickets.keys()
        self._say(f"batch {batch}: {len(load.lines)} requests sent to {model}")
        return len(load.lines)

    async def _settle_open(self) -> None:
        """Waits for every open batch and keeps what it brings.

        One that another process waits for is left to it, for as long as that lives.
        """
        context, model = self._context, self._client.model.name
        run, notes = context.batch.run.id, context.store.batches
        while labels := [note.label for note in notes.open_of(run, model)]:
            ours = (await context.recorder.take(labels)).ours
            if not ours:
                await context.stop.sleep(_FIRST_LOOK)
            # Looked up again: the process that had it may have continued it until now.
            for note in notes.open_of(run, model) if ours else ():
                if note.label in ours:
                    await self._settle(note)
        for key in self._handed_over:  # no batch brought anything for these, not even an error
            self.refused[key] = ProviderError(Reason("batch.no_answer"), retryable=True)
        self._handed_over.clear()

    async def _settle(self, note: KeptBatch) -> None:
        recorder, stop = self._context.recorder, self._context.stop
        batch, state = note.batch, BatchState("ended")
        if batch is None:
            batch, _ = await with_retries(lambda: self._batches.find(note.label), stop)
        if batch is not None:
            state = await self._ended(batch)
            if state.status == "ended":
                state = await self._fetched(note, batch, state)
        # Only once its replies are written: a crash in between must not lose them.
        await recorder.take([])
        self._context.store.batches.put(replace(note, batch=batch, state="done"))
        self._context.store.reservations.release(note.run, note.label)
        self._context.ledger.renew()
        recorder.give_up([note.label])
        if state.status == "failed":
            # Noted as done all the same: the same command then sends its requests again.
            raise ProviderError(Reason("batch.failed", batch=batch, why=state.why), fatal=True)

    async def _ended(self, batch: str) -> BatchState:
        wait, stop = _FIRST_LOOK, self._context.stop
        while True:
            state, _ = await with_retries(lambda: self._batches.state(batch), stop)
            if state.status != "running":
                return state
            far = f"{state.done} of {state.total} answered" if state.total else "under way"
            self._say(f"batch {batch}: {far}")
            await stop.sleep(wait)
            wait = min(wait * 1.5, _LONGEST_LOOK)

    async def _fetched(self, note: KeptBatch, batch: str, ended: BatchState) -> BatchState:
        # All of them alike: what each may cost is not kept beyond a session.
        held = self._context.store.reservations.held_by(note.run, note.label)
        most = held.times(1 / note.requests)
        try:
            await with_retries(partial(self._keep, batch, most), self._context.stop)
        except ProviderError as error:
            if error.status != 404:
                raise
            return replace(ended, status="failed", why=Reason("batch.results_gone"))
        return ended

    async def _keep(self, batch: str, most: Cost) -> None:
        """May be done again after a failure or a crash: what is kept already is not counted."""
        some: dict[str, Reply | ProviderError] = {}
        size = 0
        async for key, result in self._batches.results(batch):
            some[key] = result
            if isinstance(result, Reply) and endless(result):
                some[key] = no_answer(self._client.model, result)
            elif isinstance(result, Reply):
                size += len(result.text)
            if len(some) >= _RESULTS or size >= _MOST_BYTES:
                await self._keep_some(some, most)
                some, size = {}, 0
        await self._keep_some(some, most)

    async def _keep_some(self, results: Mapping[str, Reply | ProviderError], most: Cost) -> None:
        run, model = self._context.batch.run.id, self._client.model.name
        there = (await self._context.recorder.take(list(results))).kept
        for key, result in results.items():
            self._handed_over.discard(key)
            cost = Cost()
            if not isinstance(result, Reply):
                self.refused[key] = result
                cost = most if result.sent else cost  # it was worked on, and may be billed
            elif key not in there or there[key].reply != result:
                self._context.recorder.keep(KeptReply(key, run, model, result))
                cost = cost_of(result.usage, most)
            self._context.ledger.settle(None, cost)
