"""The items of a run found, sorted and summed up from arrays, so that a page is there at once."""

from .index import ItemPage, RunIndex
from .index_cache import IndexCache
from .items import Neighbours, RunItems
from .matrix import Matrix, criteria_of, matrix_of
from .overview import CriterionOverview, RunOverview
from .query import HOWS, LABELS, SCORE, ItemCondition, Query, Sort
from .rows import ItemRow
from .slices import DataSlice, SliceMean, Slices
from .trend import Trend, runs_over_time, trend_of

__all__ = [
    "HOWS",
    "LABELS",
    "SCORE",
    "CriterionOverview",
    "DataSlice",
    "IndexCache",
    "ItemCondition",
    "ItemPage",
    "ItemRow",
    "Matrix",
    "Neighbours",
    "Query",
    "RunIndex",
    "RunItems",
    "RunOverview",
    "SliceMean",
    "Slices",
    "Sort",
    "Trend",
    "criteria_of",
    "matrix_of",
    "runs_over_time",
    "trend_of",
]
