"""What a run came to: means with intervals, distributions, outcomes, rules, cost and time."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from adjudge.analysis.scores.arrays import RunArrays
from adjudge.analysis.scores.grader import Bytes, Grader, Repeat
from adjudge.analysis.scores.intervals import mean_of
from adjudge.core.reason import Reason
from adjudge.core.scale import Category, Scale, value_range
from adjudge.core.score import SETTLED
from adjudge.stats.arrays import Floats
from adjudge.stats.mean import Bounds
from adjudge.stats.stat import Stat, sum_of_known
from adjudge.stores.facts import OUTCOMES

from .rows import number_or_none


@dataclass(frozen=True, slots=True, kw_only=True)
class CriterionOverview:
    """One criterion by one judge and model.

    `mean`, `sd` and `distribution` are over the `items` with a score, repeats averaged first, so
    without repeats the mean is that of the scores. `corrected` is the mean that people would give,
    where a calibration of this judge and model is kept, and `correction` says why its interval is
    wider or why it is refused, where the labelled items were others. Of names, `divided` of the
    items have no single one: they are in no bar, and count in what shares are taken of. `bounds` is
    where the mean would lie were all others, the `unscored_items`, worst or best. `scored` and
    `unscored` (by outcome) count scores, `rules` those that a rule changed, by its id,
    `wrong_language` and `unsupported` explanations. Scores that are `not_applicable` count in
    nothing else.
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
    corrected: Stat | None
    correction: Reason | None
    bounds: Bounds | None
    sd: float | None
    distribution: tuple[ScoreBar, ...]
    divided: int
    rules: Mapping[str, int]
    wrong_language: int
    unsupported: int = 0
    not_applicable: int = 0


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

    @property
    def criteria(self) -> list[CriterionOverview]:
        """Those of all judges and models."""
        return [criterion for grader in self.graders for criterion in grader.criteria]


# The corrected mean of a criterion by a grader, or why it is refused; None where there is none.
Correction = Callable[[Grader, str], Stat | None]


def overview_of(arrays: RunArrays, corrected: Correction) -> RunOverview:
    graders = tuple(_grader(arrays, grader, corrected) for grader in arrays.graders)
    outcomes = _most_first(sum((Counter(grader.outcomes) for grader in graders), Counter()))
    verdicts = sum(grader.verdicts for grader in graders)
    return RunOverview(
        items=len(arrays.items),
        verdicts=verdicts,
        unscored=verdicts - sum(outcomes.get(outcome, 0) for outcome in SETTLED),
        cut=sum(grader.cut for grader in graders),
        outcomes=outcomes,
        tokens_in=sum(grader.tokens_in for grader in graders),
        tokens_out=sum(grader.tokens_out for grader in graders),
        cost_usd=sum_of_known([grader.cost_usd for grader in graders]),
        graders=graders,
    )


def _grader(arrays: RunArrays, grader: Grader, corrected: Correction) -> GraderOverview:
    samples = list(grader.samples.values())
    outcomes = sum((_outcomes(sample.outcome[sample.here]) for sample in samples), Counter())
    waits = np.concatenate(
        [sample.latency[sample.here & (sample.latency > 0)] for sample in samples]
    )
    median, late = np.percentile(waits, (50, 95)).tolist() if len(waits) else (None, None)
    return GraderOverview(
        judge=grader.judge.name,
        model=grader.model,
        verdicts=outcomes.total(),
        repeats=grader.repeats,
        outcomes=_most_first(outcomes),
        cut=sum(int(sample.cut[sample.here].sum()) for sample in samples),
        tokens_in=sum(int(sample.tokens_in[sample.here].sum()) for sample in samples),
        tokens_out=sum(int(sample.tokens_out[sample.here].sum()) for sample in samples),
        cost_usd=number_or_none(sum(float(sample.cost[sample.here].sum()) for sample in samples)),
        latency_median_ms=median,
        latency_p95_ms=late,
        criteria=tuple(
            _criterion(arrays, grader, name, corrected(grader, name)) for name in grader.criteria
        ),
    )


