"""What the best of several recorded judging prompts is said to be worth, against the truth."""

from __future__ import annotations

import numpy as np
import pytest
from tests.replay.recorded import ABSENT, present, recorded

from adjudge.stats.arrays import Floats
from adjudge.stats.selection import choose

pytestmark = pytest.mark.skipif(not present("llmbar_verdicts"), reason=ABSENT)
SPLITS = 500
JUDGES = ("GPT-4", "ChatGPT", "ChatGPT-0301", "PaLM2", "LLaMA2", "Falcon")


@pytest.fixture(scope="module")
def tables() -> list[Floats]:
    """By judge: a row per item and a column per prompt, 1 where the verdict is right."""
    right: dict[str, dict[str, dict[str, float]]] = {}
    for row in recorded("llmbar_verdicts"):
        prompt = right.setdefault(row["judge"], {}).setdefault(row["mode"], {})
        prompt[row["item_id"]] = float(row["winner_ab"] == str(row["label"]))
    return [
        np.array([list(map(prompt.get, sorted(prompt))) for prompt in right[name].values()]).T
        for name in JUDGES
    ]


@pytest.mark.parametrize("labels", [30, 60, 120])
def test_within_a_point_and_covered(tables: list[Floats], labels: int) -> None:
    """Over random splits: what is said from the labels, and how it is on all other items. The truth
    is measured on few hundred items itself, which its interval has to count."""
    luck, error, covered = [], [], []
    for table in tables:
        draw = np.random.default_rng(labels)
        for _ in range(SPLITS):
            order = draw.permutation(len(table))
            seen, others = table[order[:labels]], table[order[labels:]]
            chosen = choose(seen, seen.mean(axis=0), 0.9)
            truth = others[:, chosen.best]
            said = chosen.corrected
            assert said.value is not None
            assert said.high is not None
            luck.append(chosen.shown - truth.mean())
            error.append(said.value - truth.mean())
            reach = np.hypot(said.high - said.value, 1.645 * truth.std() / np.sqrt(len(truth)))
            covered.append(abs(error[-1]) <= reach)
    assert np.mean(luck) > 0.02  # what the best shows is too good by two points and more
    assert abs(float(np.mean(error))) < 0.01
    assert 0.88 <= np.mean(covered) <= 0.93
