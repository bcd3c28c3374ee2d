"""How many items have which score: drawn, and as tables behind a fold."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial

from adjudge.analysis.browsing import CriterionOverview, RunOverview

from ..blocks import Block, Folded, Plot, Section, Table
from ..plots import charts
from ..words import Words


def which_criterion(overview: CriterionOverview) -> dict[str, str]:
    return {"judge": overview.judge, "model": overview.model, "criterion": overview.criterion}


def several_graders(criteria: Sequence[CriterionOverview]) -> bool:
    return len({(criterion.judge, criterion.model) for criterion in criteria}) > 1


def titled(criterion: CriterionOverview, *, several: bool) -> str:
    """With its model where there are several."""
    return f"{criterion.title} · {criterion.model}" if several else criterion.title


def spread_of(criteria: Sequence[CriterionOverview], words: Words) -> Section:
    """How many items have which score: a plot per criterion, and a table for all that have the same
    values."""
    several = several_graders(criteria)
    groups: dict[tuple[str, ...], list[CriterionOverview]] = {}
    blocks: list[Block] = []
    for criterion in criteria:
        groups.setdefault(_values(criterion, words), []).append(criterion)
    blocks += _distributions(criteria, words)
    for values, group in groups.items():
        titles = [titled(criterion, several=several) for criterion in group]
        blocks.append(_folded(_counts(values, group, titles, words), group, words))
    return Section(words("report.spread.heading"), blocks, "spread")


def overlays(runs: Mapping[str, RunOverview], words: Words) -> Section | None:
    """How the scores of a criterion are spread in several runs, by what those are called; None
    unless one drawing can hold them all."""
    by_name: dict[str, dict[str, CriterionOverview]] = {}
    for called, overview in runs.items():
        for one in overview.criteria:
            whose = f"{called}: {one.model}" if len(overview.graders) > 1 else called
            by_name.setdefault(one.criterion, {})[whose] = one
    groups = by_name.values()
    if not groups or not all(charts.can_overlay([*group.values()]) for group in groups):
        return None
    blocks: list[Block] = [overlay(name, group, words) for name, group in by_name.items()]
    for group in groups:
        criteria = [*group.values()]
        titles = [
            words("report.spread.of", criterion=one.title, run=run) for run, one in group.items()
        ]
        counts = _counts(_values(criteria[0], words), criteria, titles, words)
        blocks.append(_folded(counts, criteria[:1], words))
    return Section(words("report.spread.heading"), blocks, "spread")


def _folded(counts: Table, group: Sequence[CriterionOverview], words: Words) -> Folded:
    names = ", ".join(dict.fromkeys(criterion.title for criterion in group))
    return Folded(counts, f"{words('report.folded')}: {names}")


def _distributions(criteria: Sequence[CriterionOverview], words: Words) -> Iterator[Plot]:
    """A plot per criterion, for all models where it can hold them."""
    by_name: dict[str, list[CriterionOverview]] = {}
    for criterion in criteria:
        by_name.setdefault(criterion.criterion, []).append(criterion)
    several = several_graders(criteria)
    one_judge = len({criterion.judge for criterion in criteria}) == 1
    for name, group in by_name.items():
        if charts.can_overlay(group):
            labels = (
                one.model if one_judge else words.grader(one.judge, one.model) for one in group
            )
            yield overlay(name, dict(zip(labels, group, strict=True)), words)
            continue
        for one in group:
            whose = words.grader(one.judge, one.model) if several else ""
            drawn = partial(charts.distribution_chart, words, one)
            alt = words("run.distribution_alt", criterion=one.title, n=one.items)
            yield Plot(drawn, whose, "distribution", which_criterion(one), alt)


def overlay(name: str, named: Mapping[str, CriterionOverview], words: Words) -> Plot:
    """The distributions of a criterion by several models, or in two runs."""
    first = next(iter(named.values()))
    alt = words("run.overlay_alt", criterion=first.title, names=", ".join(named))
    drawn = partial(charts.overlay_chart, words, named)
    return Plot(drawn, "", "overlay", {"criterion": name}, alt)


def _values(criterion: CriterionOverview, words: Words) -> tuple[str, ...]:
    return tuple(words.value(criterion.scale, bar.label) for bar in criterion.distribution)


def _counts(
    values: Sequence[str], group: Sequence[CriterionOverview], titles: Sequence[str], words: Words
) -> Table:
    """A row per value with its items and their share, then what counts in no share."""
    rows = [
        [
            value,
            *(_share(words, criterion, criterion.distribution[at].count) for criterion in group),
        ]
        for at, value in enumerate(values)
    ]
    if any(criterion.divided for criterion in group):
        shares = [_share(words, criterion, criterion.divided) for criterion in group]
        rows.append([words("common.divided"), *shares])
    if any(criterion.unscored_items for criterion in group):
        counts = [words.count(criterion.unscored_items) for criterion in group]
        rows.append([words("plot.unscored"), *counts])
    return Table([words("common.score"), *titles], rows)


def _share(words: Words, criterion: CriterionOverview, count: int) -> str:
    return (
        f"{words.count(count)} ({words.number(count / criterion.items, '.0%')})" if count else "0"
    )
