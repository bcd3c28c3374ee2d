"""The report on a run, or on two: gathered, put together, and written as HTML or Markdown."""

from __future__ import annotations

from .findings import Findings, ReportOptions
from .gather import gather
from .write import as_html, as_markdown, check_report_path, write_report

__all__ = [
    "Findings",
    "ReportOptions",
    "as_html",
    "as_markdown",
    "check_report_path",
    "gather",
    "write_report",
]
