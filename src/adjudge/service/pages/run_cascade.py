"""What a cascade decided and left to people, for the page of its run."""

from __future__ import annotations

from dataclasses import dataclass, replace

from adjudge.analysis.browsing.index import RunIndex
from adjudge.analysis.cascade import is_cascade, stages_of
from adjudge.reports.reasons import reason
from adjudge.reports.strings import Strings, strings_for
from adjudge.running.cascade_stages import Stage
from adjudge.stores.base import Store


@dataclass(frozen=True, slots=True)
class CascadeCard:
    """`left` of the `items` were decided by no model, whether people have labelled them or not.
    There are no `stages` before the cascade has come to its end."""

    stages: tuple[Stage, ...]
    items: int

    @property
    def left(self) -> int:
        return self.items - sum(stage.decided for stage in self.stages)

    @property
    def last(self) -> Stage:
        return self.stages[-1]


def cascade_card(index: RunIndex, store: Store, say: Strings) -> CascadeCard | None:
    """None of a run that is no cascade."""
    if not is_cascade(index.record):
        return None
    words = strings_for(say.language)
    stages = tuple(
        replace(stage, why=stage.why and reason(words, stage.why))
        for stage in stages_of(index.record, store)
    )
    return CascadeCard(stages, index.items)
