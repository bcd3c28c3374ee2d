"""Korean MT-bench: 13,608 replies in two languages read as their authors read them, and
`adjudge calibrate` gives back its Tables 6 (means) and 8 (failures).

The replies are judged once, as 24 runs: a run per language, judge and protocol. What the authors
read stands in for people's labels: `n` is then what both could read, the labels' own mean is the
published one, and the judge's mean differs only by what we read and they did not.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import pytest
from tests.commands import Command
from tests.replay.recorded import ABSENT, DATA, Row, judged, present, recorded

pytestmark = [
    pytest.mark.skipif(not present("kmtbench_single"), reason=ABSENT),
    pytest.mark.slow,  # 13,608 verdicts
]

NAMES = {  # as the tables call the judges
    "Qwen2.5-7B": "Qwen-7B",
    "Qwen2.5-14B": "Qwen-14B",
    "Qwen2.5-32B": "Qwen-32B",
    "EXAONE-3.5-32B": "EXAONE-32B",
    "GPT-4o-mini": "GPT-4o-mini",
    "Gemma-4-12B": "Gemma-4-12B",
}
# By place in the file, from 0: what the authors read and we need not, and why.
EXPLAINED = {
    8194: "three ratings on one line, one for each review that was judged",
    10867: "two ratings on one line, one for each turn",
}
# Several ratings in one pair of brackets, one for each review: none of them is the reply's.
LISTS = (6904, 6918, 7064, 7224, 7384, 7704, 8034, 8354, 8514, 8674, 8834)
SCALE = {"type": "number", "min": 1, "max": 10}

Group = tuple[str, str, str]  # language, judge, protocol


class Judged:
    """The rows of each group with their scores, by place in the file; and where the runs are."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.rows: list[Row] = recorded("kmtbench_single")
        self.groups: dict[Group, list[int]] = defaultdict(list)
        for place, row in enumerate(self.rows):
            judge = NAMES.get(row["judge"], row["judge"])
            self.groups[row["lang"], judge, row["protocol"]].append(place)
        self.scores: dict[int, Row] = {}
        for group, places in self.groups.items():
            replies = {str(place): [self.rows[place]["reply"]] for place in places}
            scores = judged(self.store(group).parent, SCALE, replies)
            self.scores |= {int(score["item"]): score for score in scores}

    def store(self, group: Group) -> Path:
        return self.folder / "-".join(group) / "store.db"


@pytest.fixture(scope="module")
def kmtbench(tmp_path_factory: pytest.TempPathFactory) -> Judged:
    return Judged(tmp_path_factory.mktemp("kmtbench"))


def test_what_its_authors_could_parse_reads_the_same(kmtbench: Judged) -> None:
    different = {
        place: (row["score"], kmtbench.scores[place]["value"], kmtbench.scores[place]["why"])
        for place, row in enumerate(kmtbench.rows)
        if row["score"] is not None and row["score"] != kmtbench.scores[place]["value"]
    }
    assert sum(row["score"] is not None for row in kmtbench.rows) == 13_442
    assert different.keys() <= EXPLAINED.keys(), different
    assert all(value is None for _, value, _ in different.values()), different


def test_what_they_could_not_and_we_can(kmtbench: Judged) -> None:
    """Of 166 that went unparsed, most that hold a rating write it as [[rating]]: 8 or
    [[Rating: [8]]] or in a Korean sentence; the others stop before it."""
    outcomes = Counter(
        kmtbench.scores[place]["outcome"]
        for place, row in enumerate(kmtbench.rows)
        if row["score"] is None
    )
    assert outcomes.total() == 166
    assert 71 <= outcomes["scored"] <= 76, outcomes  # each was looked at; more would be guesses
    assert [kmtbench.scores[place]["value"] for place in LISTS] == [None] * len(LISTS)


def _table(name: str) -> list[dict[str, str]]:
    tables = json.loads((DATA / "kmtbench_published_tables.json").read_text("utf-8"))
    rows: list[dict[str, str]] = tables[name]
    return rows


def _calibrated(adjudge: Command, kmtbench: Judged, group: Group) -> dict[str, Any]:
    labels = [
        {"item": place, "quality": kmtbench.rows[place]["score"]}
        for place in kmtbench.groups[group]
    ]
    named = ("--labels", adjudge.write("labels.jsonl", labels))
    store = ("--store", str(kmtbench.store(group)))
    ended = adjudge("calibrate", *named, *store, "--rounds", "100", "--json")
    criteria: dict[str, Any] = ended.json["criteria"]
    return criteria["quality"]


def test_tables_6_and_8(adjudge: Command, kmtbench: Judged) -> None:
    failures = {
        (row["language"], row["judge"], row["protocol"]): row
        for row in _table("table8_parse_failures.csv")
    }
    means = {row["judge"]: row for row in _table("table6_single_scores.csv")}
    not_read = more_read = 0
    assert len(kmtbench.groups) == 24
    for group, places in kmtbench.groups.items():
        lang, judge, protocol = group
        found = _calibrated(adjudge, kmtbench, group)
        published = failures[group]
        labelled = found["n"] + found["labelled_but_unscored"]
        assert len(places) == int(published["expected_calls"])
        assert labelled == int(published["valid_calls"])
        failed = int(published["total_failures"])
        assert found["unscored"] <= failed + found["labelled_but_unscored"]
        not_read += found["labelled_but_unscored"]
        more_read += failed + found["labelled_but_unscored"] - found["unscored"]
        assert found["overall"]["exact"]["value"] == 1
        if protocol == "single_grade":
            mean = float(means[judge][f"{lang}_mean"])
            people, raw = found["mean"]["people"]["value"], found["mean"]["raw"]["value"]
            # To the last digit, but for the few replies that only they, or only we, can read.
            lost = found["labelled_but_unscored"]
            assert people == pytest.approx(mean, abs=0.0051 + 9 * lost / len(places)), group
            assert raw == pytest.approx(mean, abs=0.0051 + 9 * failed / len(places)), group
    assert not_read <= len(EXPLAINED)
    assert 71 <= more_read <= 76  # as in docs/evidence/reading.md
