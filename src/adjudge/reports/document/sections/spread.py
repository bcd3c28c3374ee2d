"""How many items have which score: the counts that distributions are drawn from."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

from adjudge.analysis.browsing.overview import CriterionOverview

from ...page import Heading, Table
from ...strings import Strings
from ..blocks import Folded, Part, Plot, Tongue
from ..charts import distribution_chart
from ..values import value_name


def spread(criteria: Sequence[CriterionOverview], tongue: Tongue) -> Iterator[Part]:
    """A plot a criterion, and a table for all that have the same values."""
    say = tongue.say
    yield Heading(say("report.spread.heading"), tongue.level + 1)
    several = len({(each.judge, each.model) for each in criteria}) > 1
    groups: dict[tuple[str, ...], list[CriterionOverview]] = {}
    for each in criteria:
        groups.setdefault(_values(each, say), []).append(each)
    for each in criteria:
        whose = say("report.grader", judge=each.judge, model=each.model) if several else ""
        yield Plot(partial(distribution_chart, say, each), whose)
    for values, group in groups.items():
        yield Folded(_table(values, group, say, several=several))


def _values(each: CriterionOverview, say: Strings) -> tuple[str, ...]:
    return tuple(value_name(say, each.scale, bar.label) for bar in each.distribution)


def _table(
    values: Sequence[str], group: Sequence[CriterionOverview], say: Strings, *, several: bool
) -> Table:
    """A row a value with its items and their share, then what counts in no share."""
    titles = [f"{each.title} · {each.model}" if several else each.title for each in group]
    rows = [
        [value, *(_share(each, each.distribution[at].count) for each in group)]
        for at, value in enumerate(values)
    ]
    if any(each.divided for each in group):
        rows.append([say("plot.divided"), *(_share(each, each.divided) for each in group)])
    if any(each.unscored_items for each in group):
        rows.append([say("plot.unscored"), *(f"{each.unscored_items:,}" for each in group)])
    return Table([say("report.spread.score"), *titles], rows)


def _share(each: CriterionOverview, count: int) -> str:
    return f"{count:,} ({count / each.items:.0%})" if count else "0"
