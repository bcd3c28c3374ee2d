from __future__ import annotations

import numpy as np
import pytest

from adjudge.errors import UsageError
from adjudge.stats.arrays import Bools, Floats, Ints
from adjudge.stats.label_noise import FEWEST, slips_of_names, slips_of_numbers


def graded(seed: int, n: int = 150) -> tuple[Floats, Floats, Ints, Bools]:
    """Two judges and a second rater who are near the truth; one label in twenty is its opposite."""
    draw = np.random.default_rng(seed)
    truth = draw.integers(1, 6, n).astype(np.float64)
    near = np.clip(truth[:, None] + np.round(draw.normal(0, 0.7, (n, 4))), 1, 5)
    planted = (draw.random(n) < 0.05) & (near[:, 0] != 3)
    labels = np.where(planted, 6 - near[:, 0], near[:, 0])
    return labels, near[:, 1:], np.arange(n), planted


def test_planted_slips_of_numbers() -> None:
    right = listed = planted_in_all = 0
    for seed in range(10):
        labels, evidence, items, planted = graded(seed)
        likely = slips_of_numbers(labels, evidence, items, items * 0, (1, 5), step=1.0) >= 0.5
        right += int((likely & planted).sum())
        listed += int(likely.sum())
        planted_in_all += int(planted.sum())
    assert right / planted_in_all > 0.5
    assert right / listed > 0.5


def test_planted_slips_of_names() -> None:
    right = listed = planted_in_all = 0
    for seed in range(10):
        draw = np.random.default_rng(seed)
        truth = draw.integers(0, 3, 150).astype(np.float64)
        lost = draw.random((150, 4)) < 0.1
        voices = np.where(lost, (truth[:, None] + 1) % 3, truth[:, None])
        planted = draw.random(150) < 0.05
        labels = np.where(planted, (truth + 2) % 3, truth)
        likely = slips_of_names(labels, voices, np.arange(150), 3) >= 0.3
        right += int((likely & planted).sum())
        listed += int(likely.sum())
        planted_in_all += int(planted.sum())
    assert right / planted_in_all > 0.5
    assert right / listed > 0.5


def test_labels_are_not_predicted_from_themselves() -> None:
    """A voice that copies the label exactly leaves nothing to suspect; silence neither."""
    labels, _, items, _ = graded(1)
    assert slips_of_numbers(labels, labels[:, None], items, items * 0, (1, 5), step=1.0).max() < 0.5
    silent = np.full((len(labels), 1), np.nan)
    assert slips_of_numbers(labels, silent, items, items * 0, (1, 5), step=1.0).max() < 0.5


def test_too_few_labels_show_nothing() -> None:
    labels, evidence, items, _ = graded(1, FEWEST - 1)
    assert not slips_of_numbers(labels, evidence, items, items * 0, (1, 5)).any()
    assert not slips_of_names(np.zeros(5), np.ones((5, 2)), np.arange(5), 2).any()


def test_rows_must_fit() -> None:
    with pytest.raises(UsageError):
        slips_of_numbers(np.zeros(3), np.zeros((2, 1)), np.arange(3), np.zeros(3, int), (0, 1))


def test_raters_have_their_own_leaning_and_spread() -> None:
    """Ann is exact, Bob two levels stricter than all others, Cho often two levels off: what would
    be a slip of Ann is a usual label of the other two."""
    draw = np.random.default_rng(2)
    truth = draw.integers(4, 7, 60).astype(np.float64)
    off = np.where(draw.random(60) < 0.5, draw.choice([-2.0, 2.0], 60), 0.0)
    table = np.column_stack([truth, truth - 2, truth + off])
    table[:3, 0] -= 3
    items, raters = np.divmod(np.arange(180), 3)
    judges = np.repeat(np.column_stack([truth, truth]), 3, axis=0)
    likely = slips_of_numbers(table.ravel(), judges, items, raters, (1, 10), step=1.0) >= 0.5
    assert np.flatnonzero(likely).tolist() == [0, 3, 6]
