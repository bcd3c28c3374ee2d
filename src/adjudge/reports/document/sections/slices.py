"""The means for each value of a column of the data."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from adjudge.analysis.browsing.overview import CriterionOverview
from adjudge.analysis.browsing.slicing import SliceMean

from ...figures import plain
from ...page import Heading, Lines, Table
from ...strings import Strings
from ..blocks import Part, Plot, Tongue
from ..charts import slice_name, slices_chart
from ..findings import RunFindings
from ..values import name_of


def slices(run: RunFindings, tongue: Tongue) -> Iterator[Part]:
    """For each column that was asked for a table, its values across with their items, and a plot a
    criterion."""
    say = tongue.say
    criteria = [each for grader in run.overview.graders for each in grader.criteria if each.items]
    several = len(run.overview.graders) > 1
    for found in run.slices:
        yield Heading(say("report.slices.heading", column=found.column), tongue.level)
        if not criteria:
            yield Lines([say("report.slices.none")])
            continue
        values = [f"{slice_name(say, each)} ({each.items:,})" for each in found.values]
        rows = []
        for which in criteria:
            name = f"{which.title} · {which.model}" if several else which.title
            rows.append([name, *(_cell(each.means.get(_key(which)), say) for each in found.values)])
        yield Table([say("report.scores.criterion"), *values], rows)
        for which in criteria:  # names have no means to draw
            whose = say("report.grader", judge=which.judge, model=which.model) if several else ""
            yield Plot(partial(slices_chart, say, found, which), whose)


def _key(each: CriterionOverview) -> tuple[str, str, str]:
    return each.judge, each.model, each.criterion


def _cell(part: SliceMean | None, say: Strings) -> str:
    if part is None:
        return say("report.dash")
    told = _shares(part, say) if part.names else plain(part.mean)
    if not part.unscored:
        return told
    return say("report.slices.cell", mean=told, unscored=part.unscored)


def _shares(part: SliceMean, say: Strings) -> str:
    return ", ".join(f"{name_of(say, name)} {n / part.n:.0%}" for name, n in part.names.items())
