"""What a run came to: means with intervals, distributions, outcomes, rules, cost and time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from adjudge.analysis.corrected import raw_mean
from adjudge.core.scale import Scale
from adjudge.stats.arrays import Bools
from adjudge.stats.bounds import Bounds
from adjudge.stats.mean import mean
from adjudge.stats.stat import Stat
from adjudge.stores.facts import OUTCOMES

from .bars import Bar, bars
from .columns import Bytes, Columns, Repeat
from .graders import Grader
from .rows import known

CONFIDENCE = 0.95


@dataclass(frozen=True, slots=True, kw_only=True)
class CriterionOverview:
    """One criterion by one judge and model.

    `mean`, `sd` and `distribution` are over the `items` with a score, repeats averaged first, so
    without repeats the mean is that of the scores. Of names, `divided` of the items have no single
    one: they are in no bar, and count in what shares are taken of. `bounds` is where the mean would
    lie were all others, the `unscored_items`, worst or best. `scored` and `unscored` (by outcome)
    count scores, `rules` those that a rule changed, by its id, and `wrong_language` explanations.
    """

    judge: str
    model: str
    criterion: str
    title: str
    scale: Scale
    on_scale: bool
    items: int
    unscored_items: int
    scored: int
    unscored: Mapping[str, int]
    mean: Stat
    bounds: Bounds | None
    sd: float | None
    distribution: tuple[Bar, ...]
    divided: int
    rules: Mapping[str, int]
    wrong_language: int


@dataclass(frozen=True, slots=True, kw_only=True)
class GraderOverview:
    """One judge and model. `cost_usd` is None where a price is not known. Latencies are those of
    verdicts that somebody was asked for: None where all came from the cache."""

    judge: str
    model: str
    verdicts: int
    repeats: int
    outcomes: Mapping[str, int]
    cut: int
    tokens_in: int
    tokens_out: int
    cost_usd: float | None
    latency_median_ms: float | None
    latency_p95_ms: float | None
    criteria: tuple[CriterionOverview, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOverview:
    """Tokens and cost are those of the verdicts; what failed requests cost is in the RunRecord.
    `cut` counts verdicts on texts of which a part was cut before judging."""

    items: int
    verdicts: int
    unscored: int
    cut: int
    outcomes: Mapping[str, int]
    tokens_in: int
    tokens_out: int
    cost_usd: float | None
    graders: tuple[GraderOverview, ...]


def overview(columns: Columns, graders: Sequence[Grader]) -> RunOverview:
    each = tuple(_grader(columns, grader) for grader in graders)
    outcomes = _most_first(sum((Counter(one.outcomes) for one in each), Counter()))
    verdicts = sum(one.verdicts for one in each)
    return RunOverview(
        items=len(columns.items),
        verdicts=verdicts,
        unscored=verdicts - outcomes.get("scored", 0),
        cut=sum(one.cut for one in each),
        outcomes=outcomes,
        tokens_in=sum(one.tokens_in for one in each),
        tokens_out=sum(one.tokens_out for one in each),
        cost_usd=_sum([one.cost_usd for one in each]),
        graders=each,
    )


def mean_of(
    grader: Grader, criterion: str, among: Bools | None = None
) -> tuple[Stat, Bounds | None]:
    """The mean over the items, or over some of them, with its interval and its bounds."""
    scored = grader.scored(criterion)
    if among is not None:
        kept = among[scored.places]
        scored = type(scored)(
            criterion, scored.scale, scored.places[kept], scored.values[kept], 0, 0, scored.on_scale
        )
    if not scored.on_scale:
        return mean(scored.values[np.isfinite(scored.values)], None, CONFIDENCE), None
    return raw_mean(scored, None, CONFIDENCE)


def _grader(columns: Columns, grader: Grader) -> GraderOverview:
    samples = list(grader.samples.values())
    outcomes = sum((_outcomes(each.outcome[each.here]) for each in samples), Counter())
    waits = np.concatenate([each.latency[each.here & (each.latency > 0)] for each in samples])
    median, late = np.percentile(waits, (50, 95)).tolist() if len(waits) else (None, None)
    return GraderOverview(
        judge=grader.judge.name,
        model=grader.model,
        verdicts=outcomes.total(),
        repeats=grader.repeats,
        outcomes=_most_first(outcomes),
        cut=sum(int(each.cut[each.here].sum()) for each in samples),
        tokens_in=sum(int(each.tokens_in[each.here].sum()) for each in samples),
        tokens_out=sum(int(each.tokens_out[each.here].sum()) for each in samples),
        cost_usd=known(sum(float(each.cost[each.here].sum()) for each in samples)),
        latency_median_ms=median,
        latency_p95_ms=late,
        criteria=tuple(_criterion(columns, grader, name) for name in grader.criteria),
    )


def _criterion(columns: Columns, grader: Grader, name: str) -> CriterionOverview:
    at = grader.criteria.index(name)
    samples = list(grader.samples.values())
    values = grader.values(name)
    values, divided = values[np.isfinite(values)], int(grader.divided(name).sum())
    outcomes = sum((_outcomes(each.score_outcome[at][each.here]) for each in samples), Counter())
    stat, bounds = mean_of(grader, name)
    spec = grader.scale_of(name)
    return CriterionOverview(
        judge=grader.judge.name,
        model=grader.model,
        criterion=name,
        title=spec.title,
        scale=spec.scale,
        on_scale=grader.on_scale,
        items=len(values) + divided,
        unscored_items=int(grader.here.sum()) - len(values) - divided,
        scored=outcomes.pop("scored", 0),
        unscored=_most_first(outcomes),
        mean=stat,
        bounds=bounds,
        sd=float(values.std(ddof=1)) if len(values) > 1 and not grader.named(name) else None,
        distribution=bars(spec.scale if grader.on_scale else None, values),
        divided=divided,
        rules=_rules(columns, samples, at),
        wrong_language=sum(int(each.wrong_language[at].sum()) for each in samples),
    )


def _rules(columns: Columns, samples: Iterable[Repeat], at: int) -> dict[str, int]:
    counts = sum(np.bincount(each.rule[at], minlength=len(columns.rules)) for each in samples)
    fired = dict(zip(columns.rules[1:], np.atleast_1d(counts)[1:].tolist(), strict=True))
    return _most_first(fired)


def _outcomes(ended: Bytes) -> Counter[str]:
    counts = np.bincount(ended, minlength=len(OUTCOMES)).tolist()
    return Counter({outcome.value: n for outcome, n in zip(OUTCOMES, counts, strict=True) if n})


def _most_first(counts: Mapping[str, int]) -> dict[str, int]:
    """Without those that there are none of."""
    ordered = sorted(counts.items(), key=lambda each: (-each[1], each[0]))
    return {name: n for name, n in ordered if n}


def _sum(costs: Sequence[float | None]) -> float | None:
    found = [cost for cost in costs if cost is not None]
    return sum(found) if len(found) == len(costs) else None
