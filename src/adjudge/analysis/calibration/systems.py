"""Whether a judge orders the systems that wrote the texts as people do."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from adjudge.analysis.scores.reader import cell_text
from adjudge.core.reason import Reason
from adjudge.errors import UsageError
from adjudge.stats.arrays import Ints
from adjudge.stats.bootstrap import Resampling
from adjudge.stats.system_level import SystemLevel, system_level
from adjudge.stores import RunRecord, Store

from .pairs import LabelledPairs

_NONE = -1  # stands for no system


@dataclass(frozen=True, slots=True)
class Systems:
    """The system of each item of a run, by its place among `names`; -1 where it has none."""

    column: str
    names: tuple[str, ...]
    of: Ints


@dataclass(frozen=True, slots=True)
class SystemAgreement:
    """One criterion. `names` are the systems with a score and a label, in the order of what `level`
    has by system; `left_out` labelled items are of no system."""

    names: tuple[str, ...]
    level: SystemLevel
    left_out: int


def systems_of(
    record: RunRecord, store: Store, items: Mapping[str, int], column: str, option: str = "system"
) -> Systems:
    """What each item has in the column that the option names; UsageError when no item has it."""
    of = np.full(len(items), _NONE, dtype=np.intp)
    known: dict[str, int] = {}
    for item, value in store.items.column(record.id, column):
        place = items.get(item)
        if place is not None and value is not None:
            of[place] = known.setdefault(cell_text(value), len(known))
    if not known:
        why = Reason("run.no_such_column", run=record.title)
        raise UsageError(why.at_option(option, column))
    return Systems(column, tuple(known), of)


def system_agreement(
    pairs: LabelledPairs, systems: Systems, resampling: Resampling
) -> SystemAgreement:
    """Of the items with a score and a label; their groups are the documents."""
    of = systems.of[pairs.places]
    here = of != _NONE
    codes, numbers = np.unique(of[here], return_inverse=True)
    documents = None
    if pairs.groups is not None:
        documents = np.unique(pairs.groups[here], return_inverse=True)[1].astype(np.intp)
    level = system_level(
        pairs.judge[here], pairs.human[here], numbers.astype(np.intp), documents, resampling
    )
    names = tuple(systems.names[code] for code in codes.tolist())
    return SystemAgreement(names, level, int((~here).sum()))
