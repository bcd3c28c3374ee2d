"""When the majority of samples is certain before all of them are taken."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator, Sequence


def is_decided(values: Sequence[Hashable], to_come: int) -> bool:
    """Whether one value leads, and will lead alone, whatever the samples `to_come` say.

    `values` are those of the samples taken; one without a value has no vote. Stopping here leaves
    the commonest value of the whole as it would be; a mean over the samples may well differ.
    """
    if not to_come:
        return True
    leading = [count for _, count in Counter(values).most_common(2)] + [0, 0]
    return leading[0] - leading[1] > to_come


def steps(samples: int) -> Iterator[range]:
    """The samples in the steps in which they are taken: a bare majority at once, then one by one.

    Before the first step is done nothing can be decided.
    """
    first = samples // 2 + 1
    yield range(first)
    for sample in range(first, samples):
        yield range(sample, sample + 1)
