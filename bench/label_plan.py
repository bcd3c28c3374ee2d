"""How many labels a plan takes beside random drawing, and whether its intervals hold.

Recorded sets of scores beside people's labels (../shared/data): Topical-Chat with the G-Eval
replies, SummEval and the other sets of human ratings with one annotator in the judge's place. Each
round draws a pilot at random, plans for the width that random drawing with PPI++ has at N labels,
draws the plan and makes the interval. Prints for each set: what the plan took, what it saves beside
random drawing corrected by the judge and beside random drawing without it, what it could save at
most if the spread in each stratum were known (`possible`), and how often its 90% interval holds
beside that of random drawing: of N labels, and of as many as the same pilot foresaw for the width.
The truth is the mean of the world that rows are drawn from with replacement.
"""

from __future__ import annotations

import argparse
import gzip
import json
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from adjudge.stats.arrays import Floats, Ints
from adjudge.stats.ppi import labels_needed, ppi_mean
from adjudge.stats.stat import Stat
from adjudge.stats.strata import (
    allocate,
    fitted,
    further_labels,
    joined,
    strata_of,
    stratified_mean,
)

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
CONFIDENCE, PILOT = 0.9, 60


class Recorded(NamedTuple):
    """People's values, the judge's, and how far its replies are apart."""

    name: str
    human: Floats
    judge: Floats
    apart: Floats


def rows(name: str) -> list[dict[str, Any]]:
    with gzip.open(DATA / f"{name}.jsonl.gz", "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def recorded() -> Iterator[Recorded]:
    replies: dict[str, list[tuple[float, float, float]]] = defaultdict(list)
    for row in rows("geval_topicalchat_replies"):
        if row["mode"] == "geval":
            found = [re.match(r"\s*(\d(?:\.\d)?)\b", reply) for reply in row["replies"]]
            scores = [float(one[1]) for one in found if one and float(one[1]) <= 3]
            if scores:
                entry = (row["human"], float(np.mean(scores)), float(np.std(scores)))
                replies[f"Topical-Chat, {row['aspect']}"].append(entry)
    for row in rows("human_ratings"):
        values = [value for value in row["values"] if isinstance(value, int | float)]
        if len(values) > 2 and row["level"] != "nominal":
            entry = (float(np.mean(values[1:])), float(values[0]), 0.0)
            replies[f"{row['dataset']}, {row['aspect']}"].append(entry)
    for name, entries in replies.items():
        if len(entries) >= 300:
            yield Recorded(name, *np.array(entries).T)


class Outcome(NamedTuple):
    labels: int
    plan_held: bool
    random_held: bool
    foreseen_held: bool
    plan_width: float
    random_width: float
    alone_width: float


def study(world: Recorded, chance: np.random.Generator, labels: int) -> Outcome:
    """One round: the rows are a sample of the world, as the intervals take them to be."""
    drawn = chance.integers(len(world.human), size=len(world.human))
    human, judge, apart = world.human[drawn], world.judge[drawn], world.apart[drawn]
    order, truth = chance.permutation(len(human)), float(world.human.mean())
    first, rest = order[:labels], order[labels:]
    random = ppi_mean(human[first], judge[first], judge[rest], confidence=CONFIDENCE)
    width = random.stat.high - random.stat.low
    foreseen = random_as_foreseen(human, judge, order, width)
    strata = strata_of(judge, apart, np.zeros(len(human), dtype=np.intp))
    sizes, pilot = np.bincount(strata).astype(float), order[:PILOT]
    spread, _ = fitted(human[pilot], judge[pilot], strata[pilot], sizes)
    further = further_labels([spread], [width], CONFIDENCE).further
    counts = allocate(spread, PILOT + further if further is not None else len(human))
    chosen = np.concatenate(
        [
            [*pilot[strata[pilot] == at], *(row for row in order[PILOT:] if strata[row] == at)][
                : max(count, int(spread.counts[at]))
            ]
            for at, count in enumerate(counts)
        ]
    ).astype(np.intp)
    codes, few = joined(strata[chosen], sizes)
    found = stratified_mean(
        human[chosen], judge[chosen], codes, few, float(judge.mean()), confidence=CONFIDENCE
    ).stat
    return Outcome(
        len(chosen),
        found.low <= truth <= found.high,
        random.stat.low <= truth <= random.stat.high,
        foreseen.low <= truth <= foreseen.high,
        found.high - found.low,
        width,
        random.classical.high - random.classical.low,
    )


def random_as_foreseen(human: Floats, judge: Floats, order: Ints, width: float) -> Stat:
    """Random drawing of as many labels as the pilot says that the width takes."""
    pilot, rest = order[:PILOT], order[PILOT:]
    more = labels_needed(
        human[pilot], judge[pilot], judge[rest], width, confidence=CONFIDENCE
    ).further
    count = PILOT + more if more is not None else len(order) - 1
    first, rest = order[:count], order[count:]
    return ppi_mean(human[first], judge[first], judge[rest], confidence=CONFIDENCE).stat


def possible(world: Recorded, labels: int) -> float:
    """The share of labels that these strata save at most, all spreads being known: what random
    drawing leaves of the variance, beside Neyman's allocation."""
    rows, human, judge = len(world.human), world.human, world.judge
    strata = strata_of(judge, world.apart, np.zeros(rows, dtype=np.intp))
    beyond = human - np.polyfit(judge, human, 1)[0] * judge
    shares = np.bincount(strata) / rows
    spreads = np.array([beyond[strata == at].std() for at in range(len(shares))])
    random = beyond.var() * (1 / labels - 1 / rows) + shares @ spreads**2 / rows
    return float(1 - (shares @ spreads) ** 2 / random / labels)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=500)
    rounds = parser.parse_args().rounds
    print(
        "| set | items | r | random, corrected | plan | fewer | possible | width plan / random"
        " | fewer than without judge | plan holds | random as foreseen | random of N |"
    )
    print("| --- " * 12 + "|")
    for world in recorded():
        chance, items = np.random.default_rng(0), len(world.human)
        labels = min(200, items // 3)
        done = [study(world, chance, labels) for _ in range(rounds)]
        took = np.array([one.labels for one in done])
        wide = np.mean([one.plan_width for one in done]) / np.mean(
            [one.random_width for one in done]
        )
        # Labels alone would take so many more for the width that the plan reached.
        alone = labels * np.mean([(one.alone_width / one.plan_width) ** 2 for one in done])
        equal = took.mean() * wide**2  # labels for the very width of random drawing
        cells = (
            *(world.name, f"{items:,}", f"{np.corrcoef(world.human, world.judge)[0, 1]:.2f}"),
            *(str(labels), f"{took.mean():.0f}", f"{1 - equal / labels:.0%}"),
            *(f"{possible(world, labels):.0%}", f"{wide:.2f}"),
            f"{1 - took.mean() / alone:.0%}",
            f"{np.mean([one.plan_held for one in done]):.1%}",
            f"{np.mean([one.foreseen_held for one in done]):.1%}",
            f"{np.mean([one.random_held for one in done]):.1%}",
        )
        print(f"| {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
