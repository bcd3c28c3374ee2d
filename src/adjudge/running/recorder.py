"""The one writer: whatever a run has to keep goes through here, what comes together in one commit.

Two threads, so that asking continues meanwhile. One commits, after which a killed process loses
nothing. The other one waits for the disk, after which a power cut does not either; only then does
a verdict count. While the disk is busy, commits continue, and share the next wait for it.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from queue import SimpleQueue
from time import monotonic, sleep
from types import TracebackType
from typing import Any, NamedTuple, Self

from adjudge.core.verdict import Verdict
from adjudge.stores import NOTHING, Claimed, Cost, Entry, Granted, KeptReply, Store

from .asking.budget import Budget

_SIGN_OF_LIFE = 5.0  # seconds
_GATHER = 0.004  # seconds
# What a commit waits for where nobody waits for it: seconds, and rows.
_LATEST, _TOGETHER = 0.25, 256
_UNTOLD = 1000  # verdicts that may wait for the disk, in memory; a disk can be busy for minutes


class _Wish(NamedTuple):
    """Something to be reserved of the budget, and who waits for it."""

    need: Cost
    ahead: Cost
    budget: Budget
    granted: asyncio.Future[Granted]


@dataclass(slots=True)
class _Pile:
    """What the next commit will hold."""

    entries: list[Entry] = field(default_factory=list)
    replies: list[KeptReply] = field(default_factory=list)
    given_up: list[str] = field(default_factory=list)
    spent: Cost = NOTHING
    unreserved: Cost = NOTHING
    handed_over: list[tuple[str, Cost]] = field(default_factory=list)
    reserves: list[_Wish] = field(default_factory=list)
    takes: list[tuple[Sequence[str], asyncio.Future[Claimed]]] = field(default_factory=list)

    def __bool__(self) -> bool:
        kept = self.entries or self.replies or self.given_up or self.takes
        return bool(kept or any(self.spent) or any(self.unreserved) or self.reserves)

    @property
    def is_urgent(self) -> bool:
        return bool(self.takes or self.reserves)

    def below(self, later: _Pile) -> _Pile:
        """Both as one, this one's first."""
        return _Pile(
            self.entries + later.entries,
            self.replies + later.replies,
            self.given_up + later.given_up,
            self.spent.plus(later.spent),
            self.unreserved.plus(later.unreserved),
            self.handed_over + later.handed_over,
            self.reserves + later.reserves,
            self.takes + later.takes,
        )


@dataclass(frozen=True, slots=True)
class _Written:
    """What a commit gave back."""

    taken: list[Claimed]
    granted: list[Granted]


