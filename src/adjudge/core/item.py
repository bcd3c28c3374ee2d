"""One row to judge."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Item:
    """An id and named texts.

    `fields` holds the texts by input name. `extra` holds the columns that no input uses: they stay
    with the item so that later analysis can group by them. `place` says where the row came from
    ("answers.csv, line 7") for messages.
    """

    id: str
    fields: Mapping[str, str]
    extra: Mapping[str, object] = field(default_factory=dict)
    place: str = ""
