"""The runs of one judge on the same data, or with the same tag, over time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from adjudge.stores import RunFilter, RunRecord

from .overview import CriterionOverview, RunOverview

MOST_RUNS = 60  # the latest ones


@dataclass(frozen=True, slots=True)
class TrendPoint:
    """One run by one model. `judge_changed` and `model_changed`: it is not that of the run before.
    `figures` is None where they are not worked out yet, or the run has no such criterion."""

    record: RunRecord
    model: str
    figures: CriterionOverview | None
    judge_changed: bool
    model_changed: bool


@dataclass(frozen=True, slots=True)
class Trend:
    """In the order of time. `waiting` runs are still being read."""

    judge: str
    criterion: str
    titles: dict[str, str]
    points: tuple[TrendPoint, ...]
    waiting: int


def runs_over_time(
    records: Sequence[RunRecord], judge: str, data: str = "", tag: str = ""
) -> list[RunRecord]:
    """Those of the judge, on these data and with this tag where they are given; the first first."""
    name, _, value = tag.partition("=")
    wanted = RunFilter(judges=(judge,), data=data, tags={name: value} if tag else {})
    runs = [record for record in wanted.apply(records) if "probe" not in record.manifest.tags]
    return sorted(runs, key=lambda record: record.started)[-MOST_RUNS:]


def trend_of(
    records: Sequence[RunRecord],
    judge: str,
    criterion: str,
    overview: Callable[[RunRecord], RunOverview | None],
) -> Trend:
    """`overview` tells what a run came to, None where that is not known yet; without a criterion
    the first is taken."""
    overviews = [overview(record) for record in records]
    titles = {
        one.criterion: one.title
        for known in overviews
        if known is not None
        for one in known.criteria
        if one.judge == judge
    }
    chosen = criterion or next(iter(titles), "")
    points: list[TrendPoint] = []
    pairs = pairwise([*records[:1], *records])
    for (before, record), known in zip(pairs, overviews, strict=True):
        manifest, last = record.manifest, before.manifest
        changed = (
            last.judges.get(judge) != manifest.judges.get(judge),
            last.models != manifest.models,
        )
        for model in manifest.models:
            figures = None if known is None else _figures(known, judge, model, chosen)
            points.append(TrendPoint(record, model, figures, *changed))
    waiting = sum(known is None for known in overviews)
    return Trend(judge, chosen, titles, tuple(points), waiting)


def _figures(
    overview: RunOverview, judge: str, model: str, criterion: str
) -> CriterionOverview | None:
    criteria = {(one.judge, one.model, one.criterion): one for one in overview.criteria}
    return criteria.get((judge, model, criterion))
