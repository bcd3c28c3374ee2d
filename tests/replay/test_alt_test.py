"""The published figures of the alternative annotator test, from the published annotations."""

from __future__ import annotations

import json

import numpy as np
import pytest
from tests.replay.recorded import ABSENT, DATA, present, recorded

from adjudge.stats.alt_test import alternative_annotator_test

pytestmark = pytest.mark.skipif(not present("alttest_annotations"), reason=ABSENT)


def test_every_published_pair_of_figures() -> None:
    """Winning rate and advantage of each model on each set, to the two digits of the paper."""
    published = json.loads((DATA / "alttest_published.json").read_text("utf-8"))
    rows = recorded("alttest_annotations")
    pairs = 0
    for name, content in published.items():
        own = [row for row in rows if row["dataset"] == name]
        raters = sorted({rater for row in own for rater in row["human"]})
        values = {str(v) for row in own for v in (*row["human"].values(), *row["llm"].values())}
        names = {value: float(code) for code, value in enumerate(sorted(values))}
        nominal = content["scale"] == "nominal"

        def number(
            value: object, nominal: bool = nominal, names: dict[str, float] = names
        ) -> float:
            return (
                float("nan")
                if value is None
                else names[str(value)]
                if nominal
                else float(str(value))
            )

        for model, figures in content["published"].items():
            here = [row for row in own if row["llm"].get(model) is not None]
            judge = np.array([number(row["llm"][model]) for row in here])
            table = np.array([[number(row["human"].get(r)) for r in raters] for row in here])
            level = "nominal" if nominal else "interval"
            found = alternative_annotator_test(judge, table, level, epsilon=content["epsilon"])
            assert found.winning_rate.value == pytest.approx(figures["winning_rate"], abs=0.0051)
            assert found.advantage.value == pytest.approx(figures["advantage"], abs=0.0051)
            pairs += 1
    assert pairs == 52
