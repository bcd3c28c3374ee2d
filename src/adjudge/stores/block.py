"""A block of rows that a worker judges, as the store that a run writes to."""

from __future__ import annotations

import secrets
import threading
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from time import monotonic, sleep, time_ns

from .parquet_store import store_of
from .purse import Purse
from .records import Claimed, Cost, Entry, Granted, KeptReply
from .store import Store
from .verdict_files import Part, VerdictFiles, VerdictKey, is_answered, key_of

_EVERY = 0.25  # seconds between two parts, at most, so that there are not too many


class Block:
    """A block that is being judged: the verdicts and replies of it, and the store for them.

    What is put counts once it is in a part, which `sync` waits for: until there are `lag` of them,
    or for a moment.
    """

    lag = 0.004  # see `Database`

    def __init__(self, files: VerdictFiles, number: int, lag: int, purse: Purse) -> None:
        self._files, self.number, self._waiting, self._purse = files, number, lag, purse
        kept = files.block(number)
        self.entries: dict[VerdictKey, Entry] = {key_of(entry): entry for entry in kept.entries}
        self._replies = {reply.key: reply for reply in kept.replies}
        self._lock = threading.Lock()
        self._new_entries: list[Entry] = []
        self._new_replies: list[KeptReply] = []
        self._written = monotonic()

    def store(self, numbers: Mapping[str, str]) -> Store:
        parts = dict.fromkeys(("verdicts", "replies", "runs", "reservations", "database"), self)
        parts["replies"] = _BlockReplies(self)  # type: ignore[assignment]
        return store_of(self._files.folder.place, numbers, parts)

    def put(self, _: str, entries: Sequence[Entry]) -> None:
        with self._lock:
            self.entries |= {key_of(entry): entry for entry in entries}
            self._new_entries += entries

    def answered(self, _: str, key: tuple[str, str, int], items: Sequence[str]) -> set[str]:
        keys = ((item, (item, *key)) for item in items)
        with self._lock:
            return {
                item for item, key in keys if key in self.entries and is_answered(self.entries[key])
            }

    def claim(self, keys: Sequence[str]) -> Claimed:
        with self._lock:
            kept = {key: self._replies[key] for key in keys if key in self._replies}
        return Claimed(kept, frozenset(keys) - kept.keys())

    def keep(self, replies: Sequence[KeptReply]) -> None:
        with self._lock:
            self._replies |= {reply.key: reply for reply in replies}
            self._new_replies += replies

    def spend(self, _: str, cost: Cost) -> None:
        self._purse.spend(cost)

    def reserve(
        self, _: str, need: Cost, ahead: Cost, *, tokens: int | None, usd: float | None
    ) -> Granted:
        return self._purse.reserve(need, ahead, tokens=tokens, usd=usd)

    def reduce(self, _: str, cost: Cost) -> None:
        self._purse.reduce(cost)

    def release(self, _: str) -> None:
        self._purse.release()

    def orphaned(self, _: str) -> Cost:
        return Cost()  # the driver of the run says it, once

    def writing(self) -> AbstractContextManager[None]:
        return nullcontext()

    def sync(self) -> None:
        while len(self._new_entries) < self._waiting and monotonic() < self._written + _EVERY:
            sleep(0.01)
        with self._lock:
            part = Part(self._new_entries, self._new_replies)
            self._new_entries, self._new_replies = [], []
        if part.entries or part.replies:
            # In the order of time: of two verdicts without an answer the later one holds.
            self._files.add_part(self.number, f"{time_ns()}-{secrets.token_hex(4)}", part)
        self._written = monotonic()

    def close(self) -> None:
        """All of it is judged."""
        self._files.close_block(self.number, self.entries.values())


class _BlockReplies:
    def __init__(self, block: Block) -> None:
        self.claim, self.put = block.claim, block.keep

    def release(self, keys: Sequence[str] | None = None) -> None:
        """Nobody else has this block."""
