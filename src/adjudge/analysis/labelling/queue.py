"""Which item a person is asked about next."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from adjudge.analysis.cascade.decisions import cascade_of, is_cascade
from adjudge.core.reason import Reason
from adjudge.errors import UsageError
from adjudge.extras import require
from adjudge.stores import RunRecord, Store

Pick = Literal["random", "planned", "uncertain", "abstained"]


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelOptions:
    """Who labels what. `limit` is the number of items, None for all; no criteria means all. A
    `team` shares the items: the first `overlap` are for everybody, each of the rest for one."""

    rater: str
    pick: Pick = "random"
    criteria: tuple[str, ...] = ()
    limit: int | None = None
    seed: int = 0
    team: tuple[str, ...] = ()
    overlap: int = 0

    def share_of(self, queue: Sequence[str]) -> list[str]:
        """What of the queue is the rater's: all of it where there is no team."""
        if not self.team:
            return list(queue[: self.limit])
        place, size = self.team.index(self.rater), len(self.team)
        common = queue[: self.limit][: self.overlap]
        return [*common, *queue[: self.limit][self.overlap + place :: size]]


class Queue(tuple[str, ...]):
    """Items in the order in which they are asked; a page finds its place among 100,000 by it."""

    @cached_property
    def places(self) -> Mapping[str, int]:
        """By item, from 0."""
        return {item: place for place, item in enumerate(self)}


def queue_of(record: RunRecord, store: Store, judge_name: str, chosen: LabelOptions) -> list[str]:
    """All items in the order in which they are asked; UsageError when there is none."""
    if chosen.pick == "abstained":
        return random_order(_left_to_people(record, store), chosen.seed)
    if chosen.pick == "planned":
        plan = store.labels.plan(record.manifest.data_hash, judge_name)
        if not plan.draws:
            raise UsageError(Reason("labels.no_plan", run=record.id).at_option("pick", "planned"))
        labels = store.labels.of(record.manifest.data_hash, judge_name) if plan.labelled else ()
        known = plan.labelled & {label.item for label in labels}
        return [item for item in plan.draws if item not in known]
    if chosen.pick == "random":
        queue = random_order(store.items.ids(record.id), chosen.seed)
    else:
        require("trust", "--pick uncertain")
        from .doubt import by_doubt  # noqa: PLC0415 - loads numpy

        queue = by_doubt(record, store, judge_name, chosen)
    if not queue:
        raise UsageError(Reason("run.no_item", run=record.id))
    return queue


def picks_for(record: RunRecord, *, planned: bool = False) -> tuple[Pick, ...]:
    """The ways to pick items that the run offers; `planned` says that there is a plan."""
    return (
        "random",
        *(("planned",) if planned else ()),
        "uncertain",
        *(("abstained",) if is_cascade(record) else ()),
    )


def _left_to_people(record: RunRecord, store: Store) -> list[str]:
    """What the cascade did not decide; those with a label that came later too, so that a session
    goes on with the same queue."""
    if not is_cascade(record):
        raise UsageError(Reason("labels.no_cascade", run=record.id).at_option("pick", "abstained"))
    cascaded = cascade_of(record, store)
    if not cascaded.left_to_people:
        reason = Reason("labels.all_decided", run=record.id)
        if left := len(cascaded.abstained):
            reason = Reason("labels.all_labelled", run=record.id, left=left)
        raise UsageError(reason.at_option("pick", "abstained"))
    return [decision.item for decision in cascaded.left_to_people]


def random_order(items: Iterable[str], seed: int) -> list[str]:
    """The items as a lottery would draw them: any beginning of the list is a random sample.

    An item's place depends on the seed and its id alone, so that the order is the same on every
    machine, and stays the same between the old items when a run gets new ones.
    """
    return sorted(items, key=lambda item: lot(seed, item))


def lot(seed: int, item: str) -> bytes:
    return hashlib.sha256(f"{seed}\0{item}".encode(errors="surrogatepass")).digest()
