"""AlpacaEval 2: 57 models against one baseline, beside the published leaderboard.

The published fit leans on two things that are not in the data: judgments of a verbose and of a
terse baseline, and difficulties of the instructions from a leaderboard of its time. Our pool stands
in for both, so that the length-controlled rates come near the published ones and no nearer.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from tests.replay.recorded import ABSENT, Row, present, recorded

from adjudge.stats.bootstrap import clusters
from adjudge.stats.length_control import AgainstBaseline, Pool, learn_pools, length_controlled
from adjudge.stats.logistic import Prior
from adjudge.stats.mean import mean, standard_error

pytestmark = [
    pytest.mark.skipif(not present("alpacaeval2_preferences"), reason=ABSENT),
    pytest.mark.slow,  # 45,000 rows in one fit, three times
]

BASELINE = "gpt4_1106_preview"
# What the missing judgments would say about length and difficulty: mean and variance of each, found
# on the published rates of every second model and used for the others alone.
FOUND_ON_EVEN = Prior(np.array([1.461, 0.632, 0.0]), np.array([0.0656, 0.0386, np.inf]))
FOUND_ON_ODD = Prior(np.array([1.511, 0.863, 0.0]), np.array([0.0933, 0.0301, np.inf]))


@pytest.fixture(scope="module")
def models() -> list[Row]:
    return recorded("alpacaeval2_preferences")


@pytest.fixture(scope="module")
def pools(models: list[Row]) -> dict[str, Pool]:
    """Learned by the product from all models but the baseline itself."""
    lengths = models[0]["len_baseline"]
    others = [row for row in models if row["model"] != BASELINE]
    learned = learn_pools([against(row, placed(row, lengths)) for row in others], len(lengths))
    return {row["model"]: pool for row, pool in zip(others, learned, strict=True)}


def placed(row: Row, lengths: list[int]) -> list[int]:
    """The instruction of each row: six models lack some, which the baseline's lengths show."""
    places, at = [], -1
    for length in row["len_baseline"]:
        at = lengths.index(length, at + 1)
        places.append(at)
    return places


def against(row: Row, questions: list[int]) -> AgainstBaseline:
    longer = np.array(row["len_model"], dtype=float) - row["len_baseline"]
    return AgainstBaseline(np.array(row["preference"]) - 1, longer, np.array(questions))


def test_win_rates_and_standard_errors(models: list[Row]) -> None:
    right = 0
    for row in models:
        won = np.array(row["preference"]) - 1
        rate = mean(won).value
        assert rate is not None
        error = standard_error(won, clusters(None, len(won)))
        published = row["published"]
        right += math.isclose(100 * rate, published["win_rate"], abs_tol=1e-6) and math.isclose(
            100 * error, published["standard_error"], abs_tol=1e-6
        )
    assert right == len(models) == 57


def off(row: Row, pools: dict[str, Pool], prior: Prior | None = None) -> float:
    """Our length-controlled rate minus the published one, in points.

    Difficulties are looked up by row number: the published weights of the six models that lack rows
    look as if the original did so too.
    """
    if row["model"] == BASELINE:
        return 50.0 - float(row["published"]["length_controlled_winrate"])  # both by definition
    pool = pools[row["model"]]
    pool = Pool(pool.difficulty, prior or pool.prior)
    found = length_controlled(against(row, list(range(row["n"]))), pool).rate.value
    assert found is not None
    return 100 * found - float(row["published"]["length_controlled_winrate"])


def test_length_controlled_rates_by_the_product_alone(
    models: list[Row], pools: dict[str, Pool]
) -> None:
    """Nothing published is used."""
    apart = np.abs([off(row, pools) for row in models])
    raw = [row["published"]["win_rate"] for row in models]
    level = [row["published"]["length_controlled_winrate"] for row in models]
    assert apart.mean() < 0.37 < 0.11 * np.abs(np.subtract(raw, level)).mean()
    assert np.sum(apart < 0.5) >= 50
    assert np.sum(apart < 1) >= 51
    assert apart.max() < 2.2


def test_length_controlled_rates_with_the_missing_judgments_made_up_for(
    models: list[Row], pools: dict[str, Pool]
) -> None:
    """Each model by constants that the other half of the models gave."""
    halves = (FOUND_ON_ODD, FOUND_ON_EVEN)
    apart = np.abs([off(row, pools, halves[at % 2]) for at, row in enumerate(models)])
    assert np.sum(apart < 0.5) >= 46
    assert np.sum(apart < 1) >= 51
    assert apart.max() < 1.7
