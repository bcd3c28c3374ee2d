"""The columns that the rows of the data have, found out before any is planned with."""

from __future__ import annotations

from collections.abc import Mapping

from adjudge.core.judge import Input
from adjudge.errors import DataError

from .base import Cells, Source
from .bounds import listed
from .columns import Columns
from .names import normal
from .nested_columns import nested_cells

Names = dict[str, None]  # in their order


class FoundColumns:
    """The columns of the first row of each file, and those of later rows that are `wanted`.

    Writers of JSON often leave out what is null, so the first row alone may lack an input that
    other rows have. `header` is the first row's columns and the wanted ones of all files, `nested`
    a cell of each column whose first value is an object or a list (see `nested_cells`).
    """

    def __init__(self, wanted: frozenset[str]) -> None:
        self._wanted = wanted
        self._valued: set[str] = set()
        self.header: Names = {}
        self.files: dict[Source, Names] = {}
        self.nested: dict[str, object] = {}

    def add(self, source: Source, row: Cells) -> None:
        if not self.files:
            self.header = dict.fromkeys(row)
        self._extend(self.header, row)
        self._extend(self.files.setdefault(source, dict.fromkeys(row)), row)
        if len(self._valued) < len(self.header):
            fresh = {
                name: value
                for name, value in row.items()
                if name in self.header and name not in self._valued and value not in (None, [], {})
            }
            self._valued.update(fresh)
            self.nested |= nested_cells(fresh)

    def check_files(self, columns: Columns, inputs: Mapping[str, Input]) -> None:
        """Raises DataError where a file has no row with the column of a required input."""
        for source, names in self.files.items():
            for name, feed in columns.fields.items():
                if inputs[name].required and feed.column not in names and len(self.files) > 1:
                    raise DataError(
                        f"the columns of the files differ: {source} has {_listed(names)}, but no "
                        f"{feed.column!r}, which feeds the required input {name!r}; "
                        "rename its columns, or run it alone with its own --map"
                    )

    def _extend(self, names: Names, row: Cells) -> None:
        if row.keys() - names:
            names |= {name: None for name in row if normal(name) in self._wanted}


def _listed(names: Names) -> str:
    return listed(names, len(names)) if names else "no columns"
