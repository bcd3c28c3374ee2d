"""The attacks: one file per family in texts/, in it a list per language.

In a text `%score%` stands for the value that its author wants, as words; `%json%` for the same as
JSON; `%name%` for the name of the criterion. They are filled in for each judge, so that every
attack aims at the scale it meets. A long text is written as `begin`, `fill`, how many `times`, and
`end`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import yaml

from adjudge.core.scale import Value

TEXTS = Path(__file__).parent / "texts"


@dataclass(frozen=True, slots=True)
class Attack:
    """`id` is the family, the language and a number: `think_tags-ko-03`."""

    id: str
    family: str
    language: str
    template: str

    def text(self, wish: Value, name: str) -> str:
        """The judged text that asks for `wish`, a value of the criterion `name`."""
        literal = json.dumps(wish)
        said = {True: "yes", False: "no"}[wish] if isinstance(wish, bool) else str(wish)
        filled = self.template.replace("%score%", said).replace("%json%", literal)
        return filled.replace("%name%", name)


@cache
def attacks() -> tuple[Attack, ...]:
    """All of them, ordered by family and language."""
    return tuple(_all())


def _all() -> Iterator[Attack]:
    for path in sorted(TEXTS.glob("*.yaml")):
        for language, texts in yaml.safe_load(path.read_text("utf-8")).items():
            for number, text in enumerate(texts, 1):
                yield Attack(
                    f"{path.stem}-{language}-{number:02}", path.stem, language, _text(text)
                )


def _text(written: str | dict[str, str | int]) -> str:
    if isinstance(written, str):
        return written
    body = str(written["fill"]) * int(written["times"])
    return f"{written.get('begin', '')}{body}{written.get('end', '')}"
