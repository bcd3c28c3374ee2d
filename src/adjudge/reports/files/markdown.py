"""Verdict rows as a Markdown table for people to look over.

Every text is escaped, so that what a model or a judged text says can neither break the table nor
become HTML, an image or a link under another name.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import BinaryIO

from ..renderers.markdown import escaped, table_line
from .rows import Row, Rows, plain_cell

_LONGEST = 200  # characters of an explanation or a text of the data
_IDENTITY = ("judge", "model", "repeat")


def write(rows: Rows, out: BinaryIO) -> None:
    """Walks the rows twice: for the columns that occur, then to write them.

    Judge, model and repeat are columns only where they differ; else they stand above the table.
    """
    seen = _Seen()
    for row in rows():
        seen.add(row)
    varying = [name for name in _IDENTITY if len(seen.identity[name]) > 1]
    head = ["item", *varying, "outcome", *seen.criteria, "explanation"]
    head += [f"data.{name}" for name in seen.data]
    lines = [*seen.summary(), "", table_line(map(escaped, head)), table_line("---" for _ in head)]
    out.write("".join(f"{line}\n" for line in lines).encode())
    for row in rows():
        scores = row["scores"]
        cells = [escaped(str(row[name])) for name in ("item", *varying, "outcome")]
        cells += [_value(scores.get(name)) for name in seen.criteria]
        cells.append(escaped(_explanation(scores), _LONGEST))
        data = (plain_cell(row.get("data", {}).get(name)) for name in seen.data)
        cells += [escaped("" if cell is None else str(cell), _LONGEST) for cell in data]
        out.write(f"{table_line(cells)}\n".encode())


@dataclass(slots=True)
class _Seen:
    """What the rows hold, from a first walk over them."""

    criteria: dict[str, None] = field(default_factory=dict)
    data: dict[str, None] = field(default_factory=dict)
    outcomes: Counter[str] = field(default_factory=Counter)
    identity: dict[str, set[str]] = field(
        default_factory=lambda: {name: set() for name in ("run", *_IDENTITY)}
    )

    def add(self, row: Row) -> None:
        self.criteria.update(dict.fromkeys(row["scores"]))
        self.data.update(dict.fromkeys(row.get("data", {})))
        self.outcomes[row["outcome"]] += 1
        for name, values in self.identity.items():
            values.add(str(row[name]))

    def summary(self) -> list[str]:
        constant = [
            f"{name} {escaped(next(iter(values)))}"
            for name, values in self.identity.items()
            if len(values) == 1 and name != "repeat"
        ]
        counts = [f"{count} {escaped(outcome)}" for outcome, count in self.outcomes.most_common()]
        return ["# Verdicts", "", " · ".join([*constant, *counts]) or "no rows"]


def _value(score: Mapping[str, object] | None) -> str:
    """The value with its label and the rule that changed it, else why there is none."""
    if score is None:
        return ""
    if score["value"] is None:
        return escaped(str(score["outcome"]))
    shown = _plain(score["value"])
    if score["label"] is not None:
        shown += f" {score['label']}"
    if score["rule"] is not None:
        shown += f" ({score['rule']}, was {_plain(score['raw'])})"
    return escaped(shown)


def _plain(value: object) -> str:
    return ("yes" if value else "no") if isinstance(value, bool) else str(value)


def _explanation(scores: Mapping[str, Mapping[str, object]]) -> str:
    said = {name: _said(score) for name, score in scores.items()}
    if len(said) == 1:
        return next(iter(said.values()))
    return " ".join(f"{name}: {text}" for name, text in said.items() if text)


def _said(score: Mapping[str, object]) -> str:
    """Why there is no value, then what the judge wrote, with the mark of a wrong language."""
    mark = score["explanation_outcome"]
    parts = (score["why"], score["explanation"], f"({mark})" if mark else None)
    return " ".join(str(part) for part in parts if part)
