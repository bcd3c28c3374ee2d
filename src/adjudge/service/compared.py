"""Two runs beside each other, worked out once for each state of both."""

from __future__ import annotations

from concurrent.futures import Future

from adjudge.analysis.compare import compare_runs
from adjudge.analysis.comparison import CompareOptions, Comparison
from adjudge.analysis.sides import Source
from adjudge.stores.base import Store
from adjudge.stores.records import RunRecord

from .worked_out import WorkedOut

_MOST = 16  # comparisons; movers are all that they hold of the items


class ComparedRuns:
    """The comparisons looked at last. Large runs take seconds: whoever asks waits as long as they
    like, and asks again later."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self.kept: WorkedOut[Comparison] = WorkedOut(_MOST)

    def of(self, a: RunRecord, b: RunRecord, options: CompareOptions) -> Future[Comparison]:
        """Holds the comparison as soon as it is there, or the UsageError that says why not."""

        def compare() -> Comparison:
            return compare_runs(Source(a, self._store), Source(b, self._store), options)

        return self.kept.of((*self._state(a), *self._state(b), options), compare)

    def _state(self, record: RunRecord) -> tuple[str, int, str]:
        return record.id, self._store.mark(record.id), record.state
