"""A report that can be mailed: one HTML file, nothing loaded from elsewhere."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from importlib.resources import files
from itertools import islice
from math import isnan, nan
from typing import Any, BinaryIO

import jinja2

from adjudge.analysis.scores import DIVIDED, over_samples
from adjudge.core.score import on_samples
from adjudge.stats.samples import moments

from .rows import Row, Rows

# Beyond this a page is no longer read but searched, for which the other formats serve better.
_MOST_ITEMS = 500


@dataclass(slots=True)
class _Line:
    """One criterion of one judge and model in the summary. `values` has one per item, its repeats
    made one first, as everywhere; names by their place in `names`."""

    judge: str
    model: str
    criterion: str
    values: array[float] = field(default_factory=lambda: array("d"))
    names: dict[str, int] = field(default_factory=dict)
    outcomes: Counter[str] = field(default_factory=Counter)
    sampled: int = 0
    _item: str = ""
    _samples: list[float] = field(default_factory=list)

    def add(self, item: str, score: dict[str, Any]) -> None:
        """The repeats of an item come one after the other."""
        if item != self._item:
            self.end_item()
            self._item = item
        self.outcomes[score["outcome"]] += 1
        self.sampled += on_samples(score["distribution"], score["mass"])
        value = score["value"]
        if isinstance(value, str):
            value = self.names.setdefault(value, len(self.names))
        if value is not None:
            self._samples.append(value)

    def end_item(self) -> None:
        if self._samples:
            value = over_samples(self._samples, names=bool(self.names))
            self.values.append(nan if value is None else value)
            self._samples.clear()

    @property
    def mean(self) -> str:
        if not self.values:
            return "–"
        if not self.names:
            return f"{moments(self.values)[0]:.2f}"
        names = list(self.names)
        counts = Counter(DIVIDED if isnan(at) else names[int(at)] for at in self.values)
        return ", ".join(f"{name} {count}" for name, count in counts.most_common())


def write(rows: Rows, out: BinaryIO) -> None:
    """Walks the rows twice: for the summary, and for the items."""
    lines, verdicts, runs = _summary(rows())
    from ..renderers.html import report_styles  # noqa: PLC0415 - charts are loaded with it

    # Escaped: a judged text must never act as markup.
    environment = jinja2.Environment(autoescape=True, undefined=jinja2.StrictUndefined)
    template = environment.from_string(
        files(__package__).joinpath("rows.html.j2").read_text("utf-8")
    )
    stream = template.stream(
        style=report_styles(),
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
        runs[row["run"]] = None
        for name, score in row["scores"].items():
            key = (row["judge"], row["model"], name)
            lines.setdefault(key, _Line(*key)).add(row["item"], score)
    for line in lines.values():
        line.end_item()
    return list(lines.values()), verdicts, list(runs)
