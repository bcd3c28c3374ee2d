"""Findings drawn, with titles, axes and descriptions in the reader's language.

Each gives SVG text, or None where there is nothing to draw.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import pairwise
from urllib.parse import urlencode

import numpy as np

from adjudge.analysis.browsing import CriterionOverview, DataSlice, ItemCondition, Slices
from adjudge.analysis.browsing.trend import TrendPoint
from adjudge.analysis.calibration import GraderCalibration
from adjudge.analysis.comparison import Changes, Difference, GraderComparison
from adjudge.analysis.probing import Probed
from adjudge.analysis.ranking import RankingPart
from adjudge.analysis.scores import DIVIDED
from adjudge.core.scale import Binary, Category, ValueRange, value_range

from ..findings.trust import FAIR, GOOD, deciding_figure
from ..words import Words
from .agreement import confusion_plot, scatter_plot
from .distribution import MOST_SERIES, Bar, Series, distribution_plot
from .intervals import (
    CorrectedRow,
    ProbeRow,
    StatRow,
    agreement_plot,
    corrected_plot,
    differences_plot,
    interval_plot,
    probes_plot,
)
from .sheet import fitted
from .svg import PlotWords
from .texts import MOST_READ_OUT, figure_words, rows_words, words_for
from .trend import TrendMark, trend_plot

_UNIT = (0.0, 1.0)
_LESS = 1e-4  # what a score below the end of a bin is less, at most
_TITLE = 18  # letters of a title that shares a label with a model


def distribution_chart(words: Words, criterion: CriterionOverview) -> str:
    """Items by score, the unscored ones apart."""
    bars = _bars(words, criterion, divided=bool(criterion.divided))
    unscored = criterion.unscored_items
    fields = {"criterion": criterion.title, "bars": _listed(words, bars), "unscored": unscored}
    x = "x_names" if isinstance(criterion.scale, Category) else "x"
    texts = words_for(words, "distribution", x=x, **fields)
    asked = _ask(criterion, outcome="unscored")
    return distribution_plot([Series("", bars, unscored, asked)], texts)


def can_overlay(criteria: Sequence[CriterionOverview]) -> bool:
    """Whether one drawing can hold their distributions: they have the same values."""
    labels = {tuple(bar.label for bar in criterion.distribution) for criterion in criteria}
    return 1 < len(criteria) <= MOST_SERIES and len(labels) == 1


def overlay_chart(words: Words, named: Mapping[str, CriterionOverview]) -> str:
    """The distributions of one criterion by several models or in several runs, beside each other;
    `named` are those for which `can_overlay` holds."""
    divided = any(criterion.divided for criterion in named.values())
    series = [
        Series(
            name,
            _bars(words, criterion, divided=divided),
            criterion.unscored_items,
            _ask(criterion, outcome="unscored"),
        )
        for name, criterion in named.items()
    ]
    listed = (
        words("plot.overlay.row", name=one.name, bars=_listed(words, one.bars), n=one.unscored)
        for one in series
    )
    first = next(iter(named.values()))
    x = "x_names" if isinstance(first.scale, Category) else "x"
    texts = words_for(words, "overlay", x=x, criterion=first.title, rows=" ".join(listed))
    return distribution_plot(series, texts)


def _bars(words: Words, criterion: CriterionOverview, *, divided: bool) -> list[Bar]:
    bars = [
        Bar(words.value(criterion.scale, bar.label), bar.count, _ask_bar(criterion, at))
        for at, bar in enumerate(criterion.distribution)
    ]
    if divided:
        asked = _ask(criterion, value=DIVIDED)
        bars.append(Bar(words("common.divided"), criterion.divided, asked))
    return bars


def _listed(words: Words, bars: Sequence[Bar]) -> str:
    return ", ".join(
        words("plot.distribution.bar", label=bar.label, count=bar.count) for bar in bars
    )


def _ask(which: CriterionOverview, **further: str) -> str:
    """The parameters that ask a run's page for such items."""
    fields = {"criterion": which.criterion, "judge": which.judge, "model": which.model}
    return urlencode(fields | further)


def _ask_bar(criterion: CriterionOverview, at: int) -> str:
    """A level, a name, or a bin, whose end belongs to the next one. Means of repeats count at the
    nearest level: up to the middle between two."""
    bars = criterion.distribution
    bar = bars[at]
    if bar.low is None or bar.high is None:
        return _ask(criterion, value=bar.label)
    low, high = bar.low, bar.high
    if isinstance(criterion.scale, Binary):
        return _ask(criterion, value="yes" if low else "no")
    if low == high and criterion.scored > criterion.items:
        middles = [(a.low or 0.0, b.low or 0.0) for a, b in pairwise(bars)]
        low = sum(middles[at - 1]) / 2 if at else low
        high = sum(middles[at]) / 2 - _LESS if at + 1 < len(bars) else high
    elif low != high and at + 1 < len(bars):
        high -= _LESS
    return _ask(criterion, low=f"{low:g}", high=f"{high:.6g}")


