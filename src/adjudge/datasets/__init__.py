"""Rows → Items: a file is checked from end to end, then its rows stream; a module per format."""

from .base import BadRow, Source
from .columns import ColumnMapping, ProposedColumns, merge_inputs, propose_columns
from .in_memory import DataLike, data_of, opened_data
from .items import SingleItems, single_item
from .labels import opened_labels, read_labels
from .rows import CheckedData, DatasetPlan, scan
from .sources import FORMATS, Data, FileLook, format_for, open_data

__all__ = [
    "FORMATS",
    "BadRow",
    "CheckedData",
    "ColumnMapping",
    "Data",
    "DataLike",
    "DatasetPlan",
    "FileLook",
    "ProposedColumns",
    "SingleItems",
    "Source",
    "data_of",
    "format_for",
    "merge_inputs",
    "open_data",
    "opened_data",
    "opened_labels",
    "propose_columns",
    "read_labels",
    "scan",
    "single_item",
]
