"""Published agreement among people, from their ratings: 13 alphas, and PandaLM's kappas."""

from __future__ import annotations

import json
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from tests.replay.recorded import ABSENT, DATA, Row, present, recorded

from adjudge.stats.alpha import alpha_of, pairable
from adjudge.stats.kappa import cohen_kappa

pytestmark = pytest.mark.skipif(not present("human_ratings"), reason=ABSENT)


@pytest.fixture(scope="module")
def rated() -> dict[str, list[Row]]:
    by_name: dict[str, list[Row]] = {}
    for row in recorded("human_ratings"):
        by_name.setdefault(f"{row['dataset']}|{row['aspect']}", []).append(row)
    return by_name


@pytest.fixture(scope="module")
def published() -> dict[str, Any]:
    text = (DATA / "human_ratings_reference.json").read_text(encoding="utf-8")
    return dict(json.loads(text))


def table(rows: list[Row]) -> np.ndarray:
    """Items by raters, names by their place on the scale, NaN where an item has fewer values."""
    width = max(len(row["values"]) for row in rows)
    ratings = np.full((len(rows), width), np.nan)
    for place, row in enumerate(rows):
        for column, value in enumerate(row["values"]):
            if value is not None:
                named = row["level"] == "nominal"
                ratings[place, column] = row["scale"].index(value) if named else value
    return ratings


def test_thirteen_alphas(rated: dict[str, list[Row]], published: dict[str, Any]) -> None:
    known = {name: each for name, each in published.items() if "krippendorff_alpha" in each}
    assert len(known) == 13
    for name, each in known.items():
        found = alpha_of(*pairable(table(rated[name])), each["level"])
        assert found == pytest.approx(each["krippendorff_alpha"], abs=1e-9), name


def test_three_kappas(rated: dict[str, list[Row]], published: dict[str, Any]) -> None:
    ratings = table(rated["pandalm|preference"])
    kappas = published["pandalm|preference"]["cohen_kappa"]
    found = {
        f"{one + 1}-{other + 1}": cohen_kappa(ratings[:, one], ratings[:, other])
        for one, other in combinations(range(3), 2)
    }
    assert found == {pair: pytest.approx(kappa, abs=0.005) for pair, kappa in kappas.items()}