def _criterion(
    arrays: RunArrays, grader: Grader, name: str, corrected: Stat | None
) -> CriterionOverview:
    at = grader.criteria.index(name)
    samples = list(grader.samples.values())
    scores = grader.scored(name)
    outcomes = sum(
        (_outcomes(sample.score_outcome[at][sample.here]) for sample in samples), Counter()
    )
    stat, bounds = mean_of(scores)
    spec = grader.criterion(name)
    return CriterionOverview(
        judge=grader.judge.name,
        model=grader.model,
        criterion=name,
        title=spec.title,
        scale=spec.scale,
        on_scale=grader.on_scale,
        items=scores.scored_items,
        unscored_items=scores.unscored_items,
        scored=outcomes.pop("scored", 0),
        not_applicable=outcomes.pop("not_applicable", 0),
        unscored=_most_first(outcomes),
        corrected=None if corrected is None or corrected.value is None else corrected,
        correction=None if corrected is None else corrected.why,
        mean=stat,
        bounds=bounds,
        sd=scores.sd,
        distribution=bars(spec.scale if grader.on_scale else None, scores.known),
        divided=scores.divided_items,
        rules=_rules(arrays, samples, at),
        wrong_language=sum(int(sample.wrong_language[at].sum()) for sample in samples),
        unsupported=sum(int(sample.unsupported[at].sum()) for sample in samples),
    )


def _rules(arrays: RunArrays, samples: Iterable[Repeat], at: int) -> dict[str, int]:
    counts = sum(np.bincount(sample.rule[at], minlength=len(arrays.rules)) for sample in samples)
    fired = dict(zip(arrays.rules[1:], np.atleast_1d(counts)[1:].tolist(), strict=True))
    return _most_first(fired)


def _outcomes(ended: Bytes) -> Counter[str]:
    counts = np.bincount(ended, minlength=len(OUTCOMES)).tolist()
    return Counter({outcome.value: n for outcome, n in zip(OUTCOMES, counts, strict=True) if n})


def _most_first(counts: Mapping[str, int]) -> dict[str, int]:
    """Without those that there are none of."""
    ordered = sorted(counts.items(), key=lambda entry: (-entry[1], entry[0]))
    return {name: n for name, n in ordered if n}


_MOST_LEVELS = 21
_BINS = 10  # about


@dataclass(frozen=True, slots=True)
class ScoreBar:
    """`count` items at one level or name, or in a bin from `low` to below `high` (the last one
    holds its `high` too). `label` is the level as it is written, `name` what the scale calls it."""

    label: str
    count: int
    name: str | None = None
    low: float | None = None
    high: float | None = None


def bars(scale: Scale | None, values: Floats) -> tuple[ScoreBar, ...]:
    """In the order of the scale, empty ones too; None for numbers that lie on no scale.

    A mean of repeats counts at the nearest level, one in the middle at the higher one.
    """
    if isinstance(scale, Category):
        counts = np.bincount(values.astype(np.intp), minlength=len(scale.options))
        return tuple(map(ScoreBar, scale.options, counts.tolist()))
    levels = scale.values() if scale else None
    if scale and levels and len(levels) <= _MOST_LEVELS:
        numbers = np.array(levels, dtype=np.float64)
        nearest = np.searchsorted((numbers[1:] + numbers[:-1]) / 2, values, side="right")
        counts = np.bincount(nearest, minlength=len(levels))
        return tuple(
            ScoreBar(scale.write(level), count, scale.label(level), float(level), float(level))
            for level, count in zip(levels, counts.tolist(), strict=True)
        )
    ends = value_range(scale) if scale else None
    if ends is None and len(values):
        ends = float(values.min()), float(values.max())
    return () if ends is None else _binned(values, *ends)


def _binned(values: Floats, low: float, high: float) -> tuple[ScoreBar, ...]:
    step = _step((high - low) / _BINS)
    first = math.floor(low / step + 1e-9)
    last = max(first + 1, math.ceil(high / step - 1e-9))
    edges = [edge * step for edge in range(first, last + 1)]
    # 0.3 must not fall below an edge at 0.30000000000000004.
    at = np.searchsorted(np.array(edges) - step * 1e-9, values, side="right") - 1
    counts = np.bincount(np.clip(at, 0, len(edges) - 2), minlength=len(edges) - 1)
    return tuple(
        ScoreBar(f"{from_:g}–{to:g}", count, None, from_, to)
        for from_, to, count in zip(edges[:-1], edges[1:], counts.tolist(), strict=True)
    )


def _step(wanted: float) -> float:
    """The next of 1, 2, 5 and their tenfolds; 1 where all values are the same."""
    if wanted <= 0:
        return 1.0
    power = 10.0 ** math.floor(math.log10(wanted))
    return next(power * nice for nice in (1, 2, 5, 10) if power * nice >= wanted * (1 - 1e-9))
