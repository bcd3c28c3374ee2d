"""Rows → Items: a file is checked from end to end, then its rows stream; a module per format."""

from .base import BadRow, Source
from .columns import ColumnMapping
from .in_memory import DataLike, data_of, opened_data
from .items import SingleItems, single_item
from .labels import read_labels
from .rows import CheckedData, DatasetPlan, scan
from .sources import FORMATS, Data, format_for, open_data

__all__ = [
    "FORMATS",
    "BadRow",
    "CheckedData",
    "ColumnMapping",
    "Data",
    "DataLike",
    "DatasetPlan",
    "SingleItems",
    "Source",
    "data_of",
    "format_for",
    "open_data",
    "opened_data",
    "read_labels",
    "scan",
    "single_item",
]
