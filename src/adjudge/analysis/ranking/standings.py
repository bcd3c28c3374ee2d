"""Bouts → a ranking."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

import numpy as np

from adjudge.core.reason import Reason
from adjudge.errors import UsageError
from adjudge.stats.arrays import Floats, Ints
from adjudge.stats.bootstrap import Resampling, clusters
from adjudge.stats.bradley_terry import Contests, Ranks, ranks, unbeaten
from adjudge.stats.length_control import (
    AgainstBaseline,
    LengthControlledRate,
    learn_pools,
    length_controlled,
)
from adjudge.stats.mean import bounds, mean_share, share
from adjudge.stats.stat import Stat, undefined

from .bouts import Bout
from .findings import Ranked, RankOptions, Standing


def ranked(
    bouts: Sequence[Bout], resampling: Resampling, means: Mapping[str, Stat] | None = None
) -> Ranked:
    """The systems in order of strength; `means` are what stands beside it, by system."""
    names = sorted({name for bout in bouts for name in (bout.a, bout.b)})
    scored = [bout for bout in bouts if bout.score is not None]
    contests = _contests(scored, names)
    fitted = ranks(contests, resampling)
    own: dict[str, list[Bout]] = {name: [] for name in names}
    for bout in bouts:
        own[bout.a].append(bout)
        own[bout.b].append(bout)
    standings = [
        _standing(name, own[name], (at, fitted), resampling.confidence, (means or {}).get(name))
        for at, name in enumerate(names)
    ]
    order = sorted(range(len(names)), key=lambda at: _first(standings[at]))
    wins = contests.wins()
    return Ranked(
        standings=tuple(standings[at] for at in order),
        wins={
            (one, other): float(wins[i, j])
            for i, one in enumerate(names)
            for j, other in enumerate(names)
            if wins[i, j] + wins[j, i] > 0
        },
        open_between=tuple(
            (names[i], names[j]) for i, j in pairwise(order) if not fitted.above[i, j]
        ),
        comparisons=len(scored),
        ties=sum(bout.score == 0.5 and not bout.weighed for bout in scored),
        weighed=sum(bout.weighed for bout in scored),
        unscored=len(bouts) - len(scored),
        questions=contests.within.count,
        cautions=tuple(_cautions(names, fitted, wins)),
    )


def _contests(scored: Sequence[Bout], names: Sequence[str]) -> Contests:
    places = {name: at for at, name in enumerate(names)}
    return Contests(
        first=np.array([places[bout.a] for bout in scored], dtype=np.intp),
        second=np.array([places[bout.b] for bout in scored], dtype=np.intp),
        score=np.array([bout.score for bout in scored], dtype=np.float64),
        systems=len(names),
        within=clusters([bout.question for bout in scored], len(scored)),
    )


def _standing(
    name: str, own: Sequence[Bout], at: tuple[int, Ranks], confidence: float, mean: Stat | None
) -> Standing:
    place, fitted = at
    results = [
        (bout.score if bout.a == name else 1 - bout.score, bout.question)
        for bout in own
        if bout.score is not None
    ]
    scores = [score for score, _ in results]
    unscored = len(own) - len(scores)
    reach = bounds(scores, unscored, 0, 1)
    # Probabilities vary less than won and lost do, so that their mean is the surer.
    statistic = mean_share if any(bout.weighed for bout in own) else share
    rate = statistic(scores, [question for _, question in results], confidence)
    return Standing(
        system=name,
        n=len(scores),
        unscored=unscored,
        strength=fitted.strength[place],
        best=int(fitted.best[place]),
        worst=int(fitted.worst[place]),
        win_rate=rate if scores else undefined(Reason("ranking.no_results")),
        bounds=(reach.worst or 0.0, 1.0 if reach.best is None else reach.best),
        mean=mean,
    )


def _first(standing: Standing) -> tuple[float, float, str]:
    strength, rate = standing.strength.value, standing.win_rate.value
    return (-(strength or 0.0), -(rate or 0.0), standing.system)


def _cautions(names: Sequence[str], fitted: Ranks, wins: Floats) -> Iterator[Reason]:
    if fitted.parts.max(initial=0) > 0:
        parts = (
            ", ".join(_named(names, np.flatnonzero(fitted.parts == part)))
            for part in range(int(fitted.parts.max()) + 1)
        )
        yield Reason("ranking.no_common", parts=" · ".join(parts))
    if fitted.steadied:
        over, under = unbeaten(wins)
        never = (
            Reason("ranking.never_lost", systems=_named(names, over)) if len(over) else None,
            Reason("ranking.never_won", systems=_named(names, under)) if len(under) else None,
        )
        yield Reason("ranking.unbounded", systems=tuple(filter(None, never)))


def _named(names: Sequence[str], places: Ints) -> tuple[str, ...]:
    return tuple(names[at] for at in places)


def baseline_of(bouts: Sequence[Bout], options: RankOptions) -> str | None:
    """The system asked for; else the one that takes part in every bout, and of two such the one
    that stands on side B more often. None where there is none."""
    systems = {name for bout in bouts for name in (bout.a, bout.b)}
    if options.baseline is not None:
        if options.baseline not in systems:
            known = ", ".join(sorted(systems))
            reason = Reason("ranking.no_baseline", known=known)
            raise UsageError(reason.at_option("baseline", options.baseline))
        return options.baseline
    common = [name for name in sorted(systems) if all(name in (b.a, b.b) for b in bouts)]
    return max(common, key=lambda name: sum(bout.b == name for bout in bouts), default=None)


def controlled_rates(
    bouts: Sequence[Bout], baseline: str, options: RankOptions
) -> Mapping[str, LengthControlledRate]:
    """By system, for those that met the baseline; only bouts with a result and lengths count."""
    rows: dict[str, list[tuple[float, int, str]]] = {}
    for bout in bouts:
        if bout.score is None or bout.longer is None or baseline not in (bout.a, bout.b):
            continue
        if bout.b == baseline:
            rows.setdefault(bout.a, []).append((bout.score, bout.longer, bout.question))
        else:
            rows.setdefault(bout.b, []).append((1 - bout.score, -bout.longer, bout.question))
    questions: dict[str, int] = {}
    against = {
        system: AgainstBaseline(
            np.array([won for won, _, _ in compared]),
            np.array([longer for _, longer, _ in compared], dtype=np.float64),
            np.array([questions.setdefault(name, len(questions)) for _, _, name in compared]),
        )
        for system, compared in rows.items()
    }
    for variant in options.variants:
        if variant not in against:
            known = ", ".join(sorted(against))
            reason = Reason("ranking.no_variant", baseline=baseline, known=known)
            raise UsageError(reason.at_option("variant", variant))
    variants = [at for at, system in enumerate(against) if system in options.variants]
    pools = learn_pools(list(against.values()), len(questions), variants)
    return {
        system: length_controlled(results, pool, results.question, options.confidence)
        for (system, results), pool in zip(against.items(), pools, strict=True)
    }
