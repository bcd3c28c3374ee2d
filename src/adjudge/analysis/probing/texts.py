"""What the probes say, and the built-in texts, in one language: a YAML file each in `sets`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

import yaml

LANGUAGES = ("en", "ko", "vi")
# Whose set of the same texts the probe `language` takes.
OTHER = {"en": "ko", "ko": "en", "vi": "en"}


@dataclass(frozen=True, slots=True)
class BuiltIn:
    """One question with an answer that is good, one that is wrong, and the good one reworded."""

    id: str
    question: str
    reference: str
    good: str
    weak: str
    paraphrase: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Texts:
    """`keys` stand in place of an answer, everything else is added to one. In `instructions` and
    `grade_line`, {best} is the top of the judge's scale and {criterion} a criterion's title."""

    language: str
    padding: str
    restated: str
    keys: tuple[str, ...]
    instructions: tuple[str, ...]
    pair_instructions: tuple[str, ...]
    grade_head: str
    grade_line: str
    authority: tuple[str, ...]
    polish_title: str
    polish_lead: str
    polish_close: str
    items: tuple[BuiltIn, ...]


@cache
def texts_in(language: str) -> Texts:
    """The texts of one of LANGUAGES."""
    path = files("adjudge.analysis.probing") / "sets" / f"{language}.yaml"
    content: Mapping[str, Any] = yaml.safe_load(path.read_text("utf-8"))
    plain: dict[str, Any] = {
        name: tuple(value) if isinstance(value, list) else value
        for name, value in content.items()
        if name != "items"
    }
    items = tuple(BuiltIn(**each) for each in content["items"])
    return Texts(language=language, items=items, **plain)
