from __future__ import annotations

import numpy as np
import pytest

from adjudge.analysis.scores.grader import CriterionScores
from adjudge.analysis.scores.intervals import mean_of
from adjudge.core.scale import Number


def scores(*values: float, on_scale: bool = True) -> CriterionScores:
    array = np.array(values)
    scale = Number(min=0.0, max=10.0)
    return CriterionScores(
        "fit", scale, np.arange(len(array)), array, len(array), 0, on_scale=on_scale
    )


def test_an_interval_ends_where_the_scale_ends() -> None:
    stat, _ = mean_of(scores(7.0, 8.0, 10.0))
    assert stat.value == pytest.approx(25 / 3)
    assert stat.high == 10.0
    assert stat.low is not None
    assert 0 < stat.low < 7


def test_likelihoods_have_no_scale_to_end_at() -> None:
    stat, bounds = mean_of(scores(-7.0, 8.0, 30.0, on_scale=False))
    assert stat.high is not None
    assert stat.high > 10
    assert bounds is None
