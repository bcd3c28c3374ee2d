"""How far each rater is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Container, Iterable

from adjudge.core.label import Label


def complete_by_rater(
    labels: Iterable[Label], items: Container[str], criteria: Collection[str]
) -> dict[str, int]:
    """How many of the items have a label for each of the criteria, by rater."""
    given = Counter((each.rater, each.item) for each in labels if each.criterion in criteria)
    complete = dict.fromkeys((rater for rater, _ in given), 0)
    for (rater, item), count in given.items():
        complete[rater] += count == len(criteria) and item in items
    return complete
