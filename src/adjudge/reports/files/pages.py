"""Findings as files: Markdown for a pull request, a whole report also as HTML."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from adjudge.core.reason import Reason
from adjudge.errors import UsageError

from ..blocks import Block
from ..renderers.markdown import as_markdown
from . import check_path
from .whole_file import write_whole


def check_page_path(path: Path) -> None:
    """UsageError when no page could be written there; to be called before anything is spent."""
    if path.suffix.casefold() != ".md":
        raise UsageError(Reason("output.markdown").in_file(path))
    check_path(path)


def write_page(path: Path, blocks: Iterable[Block]) -> None:
    """The page as a Markdown file, whole or not at all."""
    text = as_markdown(blocks).encode(errors="backslashreplace")
    write_whole(path, lambda out: out.write(text))
