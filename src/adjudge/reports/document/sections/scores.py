"""How verdicts ended, and the scores: means with intervals, spread, and what went unscored."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial

from adjudge.analysis.browsing.overview import CriterionOverview
from adjudge.core.scale import Category

from ...figures import number, plain, worst_best
from ...page import Heading, Lines, Table
from ...strings import Strings
from ..blocks import Part, Plot, Tongue
from ..charts import means_chart
from ..findings import RunFindings
from .spread import spread


def scores(run: RunFindings, tongue: Tongue) -> Iterator[Part]:
    """Outcomes first: they say what the means rest on."""
    say, found = tongue.say, run.overview
    if not found.verdicts:
        yield Lines([say("report.scores.none")])
        return
    yield Heading(say("report.outcomes.heading"), tongue.level)
    head = [say(f"report.outcomes.{name}") for name in ("outcome", "verdicts", "share")]
    yield Table(head, _outcomes(found.outcomes, found.verdicts, say))
    yield Heading(say("report.scores.heading"), tongue.level)
    criteria = [each for grader in found.graders for each in grader.criteria]
    yield _table(criteria, say, samples=run.repeats is not None)
    yield Lines(list(_notes(run, criteria, say)))
    yield Plot(partial(means_chart, say, criteria))
    yield from spread(criteria, tongue)


def _outcomes(outcomes: Mapping[str, int], verdicts: int, say: Strings) -> list[list[str]]:
    return [
        [say(f"outcome.{name}"), f"{count:,}", f"{count / verdicts:.1%}"]
        for name, count in outcomes.items()
        if count
    ]


def _table(criteria: Sequence[CriterionOverview], say: Strings, *, samples: bool) -> Table:
    """With several `samples` an item, what is counted in samples says so: means count items."""
    several = len({(each.judge, each.model) for each in criteria}) > 1
    names = ["criterion", "mean", "items", "unscored", "bounds", "sd", "capped"]
    if samples:
        names[3], names[6] = "unscored_samples", "capped_samples"
    head = [say("report.judged.judge"), say("report.judged.model")] if several else []
    head += [say(f"report.scores.{name}") for name in names]
    rows = []
    for each in criteria:
        row = [each.judge, each.model] if several else []
        row += [each.title, _mean(each, say), f"{each.items:,}", unscored(each.unscored, say)]
        ends = worst_best(each.bounds if each.unscored_items else None)
        row += [ends, number(each.sd), f"{sum(each.rules.values()):,}"]
        rows.append(row)
    return Table(head, rows)


def _mean(each: CriterionOverview, say: Strings) -> str:
    """Of names, their shares."""
    if not isinstance(each.scale, Category):
        return plain(each.mean)
    counts = {bar.label: bar.count for bar in each.distribution}
    if each.divided:
        counts[say("plot.divided")] = each.divided
    return ", ".join(f"{name} {count / (each.items or 1):.0%}" for name, count in counts.items())


def unscored(counts: Mapping[str, int], say: Strings) -> str:
    """How many scores are missing, and why: 3 (2 unreadable, 1 refused)."""
    total = sum(counts.values())
    if not total:
        return "0"
    named = ", ".join(
        say("outcome.counted", n=f"{count:,}", name=say(f"outcome.{name}"))
        for name, count in counts.items()
    )
    return f"{total:,} ({named})"


def _notes(run: RunFindings, criteria: Sequence[CriterionOverview], say: Strings) -> Iterator[str]:
    if any(each.bounds and each.unscored_items for each in criteria):
        yield say("report.scores.bounds_told")
    if run.repeats is not None:
        yield say("report.scores.repeats_told")
    for each in criteria:
        if each.wrong_language:
            count = each.wrong_language
            yield say("report.scores.wrong_language", criterion=each.title, n=count)
