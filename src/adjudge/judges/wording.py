"""The built-in phrases, one file a language."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

from adjudge.core.judge import Wording

from .yaml_lines import parse

_FOLDER = files(__package__).joinpath("wording")


def languages() -> list[str]:
    """The languages that have phrases of their own."""
    return sorted(f.name.removesuffix(".yaml") for f in _FOLDER.iterdir() if f.name[-5:] == ".yaml")


@cache
def wording_for(language: str) -> Wording:
    """The phrases of a language; English for one that has none.

    A region is ignored: `pt-BR` is worded like `pt`.
    """
    base = language.partition("-")[0]
    name = base if base in languages() else "en"
    values = parse(_FOLDER.joinpath(f"{name}.yaml").read_text("utf-8"), f"{name}.yaml").values
    assert isinstance(values, dict)  # noqa: S101 - our own file, held by a test
    names = values.pop("languages")
    return Wording(language=name, phrases=values, languages=names)
