"""What two runs differ in besides their scores; and when a pairing looks wrong."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from adjudge.core.reason import Reason
from adjudge.stats.arrays import Bools, Ints

from .pairing import Pairing
from .sides import ABSENT, Side


def differs(pairing: Pairing) -> Iterator[Reason]:
    """One clause each: judge, wording, model, data, judged texts."""
    a, b = pairing.a, pairing.b
    if a.judge.name != b.judge.name:
        yield Reason("compared.judge", a=a.judge.name, b=b.judge.name)
    elif a.fingerprint != b.fingerprint:
        yield Reason("compared.wording", a=a.fingerprint, b=b.fingerprint)
    if a.model != b.model:
        yield Reason("compared.model", a=a.model, b=b.model)
    judged = int(_judged_differently(pairing).sum())
    if judged:
        yield Reason("compared.texts", n=judged, total=len(pairing.items))
    elif a.data_hash != b.data_hash:
        yield Reason("compared.data")


def cautions(pairing: Pairing, columns: Sequence[str]) -> Iterator[Reason]:
    """Everything that may make the pairs meaningless."""
    for letter, side in (("A", pairing.a), ("B", pairing.b)):
        state = side.source.record.state
        if state != "finished":
            yield Reason("compared.unfinished", letter=letter, state=state)
    total = len(pairing.items)
    other = int(_asked_differently(pairing).sum())
    if other:
        yield Reason("compared.asked", n=other, total=total)
    for column in columns:
        apart = _apart(pairing, column)
        if apart:
            yield Reason("compared.column", n=apart, total=total, column=column)


def _judged_differently(pairing: Pairing) -> Bools:
    """Which items have other judged texts, whatever the inputs are called."""
    ours, theirs = pairing.a.judge.judged, pairing.b.judge.judged
    differ = np.full(len(pairing.items), len(ours) != len(theirs))
    for one, other in zip(ours, theirs, strict=False):
        differ |= _texts(pairing.a, one, pairing.at_a) != _texts(pairing.b, other, pairing.at_b)
    return differ


def _asked_differently(pairing: Pairing) -> Bools:
    """Which items have an input in both that is not judged, and has another text."""
    differ = np.zeros(len(pairing.items), dtype=np.bool_)
    for name in _asked(pairing.a) & _asked(pairing.b):
        a, b = _texts(pairing.a, name, pairing.at_a), _texts(pairing.b, name, pairing.at_b)
        differ |= (a != b) & (a != ABSENT) & (b != ABSENT)
    return differ


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
