"""An item to show what the items of a run are like."""

from __future__ import annotations

from adjudge.analysis.browsing.query import Query
from adjudge.core.item import Item
from adjudge.service.state import Service


def first_item(service: Service, run_id: str) -> Item | None:
    """The first one of the data that has a verdict; quick for a run of any size."""
    found = service.indexes.of(run_id).page(Query(size=1))
    ids = [row.item for row in found.rows]
    return service.store.contents(run_id, ids).get(ids[0]) if ids else None
