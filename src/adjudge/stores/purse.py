"""What a run on many machines spends and reserves, counted without a database."""

from __future__ import annotations

import secrets
from time import time_ns
from typing import Protocol

from .records import Cost, Granted
from .verdict_files import VerdictFiles


class Purse(Protocol):
    """Where spending and reservations are counted that have no database."""

    def spend(self, cost: Cost) -> None: ...
    def reduce(self, cost: Cost) -> None: ...
    def reserve(
        self, need: Cost, ahead: Cost, *, tokens: int | None, usd: float | None
    ) -> Granted: ...
    def release(self) -> None: ...


class SharedPurse:
    """The one that counts for all workers of a run, and notes it before it grants anything: what a
    start of the run that was killed may have spent stays counted."""

    def __init__(self, files: VerdictFiles) -> None:
        self._files, self._session = files, f"{time_ns()}-{secrets.token_hex(4)}"
        self.left_behind = files.spent(reserved=True).less(files.spent())
        self._earlier = files.spent(reserved=True)
        self._spent, self._reserved = Cost(), dict[str, Cost]()

    def reserve(
        self,
        holder: str,
        need: Cost,
        ahead: Cost,
        *,
        tokens: int | None,
        usd: float | None,
        living: frozenset[str],
    ) -> Granted:
        from .spending import grant  # noqa: PLC0415 - SQLAlchemy takes 0.2 s to import

        counted = self._earlier.plus(self._spent).plus(self._total())
        granted = grant(counted, need, ahead, tokens=tokens, usd=usd)
        if granted.cost is None:
            others = {name for name, cost in self._reserved.items() if any(cost)} & living
            return granted._replace(shared=bool(others - {holder}))
        self._reserved[holder] = self._reserved.get(holder, Cost()).plus(granted.cost)
        self.save()
        return granted

    def spend(self, cost: Cost) -> None:
        self._spent = self._spent.plus(cost)

    def reduce(self, holder: str, cost: Cost) -> None:
        self._reserved[holder] = self._reserved.get(holder, Cost()).less(cost)

    def release(self, holder: str) -> None:
        self._reserved.pop(holder, None)

    def save(self) -> None:
        self._files.note_spending(self._session, self._spent, self._total())

    def _total(self) -> Cost:
        total = Cost()
        for cost in self._reserved.values():
            total = total.plus(cost)
        return total
