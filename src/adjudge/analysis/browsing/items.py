"""Items of a run one by one, at the cost of each alone, however many others there are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from adjudge.analysis.scores.reader import judges_of
from adjudge.core.judge import Judge
from adjudge.stores import Entry, RunRecord, Store

from .query import Query

_UNSORTED = (Query(size=1), Query(size=1, sort="position"))


@dataclass(frozen=True, slots=True)
class Neighbours:
    """The items beside one in the order of a query, and its `place` there from 1 to `total`; all
    None where the query does not let it through. The place is None too where it is not known."""

    before: str | None
    after: str | None
    place: int | None
    total: int


class RunItems:
    """The items of a run that nobody has read yet. They come from the store as it is."""

    def __init__(self, record: RunRecord, store: Store) -> None:
        self.record, self._store = record, store
        self.judges: Mapping[str, Judge] = judges_of(record)

    def entries(self, item: str) -> list[Entry]:
        """All verdicts on the item; none for an unknown one."""
        return list(self._store.verdicts.entries(self.record.id, item))

    def runs_with(self, item: str) -> tuple[RunRecord, ...]:
        """The runs that judged the same id with the same texts, this one too, the latest first."""
        holding = set(self._store.items.runs_with(self.record.id, item))
        return tuple(run for run in self._store.runs.all() if run.id in holding)

    def neighbours(self, item: str, query: Query) -> Neighbours:
        """In the order of the data, also where nothing is asked for; none where a query is."""
        if replace(query, page=1, size=1) not in _UNSORTED:
            return Neighbours(None, None, None, 0)
        return Neighbours(*self._store.items.beside(self.record.id, item), None, 0)
