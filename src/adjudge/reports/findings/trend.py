"""How the runs of one judge went over time, with a mark where the judge or the model changed."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from adjudge.analysis.browsing.trend import Trend, TrendPoint
from adjudge.core.judge import Judge

from ..blocks import Block, Cell, Lines, Plot, Table, Text
from ..plots import charts
from ..words import Words
from .opening import run_name, run_time
from .overview import mean_text

Judges = Mapping[str, Mapping[str, Judge]]


def trend(finding: Trend, judges: Judges, words: Words) -> list[Block]:
    """`judges` are those of each run, by its id."""
    rows: list[list[Text]] = []
    for point in reversed(finding.points):
        record, known = point.record, judges[point.record.id]
        figures = point.figures
        version = known[finding.judge].version if finding.judge in known else "?"
        rows.append(
            [
                Cell(run_name(record, known, words), link="run", fields={"run": record.id}),
                "–" if figures is None else mean_text(figures, words),
                "–" if figures is None else words.count(figures.items),
                f"v{version}",
                point.model,
                ", ".join(changes(point, words)),
            ]
        )
    head = [words("common.run"), words("common.mean"), words("common.items")]
    head += [words("common.judge"), words("common.model"), words("trend.changed")]
    table = Table(head, rows)
    drawn = [point for point in finding.points if _has_mean(point)]
    if len(drawn) < 2:
        return [Lines([words("trend.too_few")]), table]
    title = finding.titles.get(finding.criterion, finding.criterion)
    draw = partial(charts.trend_chart, words, title, drawn, partial(_label, words))
    fields = {"criterion": finding.criterion}
    return [Plot(draw, name="trend", fields=fields, alt=words("trend.alt")), table]


def _has_mean(point: TrendPoint) -> bool:
    return point.figures is not None and point.figures.mean.value is not None


def _label(words: Words, point: TrendPoint) -> tuple[str, str]:
    """Below a point, and above it where something changed."""
    return run_time(point.record.started, words), ", ".join(changes(point, words))


def changes(point: TrendPoint, words: Words) -> list[str]:
    names = []
    if point.judge_changed:
        names.append(words("trend.judge_changed"))
    if point.model_changed:
        names.append(words("trend.model_changed"))
    return names
