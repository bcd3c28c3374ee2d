"""What two runs differ in besides their scores, in words; and when a pairing looks wrong."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from adjudge.stats.arrays import Bools, Ints

from .item_inputs import ABSENT
from .pairing import Pairing
from .sides import Side


def differs(pairing: Pairing) -> Iterator[str]:
    """One clause each: judge, wording, model, data, judged texts."""
    a, b = pairing.a, pairing.b
    if a.judge.name != b.judge.name:
        yield f"the judge ({a.judge.name}, then {b.judge.name})"
    elif a.fingerprint != b.fingerprint:
        yield f"the judge's wording or rules ({a.fingerprint}, then {b.fingerprint})"
    if a.model != b.model:
        yield f"the model ({a.model}, then {b.model})"
    judged = int(_judged_differently(pairing).sum())
    if judged:
        yield f"the judged texts (in {judged} of {len(pairing.items)} items)"
    elif a.data_hash != b.data_hash:
        yield "the data, though not the judged texts of the shared items"


def cautions(pairing: Pairing, columns: Sequence[str]) -> Iterator[str]:
    """A sentence for everything that may make the pairs meaningless."""
    for letter, side in (("A", pairing.a), ("B", pairing.b)):
        state = side.source.record.state
        if state != "finished":
            yield f"Run {letter} is not finished ({state}): items may be missing."
    total = len(pairing.items)
    other = int(_asked_differently(pairing).sum())
    if other:
        yield (
            f"In {other} of {total} pairs the inputs that are not judged differ too, e.g. the"
            " question: are these the same items?"
        )
    for column in columns:
        apart = _apart(pairing, column)
        if apart:
            yield f"In {apart} of {total} pairs the runs disagree on {column!r}; A's value counts."


def _judged_differently(pairing: Pairing) -> Bools:
    """Which items have other judged texts, whatever the inputs are called."""
    ours, theirs = pairing.a.judge.judged, pairing.b.judge.judged
    found = np.full(len(pairing.items), len(ours) != len(theirs))
    for one, other in zip(ours, theirs, strict=False):
        found |= _texts(pairing.a, one, pairing.at_a) != _texts(pairing.b, other, pairing.at_b)
    return found


def _asked_differently(pairing: Pairing) -> Bools:
    """Which items have an input in both that is not judged, and has another text."""
    found = np.zeros(len(pairing.items), dtype=np.bool_)
    for name in _asked(pairing.a) & _asked(pairing.b):
        a, b = _texts(pairing.a, name, pairing.at_a), _texts(pairing.b, name, pairing.at_b)
        found |= (a != b) & (a != ABSENT) & (b != ABSENT)
    return found


def _asked(side: Side) -> set[str]:
    return set(side.inputs.texts) - set(side.judge.judged)


def _texts(side: Side, name: str, at: Ints) -> Ints:
    known = side.inputs.texts.get(name)
    return np.full(len(at), ABSENT) if known is None else known[at]


def _apart(pairing: Pairing, column: str) -> int:
    first, second = pairing.a.inputs.columns[column], pairing.b.inputs.columns[column]
    both = zip(pairing.at_a.tolist(), pairing.at_b.tolist(), strict=True)
    cells = ((first[a], second[b]) for a, b in both)
    return sum(a is not None and b is not None and a != b for a, b in cells)
