"""One criterion beside people, value by value."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from adjudge.analysis.calibration import CriterionCalibration, GraderCalibration
from adjudge.analysis.score_map import RANGE, ScoreMap

from ...page import Heading, Lines, Table
from ...reasons import reason
from ...strings import Strings
from ..blocks import Folded, Part, Plot, Tongue
from ..charts import confusion_chart, scatter_chart
from ..values import value_name
from .raters import raters


def beside(part: GraderCalibration, name: str, tongue: Tongue) -> Iterator[Part]:
    """Which value the judge gave where people gave which, what a score of it means, and people
    among each other."""
    say, each = tongue.say, part.criteria[name]
    title = part.grader.judge.rubric.title(name)
    yield Heading(say("report.people.beside", criterion=title), tongue.level)
    yield Plot(partial(confusion_chart, say, part, name))
    yield Plot(partial(scatter_chart, say, part, name))
    yield from _confusion(each, say)
    yield from _map(each.score_map, say)
    yield from raters(each, say)


def _confusion(each: CriterionCalibration, say: Strings) -> Iterator[Part]:
    table = each.confusion
    if table is None:
        return
    names = [value_name(say, each.scale, value) for value in table.labels]
    rows = [
        [say("report.people.judge_says", value=name), *(f"{count:,}" for count in counts)]
        for name, counts in zip(names, table.counts.tolist(), strict=True)
    ]
    people = [say("report.people.people_say", value=name) for name in names]
    yield Folded(Table([say("report.slices.items"), *people], rows))


def _map(told: ScoreMap | str, say: Strings) -> Iterator[Part]:
    if isinstance(told, str):
        yield Lines([say("report.people.not_mapped", why=reason(say, told))])
        return
    head = [say("report.people.map_judge"), say("report.people.map_people")]
    rows = [
        [f"{each.judge:g}", f"{each.people:.2f}", f"{each.low:.3g}–{each.high:.3g}"]
        for each in told.shown()
    ]
    yield Table([*head, say("report.people.map_range", share=f"{RANGE:.0%}")], rows)
