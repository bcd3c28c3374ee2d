"""What the samples of one item come to where they are names: the commonest, or nothing.

An item whose samples name two values equally often is divided. It is counted as such, beside the
names: giving it to either would favour the one that the rubric lists, or the model gave, first, and
a share of an item would fit no table of counts. A panel whose votes are equal is treated alike.
"""

from __future__ import annotations

import numpy as np

from adjudge.stats.arrays import Bools, Floats, Ints

DIVIDED = "(divided)"  # stands for a name wherever names are listed


def settled(counts: Ints) -> tuple[Floats, Bools]:
    """From how often each item (row) was given each name (column): the place of the commonest, NaN
    where there is none; and which items are divided."""
    most = counts.max(axis=1)
    leaders = (counts == most[:, None]).sum(axis=1)
    divided: Bools = (most > 0) & (leaders > 1)
    places = np.where((most > 0) & ~divided, counts.argmax(axis=1), np.nan)
    return places, divided
