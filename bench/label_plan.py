"""How many labels a plan takes beside random drawing, and whether its intervals hold.

Recorded sets of scores beside people's labels (../shared/data): Topical-Chat with the G-Eval
replies, SummEval and the other sets of human ratings with one annotator in the judge's place. Those
after them were added when how a plan draws had been chosen: another annotator of SummEval in the
judge's place, and CEBaB, where models say whether a review is negative about something.

Each round draws a pilot at random, plans for the width that random drawing with PPI++ has at N
labels, draws the plan, makes the interval, and plans again with the new labels, until the plan
says that no more are needed. Prints for each set what the first plan (`once`) and all of them
(`again`) took, what they save at equal width beside random drawing corrected by the judge, and how
often the 90% interval holds, beside that of random drawing: of N labels, and of as many as the same
pilot foresaw for the width. `possible` is what these strata could save at most if the spread in
each were known. The truth is the mean of the world that rows are drawn from with replacement.
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

from adjudge.analysis.labelling.plan import PILOT as FIRST
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
CONFIDENCE, PILOT, MOST_PLANS = 0.9, 60, 8


class Recorded(NamedTuple):
    """People's values, the judge's, and how far its replies are apart."""

    name: str
    human: Floats
    judge: Floats
    apart: Floats


def rows(name: str) -> list[dict[str, Any]]:
    with gzip.open(DATA / f"{name}.jsonl.gz", "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


Entries = dict[str, list[tuple[float, float, float]]]


def recorded() -> Iterator[Recorded]:
    for name, entries in (of_replies() | of_people(0) | of_people(1) | of_models()).items():
        if len(entries) >= 300:
            yield Recorded(name, *np.array(entries, dtype=np.float64).T)


def of_replies() -> Entries:
    worlds: Entries = defaultdict(list)
    for row in rows("geval_topicalchat_replies"):
        if row["mode"] == "geval":
            found = [re.match(r"\s*(\d(?:\.\d)?)\b", reply) for reply in row["replies"]]
            scores = [float(one[1]) for one in found if one and float(one[1]) <= 3]
            if scores:
                entry = (row["human"], float(np.mean(scores)), float(np.std(scores)))
                worlds[f"Topical-Chat, {row['aspect']}"].append(entry)
    return worlds


def of_people(judge: int) -> Entries:
    """One annotator in the judge's place; another than the first of SummEval's experts alone."""
    worlds: Entries = defaultdict(list)
    for row in rows("human_ratings"):
        values = [value for value in row["values"] if isinstance(value, int | float)]
        if len(values) > 2 and row["level"] != "nominal":
            if judge and row["dataset"] != "summeval-expert":
                continue
            own = float(values.pop(judge))
            name = f"{row['dataset']}, {row['aspect']}{', second annotator' * judge}"
            worlds[name].append((float(np.mean(values)), own, 0.0))
    return worlds


def of_models() -> Entries:
    worlds: Entries = defaultdict(list)
    for row in rows("alttest_annotations"):
        if row["dataset"] == "cebab_aspects":
            people = float(np.mean([value == "Negative" for value in row["human"].values()]))
            for model, value in row["llm"].items():
                worlds[f"CEBaB, negative, {model}"].append((people, value == "Negative", 0.0))
    return worlds


class Drawn(NamedTuple):
    """Of so many labels the interval is so wide, and holds the truth or not."""

    labels: float
    width: float
    held: float


class Outcome(NamedTuple):
    once: Drawn
    again: Drawn
    random: Drawn
    foreseen: Drawn
    alone_width: float


def study(world: Recorded, chance: np.random.Generator, labels: int) -> Outcome:
    """One round: the rows are a sample of the world, as the intervals take them to be."""
    at = chance.integers(len(world.human), size=len(world.human))
    human, judge, apart = world.human[at], world.judge[at], world.apart[at]
    order, truth = chance.permutation(len(human)), float(world.human.mean())

    def drawn(stat: Stat, count: int) -> Drawn:
        return Drawn(count, stat.high - stat.low, stat.low <= truth <= stat.high)

    first, rest = order[:labels], order[labels:]
    random = ppi_mean(human[first], judge[first], judge[rest], confidence=CONFIDENCE)
    width = random.stat.high - random.stat.low
    strata = strata_of(judge, apart, np.zeros(len(human), dtype=np.intp))
    sizes, turns = np.bincount(strata).astype(float), []
    by_stratum = [order[strata[order] == one] for one in range(len(sizes))]
    chosen = pilot_of(human, order)
    for _ in range(MOST_PLANS):
        spread, _ = fitted(human[chosen], judge[chosen], strata[chosen], sizes)
        further = further_labels([spread], [width], CONFIDENCE).further
        if further != 0:
            total = len(human) if further is None else len(chosen) + further
            counts = np.maximum(allocate(spread, total), spread.counts.astype(np.intp))
            parts = zip(by_stratum, counts.tolist(), strict=True)
            chosen = np.concatenate([rows[:count] for rows, count in parts])
        codes, few = joined(strata[chosen], sizes)
        found = stratified_mean(
            human[chosen], judge[chosen], codes, few, float(judge.mean()), confidence=CONFIDENCE
        )
        turns.append(drawn(found.stat, len(chosen)))
        if further == 0:
            break
    return Outcome(
        turns[0],
        turns[-1],
        drawn(random.stat, labels),
        drawn(*random_as_foreseen(human, judge, order, width)),
        random.classical.high - random.classical.low,
    )


def pilot_of(human: Floats, order: Ints) -> Ints:
    """From labels that are all the same nothing is planned: more are drawn at random."""
    count = PILOT
    while not np.ptp(human[order[:count]]):
        count += FIRST
    return order[:count]


def random_as_foreseen(human: Floats, judge: Floats, order: Ints, width: float) -> tuple[Stat, int]:
    """Random drawing of as many labels as the pilot says that the width takes."""
    pilot = pilot_of(human, order)
    rest = order[len(pilot) :]
    more = labels_needed(
        human[pilot], judge[pilot], judge[rest], width, confidence=CONFIDENCE
    ).further
    count = len(pilot) + more if more is not None else len(order) - 1
    first, rest = order[:count], order[count:]
    return ppi_mean(human[first], judge[first], judge[rest], confidence=CONFIDENCE).stat, count


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
        "| set | items | r | random | possible | once | fewer | holds | again | fewer | holds"
        " | fewer than without judge | random as foreseen | random |"
    )
    print("| --- " * 14 + "|")
    for world in recorded():
        chance, items = np.random.default_rng(0), len(world.human)
        labels = min(200, items // 3)
        done = [study(world, chance, labels) for _ in range(rounds)]
        once, again, random, foreseen = (
            Drawn(*np.mean([one[at] for one in done], axis=0)) for at in range(4)
        )
        # Labels alone would take so many more for the width that the plans reached.
        alone = labels * np.mean([(one.alone_width / one.again.width) ** 2 for one in done])
        cells = (
            *(world.name, f"{items:,}", f"{np.corrcoef(world.human, world.judge)[0, 1]:.2f}"),
            *(str(labels), f"{possible(world, labels):.0%}"),
            *_shown(once, random),
            *_shown(again, random),
            f"{1 - again.labels / alone:.0%}",
            f"{foreseen.held:.1%}",
            f"{random.held:.1%}",
        )
        print(f"| {' | '.join(cells)} |", flush=True)


def _shown(plan: Drawn, random: Drawn) -> tuple[str, str, str]:
    """What it took, what it saves at the very width of random drawing, how often it holds."""
    equal = plan.labels * (plan.width / random.width) ** 2
    return f"{plan.labels:.0f}", f"{1 - equal / random.labels:.0%}", f"{plan.held:.1%}"


if __name__ == "__main__":
    main()
