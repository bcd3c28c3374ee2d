"""Does the drift test keep its promise? Simulated histories of a judge that is asked again.

    python bench/drift.py

1,000 histories of 30 checks each without a change: how many ever raise an alarm (at most alpha).
1,000 histories with a shift of half a point from some check on: how soon it is found. 48 items on
1-5, as many as the built-in anchors; two of ten replies differ by a point between checks.
"""

from __future__ import annotations

import numpy as np

from adjudge.stats.sequential import level_of, sign_flip_p

HISTORIES, CHECKS, ITEMS, ALPHA = 1000, 30, 48, 0.05


def first_alarm(chance: np.random.Generator, begins: int, checks: int) -> int | None:
    """The comparison, from 1, that raises the first alarm; the shift is there from `begins` on."""
    base = chance.integers(2, 5, ITEMS).astype(float)

    def check(shifted: bool) -> np.ndarray:
        noise = chance.choice([-1, 0, 1], ITEMS, p=[0.1, 0.8, 0.1])
        return base + noise + (chance.random(ITEMS) < 0.5 * shifted)

    first = check(False)
    for number in range(1, checks + 1):
        if sign_flip_p(check(number >= begins) - first) <= level_of(number, ALPHA):
            return number
    return None


def main() -> None:
    chance = np.random.default_rng(22)
    alarms = [first_alarm(chance, CHECKS + 1, CHECKS) for _ in range(HISTORIES)]
    count = sum(alarm is not None for alarm in alarms)
    print(f"false alarms: {count} of {HISTORIES} histories of {CHECKS} checks (alpha {ALPHA})")
    for begins in (1, 5, 10):
        found = [first_alarm(chance, begins, begins + 4) for _ in range(HISTORIES)]
        for within in (1, 2, 3, 5):
            hits = sum(at is not None and begins <= at < begins + within for at in found)
            print(f"half a point from check {begins}: {hits / HISTORIES:.1%} within {within}")


if __name__ == "__main__":
    main()
