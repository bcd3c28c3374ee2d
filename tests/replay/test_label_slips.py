"""Slips planted into recorded labels: most are found, and most of what is found was planted."""

from __future__ import annotations

import numpy as np
import pytest
from tests.replay.recorded import ABSENT, present, recorded

from adjudge.stats.label_noise import slips_of_names, slips_of_numbers

pytestmark = pytest.mark.skipif(not present("summeval_items"), reason=ABSENT)
STUDIES = 10
ASPECTS = 4


def test_three_experts_of_summaries() -> None:
    """One label in twenty is turned round; two simulated judges err as much as people do."""
    rows = [row["experts"] for row in recorded("summeval_items") if len(row["experts"] or ()) == 3]
    experts = np.array(
        [[list(one.values()) if isinstance(one, dict) else one for one in row] for row in rows],
        dtype=np.float64,
    )
    draw = np.random.default_rng(3)
    for aspect in range(ASPECTS):
        right = listed = planted_in_all = 0
        for _ in range(STUDIES):
            ratings = experts[draw.choice(len(experts), 150, replace=False), :, aspect]
            judges = ratings.mean(axis=1)[:, None] + draw.normal(0, 0.7, (150, 2))
            planted = (draw.random(ratings.shape) < 0.05) & (ratings != 3)
            table = np.where(planted, 6 - ratings, ratings)
            others = (table.sum(axis=1, keepdims=True) - table) / 2
            evidence = np.column_stack([others.ravel(), np.repeat(judges, 3, axis=0)])
            items = np.repeat(np.arange(150), 3)
            raters = np.tile(np.arange(3), 150)
            likely = (
                slips_of_numbers(table.ravel(), evidence, items, raters, (1, 5), step=1.0) >= 0.5
            )
            right += int((likely & planted.ravel()).sum())
            listed += int(likely.sum())
            planted_in_all += int(planted.sum())
        assert right / planted_in_all > 0.5, aspect
        assert right / listed > 0.5, aspect


def test_pairs_of_answers_by_many_judges() -> None:
    """LLMBar is made so that judges err: with all of its judges and prompts it is just possible."""
    verdicts: dict[tuple[str, str], dict[str, float]] = {}
    gold: dict[str, float] = {}
    for row in recorded("llmbar_verdicts"):
        gold[row["item_id"]] = row["label"] - 1.0
        if row["winner_ab"] in {"1", "2"}:
            judge = verdicts.setdefault((row["judge"], row["mode"]), {})
            judge[row["item_id"]] = int(row["winner_ab"]) - 1.0
    ids = sorted(gold)
    voices = np.array([[said.get(item, np.nan) for said in verdicts.values()] for item in ids])
    truth = np.array([gold[item] for item in ids])
    draw = np.random.default_rng(1)
    right = listed = planted_in_all = 0
    for _ in range(STUDIES):
        chosen = draw.choice(len(ids), 300, replace=False)
        planted = draw.random(300) < 0.05
        labels = np.where(planted, 1 - truth[chosen], truth[chosen])
        likely = slips_of_names(labels, voices[chosen], np.arange(300), 2) >= 0.3
        right += int((likely & planted).sum())
        listed += int(likely.sum())
        planted_in_all += int(planted.sum())
    assert right / planted_in_all > 0.5
    assert right / listed > 0.5
