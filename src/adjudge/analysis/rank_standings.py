"""Bouts → a ranking."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

import numpy as np

from adjudge.stats import bradley_terry as bt
from adjudge.stats.arrays import Floats, Ints
from adjudge.stats.bootstrap import Resampling
from adjudge.stats.bounds import bounds
from adjudge.stats.clusters import clusters
from adjudge.stats.proportion import mean_share, share
from adjudge.stats.ranks import Contests, Ranks, ranks
from adjudge.stats.stat import Stat, undefined

from .rank_bouts import Bout
from .ranking import Ranked, Standing


def ranked(
    bouts: Sequence[Bout], resampling: Resampling, means: Mapping[str, Stat] | None = None
) -> Ranked:
    """The systems in order of strength; `means` are what stands beside it, by system."""
    names = sorted({name for bout in bouts for name in (bout.a, bout.b)})
    scored = [bout for bout in bouts if bout.score is not None]
    contests = _contests(scored, names)
    found = ranks(contests, resampling)
    own: dict[str, list[Bout]] = {name: [] for name in names}
    for bout in bouts:
        own[bout.a].append(bout)
        own[bout.b].append(bout)
    standings = [
        _standing(name, own[name], (at, found), resampling.confidence, (means or {}).get(name))
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
            (names[i], names[j]) for i, j in pairwise(order) if not found.above[i, j]
        ),
        comparisons=len(scored),
        ties=sum(bout.score == 0.5 and not bout.weighed for bout in scored),
        weighed=sum(bout.weighed for bout in scored),
        unscored=len(bouts) - len(scored),
        questions=contests.within.count,
        cautions=tuple(_cautions(names, found, wins)),
    )


def _contests(scored: Sequence[Bout], names: Sequence[str]) -> Contests:
    places = {name: at for at, name in enumerate(names)}
    return Contests(
        first=_ints([places[bout.a] for bout in scored]),
        second=_ints([places[bout.b] for bout in scored]),
        score=np.array([bout.score for bout in scored], dtype=np.float64),
        systems=len(names),
        within=clusters([bout.question for bout in scored], len(scored)),
    )


def _ints(values: list[int]) -> Ints:
    return np.array(values, dtype=np.intp)


def _standing(
    name: str, own: Sequence[Bout], at: tuple[int, Ranks], confidence: float, mean: Stat | None
) -> Standing:
    place, found = at
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
        strength=found.strength[place],
        best=int(found.best[place]),
        worst=int(found.worst[place]),
        win_rate=rate if scores else undefined("no comparison has a result"),
        bounds=(reach.worst or 0.0, 1.0 if reach.best is None else reach.best),
        mean=mean,
    )


def _first(standing: Standing) -> tuple[float, float, str]:
    strength, rate = standing.strength.value, standing.win_rate.value
    return (-(strength or 0.0), -(rate or 0.0), standing.system)


def _cautions(names: Sequence[str], found: Ranks, wins: Floats) -> Iterator[str]:
    if found.parts.max(initial=0) > 0:
        parts = (
            _named(names, np.flatnonzero(found.parts == part))
            for part in range(int(found.parts.max()) + 1)
        )
        yield (
            f"No common ranking: {' · '.join(parts)} were never compared with each other, even over"
            " third systems. Add pairs that join them."
        )
    if found.steadied:
        over, under = bt.unbeaten(wins)
        told = [f"{_named(names, over)} never lost to the others"] if len(over) else []
        told += [f"{_named(names, under)} never won against them"] if len(under) else []
        yield (
            f"{'; '.join(told)}: the strengths have no bound. Half an imaginary win each way for"
            " every pair that was compared holds them finite; read the order, not the distance."
        )


def _named(names: Sequence[str], places: Ints) -> str:
    return " and ".join(names[at] for at in places)
