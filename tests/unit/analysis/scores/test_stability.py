from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from tests.unit.analysis.graded import SCALES, Graded

from adjudge.analysis.scores import item_spreads, repeats_of
from adjudge.reports.encode import encode
from adjudge.reports.findings.repeats import SHAPES, item_rows, item_samples, repeats
from adjudge.reports.renderers.terminal import as_text
from adjudge.reports.words import command_line
from adjudge.stores import RunRecord


@pytest.fixture
def graded(tmp_path: Path):  # type: ignore[no-untyped-def]
    """Three items, three samples: one steady, one that flips, one scored once."""
    made = Graded(tmp_path, rating=SCALES["rating"], winner=SCALES["winner"])
    made.add(repeat=0, rating=[4, 4, None], winner=["a", "a", "a"])
    made.add(repeat=1, rating=[4, 2, 3], winner=["a", "b", "a"])
    made.add(repeat=2, rating=[4, 4, None], winner=["a", "a", "a"])
    yield made
    made.close()


def record(graded: Graded, **settings: object) -> RunRecord:
    manifest = replace(graded.record.manifest, settings={"repeat": 3, **settings})
    return replace(graded.record, manifest=manifest, rows=4)


def test_each_item(graded: Graded) -> None:
    entries = (entry.verdict for entry in graded.store.verdicts.entries(graded.record.id))
    steady, flips, once = item_spreads(entries)
    assert not steady.criteria["rating"].flips
    assert flips.criteria["rating"].mode == 4
    assert flips.criteria["rating"].flip_rate == pytest.approx(1 / 3)
    assert (once.samples, once.criteria["rating"].n) == (3, 1)


def test_all_items(graded: Graded) -> None:
    found = repeats_of(record(graded), graded.store)
    assert found is not None
    rating, winner = found.criteria
    assert (rating.items, rating.flipping) == (2, 1)  # one sample shows no spread
    assert rating.flip_rate == pytest.approx(1 / 6)
    assert (winner.items, winner.sd) == (3, None)
    assert encode(found, SHAPES)["not_needed"] is None
    assert "not needed" not in as_text([repeats(found, command_line())])


def test_what_stopping_early_saved(graded: Graded) -> None:
    found = repeats_of(record(graded, stop="stable"), graded.store)
    assert found is not None
    assert encode(found, SHAPES)["not_needed"] == 3
    assert "3 of 12 samples (25%) were not needed" in as_text([repeats(found, command_line())])


def test_one_sample_each_is_no_repeat(graded: Graded) -> None:
    assert repeats_of(graded.record, graded.store) is None


def test_samples_of_an_item(graded: Graded) -> None:
    entries = [entry.verdict for entry in graded.store.verdicts.entries(graded.record.id, "i1")]
    samples = item_samples(entries, command_line())
    assert samples is not None
    shown = [line.split() for line in as_text([samples]).splitlines()]
    assert shown[-2] == [
        "graded",
        "m",
        "rating",
        "4",
        "3.33",
        "1.15",
        "33%",
        "0.92",
        "3",
        "of",
        "3",
    ]
    assert shown[-1] == ["graded", "m", "winner", "a", "–", "–", "33%", "0.92", "3", "of", "3"]
    assert item_samples(entries[:1], command_line()) is None


def test_rows(graded: Graded) -> None:
    entries = [entry.verdict for entry in graded.store.verdicts.entries(graded.record.id)]
    rows = list(item_rows("r", entries))
    assert [row["item"] for row in rows] == ["i0", "i1", "i2"]
    assert rows[2]["samples"] == 3
    assert rows[2]["scores"]["rating"] == {  # type: ignore[index]
        "value": 3.0,
        "mode": 3,
        "sd": None,
        "flip_rate": 0.0,
        "entropy": 0.0,
        "scored": 1,
        "unscored": 2,
    }
    assert rows[1]["scores"]["winner"]["value"] == "a"  # type: ignore[index]
