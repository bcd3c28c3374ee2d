"""Whether a judge orders the systems that wrote the texts as people do."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from adjudge.analysis.scores.reader import Column
from adjudge.stats.bootstrap import Resampling
from adjudge.stats.system_level import SystemLevel, system_level

from .pairs import LabelledPairs


@dataclass(frozen=True, slots=True)
class SystemAgreement:
    """One criterion. `names` are the systems with a score and a label, in the order of what `level`
    has by system; `left_out` labelled items are of no system."""

    names: tuple[str, ...]
    level: SystemLevel
    left_out: int


def system_agreement(
    pairs: LabelledPairs, systems: Column, resampling: Resampling
) -> SystemAgreement:
    """Of the items with a score and a label; their groups are the documents."""
    of = systems.codes[pairs.places]
    here = of > 0
    codes, numbers = np.unique(of[here], return_inverse=True)
    documents = None
    if pairs.groups is not None:
        documents = np.unique(pairs.groups[here], return_inverse=True)[1].astype(np.intp)
    level = system_level(
        pairs.judge[here], pairs.human[here], numbers.astype(np.intp), documents, resampling
    )
    names = tuple(systems.texts[code - 1] for code in codes.tolist())
    return SystemAgreement(names, level, int((~here).sum()))
