"""How often nominal 90% intervals hold the truth, over thousands of simulated studies.

A study draws labelled rows and 2,000 unlabelled ones (10,000 beside 1,000 labels), judged by a
judge with bias and noise; the truth is that of the world it is drawn from. Prints the table that
docs/evidence/coverage.md shows: the share of studies whose interval held the truth, in percent.
Exits with 1 where one lies outside 88 to 93.
"""

from __future__ import annotations

import argparse
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from multiprocessing import Pool

import numpy as np

from adjudge.stats.agreement import agreement
from adjudge.stats.arrays import Floats
from adjudge.stats.bootstrap import Resampling
from adjudge.stats.conformal import calibrate_scores
from adjudge.stats.correlation import spearman
from adjudge.stats.kappa import quadratic_kappa
from adjudge.stats.ppi import ppi_mean
from adjudge.stats.rogan_gladen import rogan_gladen
from adjudge.stats.stat import Stat

CONFIDENCE, LOWEST, HIGHEST = 0.9, 88.0, 93.0
SIZES = (50, 200, 1000)
RESAMPLED = ("bias", "spearman", "kappa")
METHODS = {
    "bias": "mean difference, bootstrap",
    "spearman": "Spearman, bootstrap",
    "kappa": "weighted kappa, bootstrap",
    "classical": "mean of the labels",
    "ppi": "corrected mean, PPI++",
    "rogan-gladen": "corrected share, Rogan-Gladen",
    "conformal": "range of one score, conformal",
}
Draw = Callable[[np.random.Generator, int], tuple[Floats, Floats]]


@dataclass(frozen=True)
class World:
    """Where studies come from: people's and the judge's scores of so many rows."""

    name: str
    draw: Draw
    levels: tuple[int, ...] | None
    group: int = 1


def _graded(chance: np.random.Generator, quality: Floats) -> tuple[Floats, Floats]:
    """People see a quality with noise; the judge is too kind and noisier."""
    rows = len(quality)
    human = np.digitize(quality + chance.normal(0, 0.5, rows), [-1.3, -0.4, 0.4, 1.2]) + 1.0
    judge = np.digitize(quality + chance.normal(0.4, 0.6, rows), [-1.5, -0.6, 0.2, 1.0]) + 1.0
    return human, judge


def ordinal(chance: np.random.Generator, rows: int) -> tuple[Floats, Floats]:
    return _graded(chance, chance.normal(0, 1, rows))