def means_chart(words: Words, criteria: Sequence[CriterionOverview]) -> str | None:
    """Means by criterion, on one axis: drawn as shares of their scales where these differ, and
    written as tables have them."""
    ordered = [criterion for criterion in criteria if criterion.mean.value is not None]
    called = _grader_labels(criteria)
    spans = [_ends_of(criterion) for criterion in ordered]
    one = len(set(spans)) == 1
    rows = []
    for criterion, ends in zip(ordered, spans, strict=True):
        drawn = criterion.mean if one else criterion.mean.scaled(*(ends or _UNIT))
        note = _note(words, criterion.items, criterion.unscored_items)
        share = _is_share(criterion)
        rows.append(StatRow(called(criterion), drawn, note, criterion.mean, share=share))
    plot = partial(interval_plot, span=spans[0] if one else _UNIT)
    return _interval_chart(words, "means", rows, plot, x="x" if one else "x_unit")


def _grader_labels(criteria: Sequence[CriterionOverview]) -> Callable[[CriterionOverview], str]:
    """What tells the rows apart: a label is cut at its end."""
    if len({(criterion.judge, criterion.model) for criterion in criteria}) == 1:
        return lambda criterion: criterion.title
    if len({criterion.criterion for criterion in criteria}) == 1:
        return lambda criterion: criterion.model
    return lambda criterion: f"{fitted(criterion.title, _TITLE)} · {criterion.model}"


def _ends_of(criterion: CriterionOverview) -> ValueRange | None:
    """The ends of the scale that a mean is on; None for likelihoods, which are on none."""
    return value_range(criterion.scale) if criterion.on_scale else None


def _is_share(criterion: CriterionOverview) -> bool:
    """Whether a mean of it is the share of yes."""
    return isinstance(criterion.scale, Binary) and criterion.on_scale


def slices_chart(words: Words, sliced: Slices, which: CriterionOverview) -> str | None:
    """The mean for each value of a column, of one judge, model and criterion."""
    rows = []
    for data_slice in sliced.values:
        part = data_slice.means.get((which.judge, which.model, which.criterion))
        if part is not None and part.mean.value is not None:
            note = _note(words, part.n, part.unscored)
            ask = "" if data_slice.rest else _ask_slice(sliced.column, data_slice.value)
            name = slice_name(words, data_slice)
            rows.append(StatRow(name, part.mean, note, ask=ask, share=_is_share(which)))
    plot, fields = partial(interval_plot, span=_ends_of(which)), {"column": sliced.column}
    return _interval_chart(words, "slices", rows, plot, criterion=which.title, **fields)


def _ask_slice(column: str, value: str | None) -> str:
    return urlencode({"where": str(ItemCondition(column, "=", value or ""))})


def slice_name(words: Words, data_slice: DataSlice) -> str:
    """The value that the items of a part share."""
    if data_slice.rest:
        return words("plot.others", n=data_slice.rest)
    return words("plot.none") if data_slice.value is None else data_slice.value


def confusion_chart(words: Words, part: GraderCalibration, name: str) -> str | None:
    """People by judge, where the values are few enough for a table."""
    criterion = part.criteria[name]
    table = criterion.confusion
    if table is None:
        return None
    labels = [words.value(criterion.scale, value) for value in table.labels]
    same, n = int(np.trace(table.counts)), int(table.counts.sum())
    texts = words_for(words, "confusion", criterion=_title(words, part, name), same=same, n=n)

    def ask(judge: int, people: int) -> str:
        said, shown = (_written(table.labels[at]) for at in (people, judge))
        fields = {"criterion": name, "judge": part.grader.judge.name, "model": part.grader.model}
        return urlencode(fields | {"value": shown, "label": f"={said}"})

    return confusion_plot(labels, table.counts, texts, ask)


