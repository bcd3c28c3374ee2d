"""How near length-controlled win rates come to the truth, in simulations where it is known.

Systems of unequal strength meet a baseline on questions of unequal difficulty; a longer answer
helps each of them by about as much (alike) or not (unlike). Prints the error (root mean square, in
points) of the plain win rate and of ours without and with variants of the baseline, and how many of
100 intervals of 95%, without variants, hold the true rate. The figures are in
docs/evidence/length-control.md.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence

import numpy as np
from scipy.special import expit

from adjudge.stats.arrays import Floats
from adjudge.stats.length_control import (
    AgainstBaseline,
    LengthControlledRate,
    learn_pools,
    length_controlled,
)

EFFECT = 1.8  # of length, in log-odds: about what AlpacaEval 2 has
UNLIKE = {"alike": 0.2, "unlike": 0.6}  # standard deviation of the systems' effects
SIZES = ((3, 200), (3, 800), (12, 200), (12, 800))


class World:
    """Systems with strengths, effects of length and lengths of their own, and two variants of the
    baseline, of which one writes more and the other less."""

    def __init__(self, chance: np.random.Generator, systems: int, questions: int, unlike: float):
        self.chance, self.questions = chance, np.arange(questions)
        self.hard = chance.normal(0, 1, questions)
        self.strength = chance.normal(-1, 1, systems)
        self.effect = chance.normal(EFFECT, unlike, systems)
        self.apart = chance.normal(-0.5, 1, systems)  # mean difference in length, in sds

    def systems(self) -> list[AgainstBaseline]:
        each = zip(self.strength, self.effect, self.apart, strict=True)
        return [self._met(level + self.hard, effect, apart) for level, effect, apart in each]

    def variants(self) -> list[AgainstBaseline]:
        return [self._met(np.zeros(len(self.questions)), EFFECT, apart) for apart in (1.0, -1.0)]

    def rates(self) -> Floats:
        """What the systems would win at equal length."""
        return expit(self.strength[:, None] + self.hard).mean(1)

    def _met(self, level: Floats, effect: float, apart: float) -> AgainstBaseline:
        longer = 500 * self.chance.normal(apart, 1, len(level))
        given = AgainstBaseline(np.zeros(len(level)), longer, self.questions)
        won = self.chance.random(len(level)) < expit(level + effect * given.length())
        return AgainstBaseline(won.astype(float), longer, self.questions)


def controlled(
    systems: Sequence[AgainstBaseline], questions: int, variants: int
) -> list[LengthControlledRate]:
    """The last of the systems are the variants."""
    count = len(systems) - variants
    pools = learn_pools(systems, questions, range(count, len(systems)))
    found = zip(systems[:count], pools[:count], strict=True)
    return [length_controlled(each, pool, each.question) for each, pool in found]


def simulated(systems: int, questions: int, unlike: float, studies: int) -> list[float]:
    """Errors of the plain rate, without and with variants; and the share of intervals that hold."""
    chance = np.random.default_rng([systems, questions, round(10 * unlike)])
    off: list[Floats] = []
    held: list[bool] = []
    for _ in range(studies):
        world = World(chance, systems, questions, unlike)
        given, true = world.systems(), world.rates()
        alone = controlled(given, questions, 0)
        beside = controlled([*given, *world.variants()], questions, 2)
        plain = np.array([each.won.mean() for each in given])
        off.append(np.stack([plain - true, _values(alone) - true, _values(beside) - true]))
        for each, rate in zip(alone, true, strict=True):
            if each.rate.low is not None and each.rate.high is not None:
                held.append(each.rate.low <= rate <= each.rate.high)
    errors = 100 * np.sqrt(np.nanmean(np.square(np.concatenate(off, axis=1)), axis=1))
    return [*errors.tolist(), 100 * float(np.mean(held))]


def _values(found: Sequence[LengthControlledRate]) -> Floats:
    return np.array([np.nan if each.rate.value is None else each.rate.value for each in found])


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--studies", type=int, default=40, help="simulations a line")
    given = options.parse_args()
    print("systems, questions, effects   plain  without  with variants  intervals that hold")
    for systems, questions in SIZES:
        for name, unlike in UNLIKE.items():
            found = simulated(systems, questions, unlike, given.studies)
            plain, without, beside, held = (f"{each:.1f}" for each in found)
            what = f"{systems}, {questions}, {name}"
            print(f"{what:28} {plain:>6} {without:>8} {beside:>14} {held:>20}", flush=True)


if __name__ == "__main__":
    main()
