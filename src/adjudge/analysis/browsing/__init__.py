"""The items of a run found, sorted and summed up from arrays, so that a page is there at once."""

from .conditions import HOWS, LABELS, SCORE, ItemCondition
from .index import ItemPage, RunIndex
from .index_cache import IndexCache
from .items import Neighbours, RunItems
from .matrix import Matrix, MatrixColumn, criteria_of, matrix_of
from .overview import CriterionOverview, RunOverview
from .query import Query, Sort
from .rows import ItemRow
from .slices import DataSlice, SliceMean, Slices
from .trend import Trend, TrendPoint, runs_over_time, trend_of

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
    "MatrixColumn",
    "Neighbours",
    "Query",
    "RunIndex",
    "RunItems",
    "RunOverview",
    "SliceMean",
    "Slices",
    "Sort",
    "Trend",
    "TrendPoint",
    "criteria_of",
    "matrix_of",
    "runs_over_time",
    "trend_of",
]