def _written(value: object) -> str:
    """As an address has it."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:g}" if isinstance(value, float) else str(value)


def trend_chart(
    words: Words,
    criterion: str,
    points: Sequence[TrendPoint],
    label: Callable[[TrendPoint], tuple[str, str]],
) -> str | None:
    """The mean of each run and model, the corrected one where there is one, with its interval."""
    marks = []
    runs = list(dict.fromkeys(point.record.id for point in points))
    for point in points:
        if point.figures is None:
            continue
        below, above = label(point)
        stat = point.figures.corrected or point.figures.mean
        seen = f"{below}, {point.model}: {words.plain(stat)}" + (f" ({above})" if above else "")
        at = runs.index(point.record.id)
        marks.append(TrendMark(at, below, point.model, stat, above, seen))
    ends = {_ends_of(point.figures) for point in points if point.figures is not None}
    listed = "; ".join(mark.seen for mark in marks[:MOST_READ_OUT])
    texts = words_for(words, "trend", criterion=criterion, rows=listed)
    return trend_plot(marks, texts, ends.pop() if len(ends) == 1 else None)


def scatter_chart(words: Words, part: GraderCalibration, name: str) -> str | None:
    """Judge against people item by item, where both are on the same scale of numbers."""
    criterion = part.criteria[name]
    ends, judge, people = value_range(criterion.scale), criterion.pairs.judge, criterion.pairs.human
    if ends is None or not can_scatter(part, name):
        return None
    same = int((judge == people).sum())
    texts = words_for(
        words, "scatter", criterion=_title(words, part, name), same=same, n=len(judge)
    )
    return scatter_plot(people, judge, ends, texts)


def can_scatter(part: GraderCalibration, name: str) -> bool:
    """Names have no axis, and likelihoods none that people share."""
    criterion = part.criteria[name]
    ends, judge = value_range(criterion.scale), criterion.pairs.judge
    return ends is not None and len(judge) > 0 and ends[0] <= judge.min() <= judge.max() <= ends[1]


def corrected_chart(words: Words, part: GraderCalibration) -> str | None:
    """The judge's means beside the corrected ones."""
    criteria = part.criteria.values()
    ordered = [criterion for criterion in criteria if criterion.means.raw.value is not None]
    if not ordered:
        return None
    spans = [value_range(criterion.scale) or _UNIT for criterion in ordered]
    one = len(set(spans)) == 1
    rows = []
    for criterion, ends in zip(ordered, spans, strict=True):
        raw, corrected = criterion.means.raw, criterion.means.corrected.stat
        written = raw, corrected
        if not one:
            raw, corrected = raw.scaled(*ends), corrected.scaled(*ends)
        rows.append(CorrectedRow(_title(words, part, criterion.name), raw, corrected, written))
    listed = "; ".join(
        words(
            "plot.corrected.row",
            label=row.label,
            raw=figure_words(words, row.written[0]),
            corrected=figure_words(words, row.written[1]),
        )
        for row in rows
    )
    texts = words_for(words, "corrected", x="x" if one else "x_unit", rows=listed)
    return corrected_plot(rows, texts, spans[0] if one else _UNIT)


def agreement_chart(words: Words, part: GraderCalibration) -> str | None:
    """How well the judge agrees with people, a row per criterion."""
    rows = []
    for name, criterion in part.criteria.items():
        note = words("plot.note", n=criterion.n)
        rows.append(StatRow(_title(words, part, name), deciding_figure(criterion), note))
    return _interval_chart(words, "agreement", rows, partial(agreement_plot, reached=(FAIR, GOOD)))


def differences_chart(words: Words, section: GraderComparison) -> str | None:
    """B minus A by criterion; drawn as shares of the scales where these differ or values are names,
    and written as tables have them."""
    results = section.criteria
    spans = {result.span for result in results.values() if isinstance(result, Difference)}
    one = len(spans) == 1 and all(
        isinstance(result, Difference) and not result.rescaled for result in results.values()
    )
    rows = []
    for name, result in results.items():
        title = words.criterion(section.judge_a, name)
        if isinstance(result, Changes):
            note = words("plot.note", n=result.n)
            for option, (_, _, paired) in result.options.items():
                label = f"{title}: {words.name(option)}"
                rows.append(StatRow(label, paired.difference, note))
        else:
            written = result.paired.difference
            note = _note(words, result.paired.n, result.missing.total)
            rows.append(StatRow(title, written if one else result.unit, note, written))
    return _interval_chart(words, "differences", rows, differences_plot, x="x" if one else "x_unit")


def ranking_chart(words: Words, part: RankingPart) -> str | None:
    """Systems in order of strength, where they have one."""
    rows = [
        StatRow(standing.system, standing.strength, words("plot.note", n=standing.n))
        for standing in part.ranked.standings
    ]
    title = words.criterion(part.judge, part.criterion)
    return _interval_chart(words, "ranking", rows, differences_plot, criterion=title)


def probes_chart(words: Words, probed: Probed) -> str | None:
    """What each probe did, by the criterion that decides."""
    several = len(probed.models) > 1
    rows = [
        ProbeRow(
            f"{words(f'probe.name.{finding.probe}')} · {finding.model}"
            if several
            else words(f"probe.name.{finding.probe}"),
            finding.effect,
            finding.limit,
            finding.rating,
        )
        for finding in probed.deciding()
    ]
    if not rows:
        return None
    listed = "; ".join(
        words(
            "plot.probes.row",
            label=row.label,
            figure=figure_words(words, row.effect, "{:.0%}"),
            limit=words.number(row.limit, ".0%"),
        )
        for row in rows
    )
    return probes_plot(rows, words_for(words, "probes", judge=probed.judge, rows=listed))


def _interval_chart(
    words: Words,
    name: str,
    rows: Sequence[StatRow],
    plot: Callable[[Sequence[StatRow], PlotWords], str],
    **fields: str,
) -> str | None:
    """None where no row has a figure."""
    if all(row.stat.value is None for row in rows):
        return None
    return plot(rows, words_for(words, name, rows=rows_words(words, rows), **fields))


def _title(words: Words, part: GraderCalibration, name: str) -> str:
    return words.criterion(part.grader.judge, name)


def _note(words: Words, n: int, unscored: int) -> str:
    if not unscored:
        return words("plot.note", n=n)
    return words("plot.note_unscored", n=n, unscored=unscored)
