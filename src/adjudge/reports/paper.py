"""How pages that can be mailed look."""

from __future__ import annotations

from functools import cache
from importlib.resources import files


@cache
def paper() -> str:
    """The styles, to stand in the page itself."""
    return files(__package__).joinpath("paper.css").read_text("utf-8").strip()
