"""Which items have samples enough: no further one can change what most of them say."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import groupby

from adjudge.core.verdict import Verdict
from adjudge.stats.majority import is_decided
from adjudge.stores.base import Store
from adjudge.stores.records import UNANSWERED


def decided(store: Store, run_id: str, model: str, samples: int) -> Callable[[str, str], bool]:
    """Tells, by the names of judge and item, whether all criteria are decided by what is kept."""
    verdicts = (entry.verdict for entry in store.entries(run_id) if entry.verdict.model == model)
    found = {
        names
        for names, given in groupby(verdicts, lambda each: (each.judge, each.item))
        if _all_decided(list(given), samples)
    }
    return lambda judge, item: (judge, item) in found


def _all_decided(verdicts: Sequence[Verdict], samples: int) -> bool:
    """A sample that was answered without a score is taken; one without an answer is to come."""
    taken = [verdict for verdict in verdicts if verdict.outcome not in UNANSWERED]
    return all(
        is_decided(
            [score.value for each in taken if (score := each.scores[name]).value is not None],
            samples - len(taken),
        )
        for name in verdicts[0].scores
    )
