"""How a run opens, on its page and in its report: what it is called, what it came to in a sentence,
its means on their scales, and what changed since the last run of the same judge and data."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import PurePath

from adjudge.analysis.browsing import CriterionOverview, RunOverview
from adjudge.analysis.comparison import Difference
from adjudge.analysis.ranking import Ranking, RankingPart
from adjudge.core.judge import Judge
from adjudge.core.scale import value_range
from adjudge.stats.stat import Stat
from adjudge.stores import RunRecord

from ..blocks import Block, Cell, Lines, Table, Text
from ..words import Words
from .comparison import in_brief
from .gathering import Opening, SinceLast
from .overview import mean_text, mean_words
from .ranking import order_bias
from .spread import which_criterion

_MOST = 6  # criteria that are shown at once


def run_name(record: RunRecord, judges: Mapping[str, Judge], words: Words) -> str:
    """What a reader knows the run by: the name that it was given, else judge, data and time."""
    return record.manifest.name or run_content(record, judges, words)


def run_content(record: RunRecord, judges: Mapping[str, Judge], words: Words) -> str:
    """quality v3 on first1000.csv, 17 Nov 14:05."""
    named = (
        words("opening.version", judge=name, version=judges[name].version)
        if name in judges
        else name
        for name in record.manifest.judges
    )
    data = PurePath(record.manifest.data.replace("\\", "/")).name or record.manifest.data
    return words(
        "opening.name", judge=", ".join(named), data=data, time=run_time(record.started, words)
    )


def run_time(written: str, words: Words) -> str:
    """17 Nov 14:05 by this machine's clock: it distinguishes runs of one day. A dash where it
    is not known."""
    if not written:
        return "–"
    at = datetime.fromisoformat(written).astimezone()
    names = words("opening.months").split()
    return words("opening.time", day=at.day, month=names[at.month - 1], time=f"{at:%H:%M}")


def opening(run: Opening, words: Words) -> list[Block]:
    """The sentence, the means, then how much has no score, what it cost, and what changed."""
    overview = run.overview
    if not overview.verdicts:
        return [Lines([words("report.scores.none")])]
    part = run.ranking.parts[0] if run.ranking and run.ranking.parts else None
    return [
        Lines([_verdict(run, words)]),
        _means(run, words) if part is None else _standings(part, words),
        Lines(
            [
                _counts(overview, words),
                *_left_out(run, part, words),
                *(order_bias(part.position, words) if part and part.position else ()),
                *since_last(run.last, words),
            ]
        ),
    ]


def _left_out(run: Opening, part: RankingPart | None, words: Words) -> Iterator[str]:
    """That the table has more rows than are shown."""
    rows = len(part.ranked.standings if part else run.overview.criteria)
    if rows > _MOST:
        yield words("opening.some", shown=_MOST, all=rows)


def _verdict(run: Opening, words: Words) -> str:
    criteria = [criterion for criterion in run.overview.criteria if criterion.items]
    if run.ranking is not None and run.ranking.parts:
        return _ahead(run.ranking, words)
    if not criteria:
        return words("report.slices.none")
    placed = {_label(criterion, criteria): _place(criterion) for criterion in criteria}
    ordered = [criterion for criterion in criteria if placed[_label(criterion, criteria)]]
    if not ordered:
        return words("opening.one", criterion=criteria[0].title, mean=mean_text(criteria[0], words))
    if len(ordered) == 1:
        return _alone(ordered[0], words)
    by_place = sorted(ordered, key=lambda one: placed[_label(one, criteria)] or (0.0,))
    low, high = by_place[0], by_place[-1]
    means = {"low_mean": _in_sentence(low, words), "high_mean": _in_sentence(high, words)}
    if len({(one.judge, one.criterion) for one in criteria}) == 1:
        named = {"criterion": low.title, "low": low.model, "high": high.model}
        return words("opening.models", **named, **means)
    labels = {"low": _label(low, criteria), "high": _label(high, criteria)}
    return words("opening.several", **labels, **means)


def _alone(criterion: CriterionOverview, words: Words) -> str:
    """With how many items are at the bottom of the scale."""
    said = words("opening.one", criterion=criterion.title, mean=_in_sentence(criterion, words))
    if len(criterion.distribution) < 2:
        return said
    lowest = criterion.distribution[0]
    value = words.value(criterion.scale, lowest.label)
    part = {
        "count": words.count(lowest.count),
        "items": words.count(criterion.items),
        "value": value,
    }
    part["share"] = words.share(lowest.count, criterion.items)
    return f"{said} {words('opening.lowest', **part)}"


def _in_sentence(criterion: CriterionOverview, words: Words) -> str:
    """The mean that counts, alone: the table has the other."""
    mean = criterion.corrected or criterion.mean
    return mean_words(replace(criterion, mean=mean, corrected=None), words, bare=True)


def _ahead(ranking: Ranking, words: Words) -> str:
    first, *others = ranking.parts[0].ranked.standings
    rate = words.percent(first.win_rate)
    if first.worst == 1 or not others:
        return words("opening.ahead", system=first.system, rate=rate)
    rivals = [standing.system for standing in others if standing.best == 1]
    return words("opening.unclear", system=first.system, rate=rate, others=", ".join(rivals))


def _place(criterion: CriterionOverview) -> tuple[float, ...] | None:
    """The mean and the ends of its interval as shares of the scale; None where it lies on none."""
    stat = criterion.corrected or criterion.mean
    ends = value_range(criterion.scale) if criterion.on_scale else None
    if ends is None or stat.value is None:
        return None
    placed = _ends(stat.scaled(*ends)) or ()
    return tuple(min(max(part, 0.0), 1.0) for part in placed)


def _label(criterion: CriterionOverview, among: Sequence[CriterionOverview]) -> str:
    models = {(one.judge, one.model) for one in among}
    return f"{criterion.title} · {criterion.model}" if len(models) > 1 else criterion.title


def _means(run: Opening, words: Words) -> Table:
    """A row per criterion, its mean drawn on its scale."""
    criteria, changed = run.overview.criteria, _changed(run.last, words)
    rows: list[list[Text]] = []
    for criterion in criteria[:_MOST]:
        fields = which_criterion(criterion)
        row: list[Text] = [Cell(_label(criterion, criteria), link="criterion", fields=fields)]
        row.append(Cell(mean_text(criterion, words), place=_place(criterion)))
        missing = criterion.unscored_items
        row.append(words.share(missing, missing + criterion.items) if missing else "0%")
        if changed:
            row.append(changed.get((criterion.judge, criterion.model, criterion.criterion), "–"))
        rows.append(row)
    head = words.all("opening", "criterion", "mean", "unscored")
    return Table([*head, *([words("opening.change")] if changed else [])], rows)


def _standings(part: RankingPart, words: Words) -> Table:
    """Systems with how often they win, drawn from never to always."""
    rows: list[list[Text]] = [
        [standing.system, Cell(words.percent(standing.win_rate), place=_ends(standing.win_rate))]
        for standing in part.ranked.standings[:_MOST]
    ]
    return Table(words.all("report.ranking", "system", "win_rate"), rows)


def _ends(stat: Stat) -> tuple[float, ...] | None:
    if stat.value is None:
        return None
    ends = (stat.value if end is None else end for end in (stat.low, stat.high))
    return stat.value, *ends


def _changed(last: SinceLast | None, words: Words) -> dict[tuple[str, str, str], str]:
    """By judge, model and criterion of the later run: how far it moved."""
    if last is None or last.comparison is None:
        return {}
    return {
        (section.judge_b, section.model_b, name): words.signed(result.paired.difference)
        for section in last.comparison.sections
        for name, result in section.criteria.items()
        if isinstance(result, Difference)
    }


def _counts(overview: RunOverview, words: Words) -> str:
    cost = (
        words("common.unknown_cost") if overview.cost_usd is None else words.usd(overview.cost_usd)
    )
    none = words.share(overview.unscored, overview.verdicts)
    return words("opening.counts", items=words.count(overview.items), unscored=none, cost=cost)


def since_last(last: SinceLast | None, words: Words) -> Iterator[str]:
    """What changed since the run before, in sentences."""
    if last is None:
        yield words("opening.first")
        return
    called = run_name(last.record, last.judges, words)
    if last.why is not None:
        yield words("opening.not_compared", run=called)
    elif last.comparison is None:
        yield words("opening.working", run=called)
    else:
        said = [line for section in last.comparison.sections for line in in_brief(section, words)]
        yield words("opening.since", run=called, what=" ".join(said))
