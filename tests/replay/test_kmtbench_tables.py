"""Korean MT-bench's published tables of single grades, from its recorded scores."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from tests.replay.recorded import ABSENT, DATA, Row, present, recorded

from adjudge.stats.mean import bounds, mean
from adjudge.stats.paired import paired_difference

pytestmark = pytest.mark.skipif(not present("kmtbench_single"), reason=ABSENT)

JUDGES = {  # as the tables name them, and the records
    "Qwen-7B": "Qwen2.5-7B",
    "Qwen-14B": "Qwen2.5-14B",
    "Qwen-32B": "Qwen2.5-32B",
    "EXAONE-32B": "EXAONE-3.5-32B",
    "GPT-4o-mini": "GPT-4o-mini",
    "Gemma-4-12B": "Gemma-4-12B",
}
SINGLE = ("single_grade", "single_grade_ref")
Graded = dict[tuple[str, str, str], list[Row]]


@pytest.fixture(scope="module")
def graded() -> Graded:
    found: Graded = {}
    for row in recorded("kmtbench_single"):
        found.setdefault((row["lang"], row["judge"], row["protocol"]), []).append(row)
    return found


@pytest.fixture(scope="module")
def tables() -> dict[str, list[dict[str, Any]]]:
    text = (DATA / "kmtbench_published_tables.json").read_text(encoding="utf-8")
    return {name.partition("_")[0]: rows for name, rows in json.loads(text).items()}


def scored(rows: list[Row]) -> list[float]:
    return [row["score"] for row in rows if row["score"] is not None]


def test_table_6_means_in_two_languages(graded: Graded, tables: dict[str, Any]) -> None:
    deltas = []
    for row in tables["table6"][:-1]:
        means = {}
        for lang in ("en", "ko"):
            values = scored(graded[lang, JUDGES[row["judge"]], "single_grade"])
            means[lang] = mean(values).value
            assert len(values) == int(row[f"{lang}_valid_scores"])
            assert means[lang] == pytest.approx(float(row[f"{lang}_mean"]), abs=0.005001)
        deltas.append(means["ko"] - means["en"])  # type: ignore[operator]
        assert deltas[-1] == pytest.approx(float(row["delta_ko_minus_en"]), abs=0.005001)
    assert mean(deltas).value == pytest.approx(
        float(tables["table6"][-1]["delta_ko_minus_en"]), abs=0.005001
    )


def test_table_8_what_could_not_be_parsed(graded: Graded, tables: dict[str, Any]) -> None:
    checked = 0
    for row in tables["table8"]:
        if row["protocol"] not in SINGLE or row["judge"] not in JUDGES:
            continue
        rows = graded[row["language"], JUDGES[row["judge"]], row["protocol"]]
        assert len(rows) == int(row["expected_calls"])
        assert len(scored(rows)) == int(row["valid_calls"]), row
        checked += 1
    assert checked == 24


def test_what_went_unparsed_cannot_undo_the_gap(graded: Graded) -> None:
    """Even at worst for English and best for Korean, Korean answers are graded lower."""
    for judge in JUDGES.values():
        ends = {}
        for lang in ("en", "ko"):
            rows = graded[lang, judge, "single_grade"]
            values = scored(rows)
            ends[lang] = bounds(values, len(rows) - len(values), 1, 10)
        assert ends["ko"].best < ends["en"].worst, judge  # type: ignore[operator]


def test_table_7_with_and_without_a_reference(graded: Graded, tables: dict[str, Any]) -> None:
    def keyed(rows: list[Row]) -> dict[tuple[object, ...], float]:
        return {
            (row["qid"], row["turn"], row["model"]): row["score"]
            for row in rows
            if row["score"] is not None
        }

    for row in tables["table7"][:-1]:
        for lang in ("en", "ko"):
            plain, shown = (
                keyed(graded[lang, JUDGES[row["judge"]], protocol]) for protocol in SINGLE
            )
            both = sorted(plain.keys() & shown.keys(), key=str)
            found = paired_difference(
                np.array([shown[key] for key in both]), np.array([plain[key] for key in both])
            )
            assert found.n == int(row[f"{lang}_paired"])
            assert found.difference.value == pytest.approx(
                float(row[f"{lang}_delta"]), abs=0.005001
            )
