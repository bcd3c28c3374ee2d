"""What panels of recorded models are worth beside the people who annotated the same items."""

from __future__ import annotations

import json

import numpy as np
import pytest
from tests.replay.recorded import ABSENT, DATA, present, recorded

from adjudge.analysis.panel import PanelWorth
from adjudge.analysis.panel.worth import votes_by_agreement, worth_of
from adjudge.core.label import Label
from adjudge.core.scale import Category, Integer, Scale
from adjudge.stats.people import people_of

Panels = dict[str, tuple[PanelWorth, float]]
pytestmark = pytest.mark.skipif(not present("alttest_annotations"), reason=ABSENT)


@pytest.fixture(scope="module")
def panels() -> Panels:
    """By data set: what labels show of its models, and the votes without labels."""
    found = {}
    rows = recorded("alttest_annotations")
    for name, content in json.loads((DATA / "alttest_published.json").read_text("utf-8")).items():
        own = [row for row in rows if row["dataset"] == name]
        given = [str(v) for row in own for v in (*row["human"].values(), *row["llm"].values()) if v]
        scale: Scale = (
            Category(tuple(sorted(set(given))))
            if content["scale"] == "nominal"
            else Integer(int(min(map(float, given))), int(max(map(float, given))))
        )
        codes = {option: float(code) for code, option in enumerate(sorted(set(given)))}
        models = sorted({model for row in own for model in row["llm"]})
        table = np.array(
            [
                [
                    codes[str(row["llm"][m])] if isinstance(scale, Category) else row["llm"][m]
                    for m in models
                ]
                for row in own
            ],
            dtype=np.float64,
        )
        labels = [
            Label(
                item=str(at),
                rater=rater,
                criterion="c",
                value=str(value) if isinstance(scale, Category) else float(value),
            )
            for at, row in enumerate(own)
            for rater, value in row["human"].items()
            if value is not None
        ]
        places = {str(at): at for at in range(len(own))}
        people = people_of(labels, places, {"c": scale}).people["c"]
        how = "majority" if isinstance(scale, Category) else "mean"
        worth = worth_of(table, people, scale, how, [None] * len(models))
        found[name] = worth, votes_by_agreement(table, scale).value or 0.0
    return found


NAMES = ("wax", "lgbteen", "mtbench", "framing", "cebab_aspects")
GRADES = ("summeval", "10k_prompts", "cebab_stars", "lesion")


def test_six_models_are_worth_two_votes(panels: Panels) -> None:
    """Of `lesion` there are four models."""
    votes = {name: round(worth.votes.value or 0.0, 2) for name, (worth, _) in panels.items()}
    assert votes == {
        "wax": 1.93, "lgbteen": 2.06, "mtbench": 1.76, "framing": 2.05, "cebab_aspects": 1.58,
        "summeval": 1.49, "10k_prompts": 1.69, "cebab_stars": 1.56, "lesion": 1.64,
    }  # fmt: skip
    alone = [by_agreement for _, by_agreement in panels.values()]
    assert (round(min(alone), 1), round(max(alone), 1)) == (1.1, 2.1)


def test_the_majority_loses_to_the_best_model_on_names(panels: Panels) -> None:
    found = {name: panels[name][0] for name in NAMES}
    assert {name: worth.ways[0].verdict for name, worth in found.items()} == {
        **dict.fromkeys(NAMES, "worse"),
        "mtbench": "undecided",  # 85 items
    }
    for worth in found.values():
        assert worth.best_shown > (worth.ways[0].shown or 0.0)
        assert worth.cheapest is not None
        assert worth.cheapest.members == (worth.best,)


def test_the_mean_wins_on_grades(panels: Panels) -> None:
    found = {name: panels[name][0] for name in GRADES}
    ways = {name: {way.how: way for way in worth.ways} for name, worth in found.items()}
    assert {name: by["mean"].verdict for name, by in ways.items()} == {
        "summeval": "better",
        "10k_prompts": "undecided",
        "cebab_stars": "better",
        "lesion": "undecided",
    }
    for name, worth in found.items():
        assert (ways[name]["mean"].shown or 9.0) < worth.best_shown  # nearer to people
        assert (ways[name]["majority"].shown or 0.0) > (ways[name]["mean"].shown or 9.0)
    sizes = {name: len(worth.cheapest.members) for name, worth in found.items() if worth.cheapest}
    assert sizes == {"summeval": 2, "10k_prompts": 2, "cebab_stars": 3, "lesion": 1}
