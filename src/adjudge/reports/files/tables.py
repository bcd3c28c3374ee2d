"""Verdict rows as tables of other libraries, wide or tidy; each library is loaded when asked for.

Wide is a row per verdict, a column per field, named with dots (`scores.accuracy.value`). Tidy is
a row per verdict and criterion: `value` is a number there (yes is 1, no is 0), `label` its name.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from adjudge.core.reason import Reason
from adjudge.errors import UsageError
from adjudge.extras import require

from .rows import Row, flat, in_order

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow

_ABOUT = ("run", "item", "judge", "model", "repeat")
_OF_SCORE = ("outcome", "unit", "explanation", "rule", "why")


def table_rows(rows: Iterable[Row], *, tidy: bool) -> list[Row]:
    """Flat rows that all have the same columns, in one order."""
    made = [part for row in rows for part in (tidy_rows(row) if tidy else [flat(row)])]
    names = dict.fromkeys(name for row in made for name in row)
    columns = list(names) if tidy else in_order(names)
    return [{name: row.get(name) for name in columns} for row in made]


def tidy_rows(row: Row) -> Iterator[Row]:
    """One per criterion, with the item's columns behind where the row has them."""
    data = {name: value for name, value in flat(row).items() if name.startswith("data.")}
    for criterion, score in row["scores"].items():
        value = score["value"]
        yield {
            **{name: row[name] for name in _ABOUT},
            "criterion": criterion,
            "value": None if value is None or isinstance(value, str) else float(value),
            "label": value if isinstance(value, str) else score["label"],
            **{name: score[name] for name in _OF_SCORE},
            **data,
        }


def as_pandas(rows: list[Row]) -> pandas.DataFrame:
    try:
        import pandas  # noqa: PLC0415 - the user's own
    except ImportError:
        raise UsageError(Reason("run.pandas")) from None
    return pandas.DataFrame(rows)


def as_polars(rows: list[Row]) -> polars.DataFrame:
    require("polars", "to_polars()")
    import polars  # noqa: PLC0415 - an optional extra

    return polars.DataFrame(_of_one_kind(rows), infer_schema_length=None)


def as_arrow(rows: list[Row]) -> pyarrow.Table:
    require("parquet", "to_arrow()")
    import pyarrow  # noqa: PLC0415 - slow to load, and an optional extra

    return pyarrow.Table.from_pylist(_of_one_kind(rows))


def _of_one_kind(rows: list[Row]) -> list[Row]:
    """A column that holds numbers and texts holds texts only: these tables take one kind."""
    mixed = {
        name
        for name in (rows[0] if rows else ())
        if len({_kind(row[name]) for row in rows if row[name] is not None}) > 1
    }
    if not mixed:
        return rows
    return [
        {name: str(v) if name in mixed and v is not None else v for name, v in row.items()}
        for row in rows
    ]


def _kind(value: object) -> str:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    return "number" if number else type(value).__name__