def grouped(chance: np.random.Generator, rows: int) -> tuple[Floats, Floats]:
    """Two answers to each question, more alike than answers to two questions."""
    shared = np.repeat(chance.normal(0, 0.8, rows // 2), 2)
    return _graded(chance, shared + chance.normal(0, 0.6, rows))


def binary(chance: np.random.Generator, rows: int) -> tuple[Floats, Floats]:
    """Three in ten are right; the judge finds 80% of them and is fooled by 15% of the others."""
    human = (chance.random(rows) < 0.3).astype(float)
    judge = chance.random(rows) < np.where(human == 1, 0.8, 0.15)
    return human, judge.astype(float)


def number(chance: np.random.Generator, rows: int) -> tuple[Floats, Floats]:
    """From 0 to 10, skewed; the judge squeezes the scale."""
    quality = 10 * chance.beta(4, 2, rows)
    human = np.clip(quality + chance.normal(0, 0.8, rows), 0, 10)
    return human, np.clip(3 + 0.6 * quality + chance.normal(0, 0.8, rows), 0, 10)


WORLDS = (
    World("1 to 5", ordinal, (1, 2, 3, 4, 5)),
    World("1 to 5, in pairs", grouped, (1, 2, 3, 4, 5), group=2),
    World("yes or no", binary, (0, 1)),
    World("0 to 10", number, None),
)


def study(world: World, truth: dict[str, float | None], labels: int, seed: int) -> dict[str, float]:
    """Which intervals of one study held the truth; for conformal, the share of 200 new rows."""
    chance = np.random.default_rng([seed, labels])
    human, judge = world.draw(chance, labels)
    _, others = world.draw(chance, 10_000 if labels >= 1000 else 2_000)
    groups = _groups(labels, world), _groups(len(others), world, labels)
    corrected = ppi_mean(human, judge, others, *groups, confidence=CONFIDENCE)
    found = {"classical": corrected.classical, "ppi": corrected.stat}
    if world.levels == (0, 1):
        shares = rogan_gladen(human, judge, others, confidence=CONFIDENCE)
        found["rogan-gladen"] = shares.stat
    if world.levels is not None:  # a thousand rounds over numbers take too long a thousand times
        resampling = Resampling(CONFIDENCE, 1000, seed)
        agreed = agreement(judge, human, groups[0], resampling=resampling)
        found |= {name: getattr(agreed, name) for name in RESAMPLED}
    held = {
        name: _holds(stat, truth.get(name, truth["mean"]))
        for name, stat in found.items()
        if stat.low is not None
    }
    new, scores = world.draw(chance, 200)
    calibration = calibrate_scores(judge, human, groups[0], seed=seed)
    low, high = calibration.interval(scores, CONFIDENCE, world.levels)
    held["conformal"] = float(np.mean((low <= new) & (new <= high)))
    return held


def _groups(rows: int, world: World, first: int = 0) -> Floats | None:
    return None if world.group == 1 else (first + np.arange(rows)) // world.group


def _holds(stat: Stat, truth: float | None) -> float:
    return float(stat.low <= truth <= stat.high)  # type: ignore[operator]


def _cell(task: tuple[int, int, int]) -> dict[str, tuple[float, int]]:
    """The percentage of each method in one world at one size, and over how many studies."""
    place, labels, studies = task
    world = WORLDS[place]
    human, judge = world.draw(np.random.default_rng(2**32), 2_000_000)
    truth = {
        "mean": float(human.mean()),
        "bias": float(np.mean(judge - human)),
        "spearman": spearman(judge, human),
        "kappa": quadratic_kappa(judge, human),
    }
    held: dict[str, list[float]] = defaultdict(list)
    for seed in range(studies):
        for name, hit in study(world, truth, labels, seed).items():
            held[name].append(hit)
    return {name: (100 * float(np.mean(hits)), len(hits)) for name, hits in held.items()}


def table(cells: dict[tuple[int, int], dict[str, tuple[float, int]]]) -> Iterator[str]:
    yield "| interval | scale | " + " | ".join(f"n = {size:,}" for size in SIZES) + " |"
    yield "| --- | --- |" + " ---: |" * len(SIZES)
    for name, title in METHODS.items():
        for place, world in enumerate(WORLDS):
            row = [cells[place, size].get(name) for size in SIZES]
            if all(row):
                shown = " | ".join(f"{cell[0]:.1f}" for cell in row if cell)
                yield f"| {title} | {world.name} | {shown} |"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--studies", type=int, default=2000, help="studies a cell (default 2000)")
    parser.add_argument("--processes", type=int, default=2)
    asked = parser.parse_args()
    tasks = [(place, size, asked.studies) for size in SIZES for place in range(len(WORLDS))]
    with Pool(asked.processes) as pool:
        found = pool.map(_cell, tasks, chunksize=1)
    cells = {(place, size): cell for (place, size, _), cell in zip(tasks, found, strict=True)}
    print("\n".join(table(cells)))
    fewest = min(count for cell in found for _, count in cell.values())
    outside = [held for cell in found for held, _ in cell.values() if not LOWEST <= held <= HIGHEST]
    print(f"\n{asked.studies} studies a cell, at least {fewest} with an interval; ", end="")
    print(f"{len(outside)} cells outside {LOWEST:g} to {HIGHEST:g}: {outside}")
    return 1 if outside else 0


if __name__ == "__main__":
    sys.exit(main())
