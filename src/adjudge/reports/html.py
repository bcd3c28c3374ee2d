"""A report that can be mailed: one HTML file, nothing loaded from elsewhere."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from importlib.resources import files
from itertools import islice
from typing import Any, BinaryIO

import jinja2

from adjudge.core.score import on_samples

from .paper import paper
from .rows import Row, Rows

# Beyond this a page is no longer read but searched, for which the other formats serve better.
_MOST_ITEMS = 500


@dataclass(slots=True)
class _Line:
    """One criterion of one judge and model in the summary."""

    judge: str
    model: str
    criterion: str
    values: list[float] = field(default_factory=lambda: [0.0, 0.0])
    names: Counter[str] = field(default_factory=Counter)
    outcomes: Counter[str] = field(default_factory=Counter)
    sampled: int = 0

    def add(self, score: dict[str, Any]) -> None:
        self.outcomes[score["outcome"]] += 1
        self.sampled += on_samples(score["distribution"], score["mass"])
        if isinstance(score["value"], str):
            self.names[score["value"]] += 1
        elif score["value"] is not None:
            self.values[0] += 1
            self.values[1] += score["value"]

    @property
    def mean(self) -> str:
        count, total = self.values
        if self.names:
            return ", ".join(f"{name} {count}" for name, count in self.names.most_common())
        return f"{total / count:.2f}" if count else "–"


def write(rows: Rows, out: BinaryIO) -> None:
    """Walks the rows twice: for the summary, and for the items."""
    lines, verdicts, runs = _summary(rows())
    # Escaped: a judged text must never act as markup.
    environment = jinja2.Environment(autoescape=True, undefined=jinja2.StrictUndefined)
    template = environment.from_string(
        files(__package__).joinpath("report.html.j2").read_text("utf-8")
    )
    stream = template.stream(
        style=paper(),
        lines=lines,
        verdicts=verdicts,
        runs=runs,
        shown=min(verdicts, _MOST_ITEMS),
        rows=islice(rows(), _MOST_ITEMS),
    )
    stream.enable_buffering(64)
    stream.dump(out, encoding="utf-8")


def _summary(rows: Iterator[Row]) -> tuple[list[_Line], int, list[str]]:
    lines: dict[tuple[str, str, str], _Line] = {}
    runs: dict[str, None] = {}
    verdicts = 0
    for row in rows:
        verdicts += 1
        runs[str(row["run"])] = None
        scores: Any = row["scores"]
        for name, score in scores.items():
            key = (str(row["judge"]), str(row["model"]), str(name))
            lines.setdefault(key, _Line(*key)).add(score)
    return list(lines.values()), verdicts, list(runs)
