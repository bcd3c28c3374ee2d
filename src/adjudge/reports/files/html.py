"""Verdict rows as a page that can be mailed: one HTML file, nothing loaded from elsewhere."""

from __future__ import annotations

from importlib.resources import files
from itertools import islice
from typing import BinaryIO

import jinja2

from ..blocks import Table
from .rows import Rows

# Beyond this a page is no longer read but searched, for which the other formats serve better.
_MOST_ITEMS = 500


def write(rows: Rows, out: BinaryIO, means: Table | None = None) -> None:
    """Walks the rows twice: to count them, and to show them below the table of `means`."""
    verdicts, runs = 0, dict[str, None]()
    for row in rows():
        verdicts += 1
        runs[row["run"]] = None
    from ..renderers.html import report_styles  # noqa: PLC0415 - charts are loaded with it
    from ..renderers.page import numeric_columns  # noqa: PLC0415 - as above

    # Escaped: a judged text must never act as markup.
    environment = jinja2.Environment(autoescape=True, undefined=jinja2.StrictUndefined)
    template = environment.from_string(
        files(__package__).joinpath("rows.html.j2").read_text("utf-8")
    )
    stream = template.stream(
        style=report_styles(),
        means=means,
        numeric=numeric_columns(means) if means else [],
        verdicts=verdicts,
        runs=list(runs),
        shown=min(verdicts, _MOST_ITEMS),
        rows=islice(rows(), _MOST_ITEMS),
    )
    stream.enable_buffering(64)
    stream.dump(out, encoding="utf-8")
