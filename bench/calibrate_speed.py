"""How long, and in how much memory, a million judged rows are held against people's labels.

Every statistic of agreement with 1,000 rounds of resampling, overall and by group, the corrected
mean, three raters' alpha, and the paired difference of two runs. The bar is 60 seconds and 2 GB for
each scale. Exits with 1 above it.
"""

from __future__ import annotations

import resource
import sys
import time
from collections.abc import Callable

import numpy as np

from adjudge.stats.agreement import agreement, agreement_by_group
from adjudge.stats.alpha import alpha
from adjudge.stats.arrays import Floats
from adjudge.stats.paired import paired_difference
from adjudge.stats.ppi import ppi_mean

ROWS, GROUP, SECONDS, GIGABYTES = 1_000_000, 10, 60.0, 2.0


def _scores(kind: str) -> tuple[Floats, Floats]:
    chance = np.random.default_rng(0)
    human = chance.integers(1, 6, ROWS).astype(float)
    judge = np.clip(human + chance.normal(0.3, 1, ROWS), 1, 5)
    if kind == "1 to 5":
        return np.round(judge), human
    return judge, human + chance.random(ROWS)


def _work(judge: Floats, human: Floats) -> dict[str, Callable[[], object]]:
    groups = np.arange(ROWS) // GROUP
    third = np.roll(human, 1)
    half = ROWS // 2
    return {
        "agreement": lambda: agreement(judge, human),
        "agreement, groups of 10": lambda: agreement(judge, human, groups),
        "by group": lambda: agreement_by_group(judge, human, groups),
        "corrected mean": lambda: ppi_mean(
            human[:half], judge[:half], judge[half:], groups[:half], groups[half:]
        ),
        "alpha, three raters": lambda: alpha(np.stack([judge, human, third], axis=1)),
        "paired difference": lambda: paired_difference(judge, human, groups),
    }


def main() -> int:
    slow = False
    for kind in ("1 to 5", "numbers"):
        total = 0.0
        for name, work in _work(*_scores(kind)).items():
            start = time.perf_counter()
            work()
            took = time.perf_counter() - start
            total += took
            print(f"{kind:8} {name:26} {took:6.1f} s")
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
        print(f"{kind:8} {'all of it':26} {total:6.1f} s, peak {peak:.2f} GB")
        slow |= total > SECONDS or peak > GIGABYTES
    return 1 if slow else 0


if __name__ == "__main__":
    sys.exit(main())
