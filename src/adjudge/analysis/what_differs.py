"""What two runs differ in besides their scores, in words; and when a pairing looks wrong."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from .pairing import Pairing


def differs(pairing: Pairing) -> Iterator[str]:
    """One clause each: judge, wording, model, data, judged texts."""
    a, b = pairing.a, pairing.b
    if a.judge.name != b.judge.name:
        yield f"the judge ({a.judge.name}, then {b.judge.name})"
    elif a.fingerprint != b.fingerprint:
        yield f"the judge's wording or rules ({a.fingerprint}, then {b.fingerprint})"
    if a.model != b.model:
        yield f"the model ({a.model}, then {b.model})"
    judged = sum(a.rows[item].judged != b.rows[item].judged for item in pairing.items)
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
    other = sum(_asked_differently(pairing, item) for item in pairing.items)
    if other:
        yield (
            f"In {other} of {total} pairs the inputs that are not judged differ too, e.g. the"
            " question: are these the same items?"
        )
    for at, column in enumerate(columns):
        apart = sum(_apart(pairing, item, at) for item in pairing.items)
        if apart:
            yield f"In {apart} of {total} pairs the runs disagree on {column!r}; A's value counts."


def _asked_differently(pairing: Pairing, item: str) -> bool:
    a, b = pairing.a.rows[item].asked, pairing.b.rows[item].asked
    return any(a[name] != b[name] for name in a.keys() & b.keys())


def _apart(pairing: Pairing, item: str, at: int) -> bool:
    a, b = pairing.a.rows[item].columns[at], pairing.b.rows[item].columns[at]
    return a is not None and b is not None and a != b
