"""The items of a run found, sorted and summed up from arrays, so that a page is there at once."""

from .index import IndexCache, ItemPage, Neighbours, RunIndex
from .overview import CriterionOverview, RunOverview
from .query import Query, Sort
from .rows import ItemRow
from .slices import DataSlice, SliceMean, Slices

__all__ = [
    "CriterionOverview",
    "DataSlice",
    "IndexCache",
    "ItemPage",
    "ItemRow",
    "Neighbours",
    "Query",
    "RunIndex",
    "RunOverview",
    "SliceMean",
    "Slices",
    "Sort",
]
