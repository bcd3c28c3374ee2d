"""What one judge and model made of the items under one criterion, as arrays."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from adjudge.core.scale import Scale
from adjudge.stats.arrays import Floats, Ints


@dataclass(frozen=True, slots=True)
class Scored:
    """One criterion by one judge and model.

    `places` are the items, by their place in `RunScores.items`, and `values` what each was given:
    the mean over its scored repeats, NaN without any. Yes is 1 and no is 0; a name is its place
    among the options, the one given most often counting; of the NaNs, `divided` are items that two
    names were given equally often. `scores` counts all repeats, `unscored` those of them without a
    value. `on_scale` is false for likelihoods,
    which are plain numbers with an order and no place on the criterion's scale, also where that
    has names.
    """

    criterion: str
    scale: Scale
    places: Ints
    values: Floats
    scores: int
    unscored: int
    on_scale: bool = True
    divided: int = 0

    @property
    def unscored_items(self) -> int:
        return int(np.isnan(self.values).sum()) - self.divided