class Recorder:
    """Used as a context: leaving it, for whatever reason, writes what is still there.

    `lag` verdicts may wait for a commit while asking continues: that many could be lost, beside
    what is in flight, if the process were killed. `tell` hears of every verdict once it is on the
    disk. Every method raises the StoreError that a commit met.
    """

    def __init__(
        self, store: Store, run_id: str, lag: int, tell: Callable[[Verdict], None]
    ) -> None:
        self._store, self._run_id, self._lag = store, run_id, lag
        self._together = min(_TOGETHER, lag)
        self._unkept = self._untold = 0
        self._tell = tell
        self._reserves = False
        self._pile = _Pile()
        self._lock = threading.Lock()
        self._change = threading.Condition(self._lock)
        self._idle = False  # whether the writer waits for something to write
        self._ending = False
        self._failure: Exception | None = None
        self._signed = monotonic()
        self._committed: SimpleQueue[list[Entry] | None] = SimpleQueue()
        self._writer = threading.Thread(target=self._write_on, name="adjudge-writer")
        self._syncer = threading.Thread(target=self._sync_on, name="adjudge-syncer")

    async def __aenter__(self) -> Self:
        self._loop = asyncio.get_running_loop()
        self._room = asyncio.Event()
        self._writer.start()
        self._syncer.start()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        with self._change:
            self._ending = True
            self._change.notify()
        # Not awaited: a second Ctrl-C must not get in between. It takes as long as a commit.
        self._writer.join()
        self._committed.put(None)
        self._syncer.join()
        rest, self._pile = self._pile, _Pile()
        rest.takes.clear()  # the callers that waited for these are gone
        rest.reserves.clear()
        written = self._store.steadily(lambda: self._commit(rest, last=True))
        self._written(rest, written)
        self._store.sync()
        # What the threads have left to say comes before the last of it.
        self._loop.call_soon(self._told, rest.entries)
        await asyncio.sleep(0)

    async def add(self, entry: Entry) -> None:
        """Waits while more than `lag` entries are uncommitted, or many are not on the disk; `tell`
        says when this one counts."""
        with self._lock:
            self._pile.entries.append(entry)
            self._more()
        self._unkept += 1
        self._untold += 1
        while not (self._has_room or self._failure):
            self._room.clear()
            await self._room.wait()
        if self._failure:  # else the next row would be asked, and paid, for nothing
            raise self._failure

    @property
    def _has_room(self) -> bool:
        return self._unkept <= self._lag and self._untold <= _UNTOLD

    def keep(self, reply: KeptReply) -> None:
        with self._lock:
            self._pile.replies.append(reply)
            self._more()

    def spend(self, cost: Cost, of_reserved: Cost) -> None:
        """`of_reserved` of what we had reserved is used up by it, or not wanted any more."""
        with self._lock:
            self._pile.spent = self._pile.spent.plus(cost)
            if any(of_reserved):  # without a budget, never
                self._pile.unreserved = self._pile.unreserved.plus(of_reserved)
            self._more()

    async def reserve(self, need: Cost, ahead: Cost, budget: Budget) -> Granted:
        """`Reservations.take`, after everything that was handed over before."""
        granted: asyncio.Future[Granted] = self._loop.create_future()
        with self._lock:
            self._reserves = True
            self._pile.reserves.append(_Wish(need, ahead, budget, granted))
            self._more()
        return await granted

    def hand_over(self, batch: str, cost: Cost) -> None:
        """`Reservations.hand_over`, with the next thing that is taken."""
        with self._lock:
            self._pile.handed_over.append((batch, cost))

    def give_up(self, keys: Iterable[str]) -> None:
        with self._lock:
            self._pile.given_up += keys
            self._more()

    async def take(self, keys: Sequence[str]) -> Claimed:
        """`Replies.take`, after everything that was handed over before."""
        taken: asyncio.Future[Claimed] = self._loop.create_future()
        with self._lock:
            self._pile.takes.append((keys, taken))
            self._more()
        return await taken

    async def flush(self) -> None:
        """Returns once everything that was handed over before can be read in the store."""
        await self.take(())

    def _more(self) -> None:
        """Something was put on the pile, which stays there if the last commit failed."""
        if self._failure:
            raise self._failure
        if self._idle or self._is_due():
            self._idle = False
            self._change.notify()

    def _is_due(self) -> bool:
        """A commit costs as much as writing ten verdicts, so that many are to share it."""
        pile = self._pile
        kept = max(len(pile.entries), len(pile.replies))
        return self._ending or pile.is_urgent or kept >= self._together

    def _write_on(self) -> None:
        while not self._ending:
            with self._change:
                if not self._pile and not self._ending:
                    self._idle = True
                    self._change.wait(_SIGN_OF_LIFE)
                    self._idle = False
                self._change.wait_for(self._is_due, _LATEST)
            sleep(_GATHER)  # what comes right behind
            with self._change:
                pile, self._pile = self._pile, _Pile()
            try:
                written = self._store.steadily(partial(self._commit, pile))
            except Exception as error:  # of whatever kind: the loop must hear of it
                # What could not be written stays, for a last try when the run ends.
                with self._change:
                    self._pile = pile.below(self._pile)
                self._fail(error)
                return
            self._loop.call_soon_threadsafe(self._written, pile, written)
            if pile.entries:
                self._committed.put(pile.entries)

    def _sync_on(self) -> None:
        ended = False
        while not ended:
            come = [self._committed.get()]
            while not self._committed.empty():
                come.append(self._committed.get())
            ended = None in come
            entries = [entry for some in come if some for entry in some]
            if not entries:
                continue
            try:
                self._store.sync()
            except Exception as error:  # as above
                self._fail(error)
                return
            self._loop.call_soon_threadsafe(self._told, entries)

    def _fail(self, error: Exception) -> None:
        self._failure = error
        self._loop.call_soon_threadsafe(self._failed, error)

    def _commit(self, pile: _Pile, *, last: bool = False) -> _Written:
        with self._store.transaction():
            written = self._write(pile)
            if last:
                self._store.replies.release()
                if self._reserves:
                    self._store.reservations.release(self._run_id)
        return written

    def _write(self, pile: _Pile) -> _Written:
        store = self._store
        store.verdicts.put(self._run_id, pile.entries)
        store.replies.put(pile.replies)
        store.replies.release(pile.given_up)
        if any(pile.spent):
            store.runs.spend(self._run_id, pile.spent)
        granted = self._reserved(pile) if self._reserves else []
        taken = [store.replies.claim(keys) for keys, _ in pile.takes]
        if monotonic() - self._signed > _SIGN_OF_LIFE:
            store.heartbeat()
            self._signed = monotonic()
        return _Written(taken, granted)

    def _reserved(self, pile: _Pile) -> list[Granted]:
        """In the same commit as what was spent: what is left of a budget is right at any time."""
        run, reservations = self._run_id, self._store.reservations
        if any(pile.unreserved):
            reservations.reduce(run, pile.unreserved)
        for batch, cost in pile.handed_over:
            reservations.hand_over(run, batch, cost)
        return [
            reservations.reserve(run, need, ahead, tokens=budget.tokens, usd=budget.usd)
            for need, ahead, budget, _ in pile.reserves
        ]

    def _written(self, pile: _Pile, written: _Written) -> None:
        for (_, future), taken in zip(pile.takes, written.taken, strict=True):
            if not future.done():
                future.set_result(taken)
        for wish, granted in zip(pile.reserves, written.granted, strict=True):
            if not wish.granted.done():
                wish.granted.set_result(granted)
        self._unkept -= len(pile.entries)
        self._make_room()

    def _told(self, entries: Sequence[Entry]) -> None:
        for entry in entries:
            self._tell(entry.verdict)
        self._untold -= len(entries)
        self._make_room()

    def _make_room(self) -> None:
        if self._has_room:  # else all that wait would wake up for nothing
            self._room.set()

    def _failed(self, error: Exception) -> None:
        waiting: list[asyncio.Future[Any]] = [future for _, future in self._pile.takes]
        waiting += [wish.granted for wish in self._pile.reserves]
        for future in waiting:
            if not future.done():
                future.set_exception(error)
        self._room.set()
