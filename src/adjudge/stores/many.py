"""Many rows in one statement.

The driver lets go of the interpreter for each statement and has to get it back afterwards. It may
wait for that as long as another thread computes: one statement for all rows waits once.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from itertools import chain

MOST = 32  # rows, or keys, in a statement; few different ones, so that each is prepared once


def insert(db: sqlite3.Connection, into: str, rows: Sequence[Sequence[object]], rest: str) -> None:
    """`into` is what stands before VALUES, `rest` what stands behind."""
    for start in range(0, len(rows), MOST):
        some = rows[start : start + MOST]
        places = ", ".join(["(" + ", ".join("?" * len(some[0])) + ")"] * len(some))
        db.execute(f"{into} VALUES {places} {rest}", [*chain.from_iterable(some)])


def portions(keys: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """As many keys as one `PLACES` has room for, the last one repeated where there are fewer."""
    for start in range(0, len(keys), MOST):
        some = tuple(keys[start : start + MOST])
        yield some + some[-1:] * (MOST - len(some))


PLACES = "(" + ", ".join("?" * MOST) + ")"
