"""A judge that a request brings along as the text of a judge file."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from adjudge.core.judge import Judge
from adjudge.judges.load import load_text

SHOWN = "definition"  # what messages call it


class Definition(NamedTuple):
    text: str


@lru_cache(maxsize=32)  # reading one takes tens of milliseconds
def read_definition(definition: Definition) -> Judge:
    """DefinitionError names the line."""
    return load_text(definition.text, SHOWN)
