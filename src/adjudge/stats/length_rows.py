"""One system's comparisons with the baseline."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from adjudge.stats.arrays import Floats, Ints


@dataclass(frozen=True, slots=True)
class Against:
    """The share that a system won of each comparison (1, 0.5 or 0, or a probability), how many
    characters longer than the baseline it was, and the question, counted from 0."""

    won: Floats
    longer: Floats
    question: Ints

    def length(self) -> Floats:
        """The difference in length in standard deviations, squeezed into -1 to 1."""
        spread = float(np.std(self.longer, ddof=1)) if len(self.longer) > 1 else 0.0
        return np.tanh(self.longer / spread) if spread else np.zeros(len(self.longer))
