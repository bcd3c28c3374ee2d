"""Korean MT-bench: 13,608 replies in two languages read as their authors read them."""

from __future__ import annotations

from collections import Counter

import pytest
from tests.replay.recorded import ABSENT, Row, judged, present, recorded

pytestmark = [
    pytest.mark.skipif(not present("kmtbench_single"), reason=ABSENT),
    pytest.mark.slow,  # 13,608 verdicts
]

# By place in the file, from 0: what the authors read and we need not, and why.
EXPLAINED = {
    8194: "three ratings on one line, one for each review that was judged",
    10867: "two ratings on one line, one for each turn",
}
# Several ratings in one pair of brackets, one for each review: none of them is the reply's.
LISTS = (6904, 6918, 7064, 7224, 7384, 7704, 8034, 8354, 8514, 8674, 8834)


@pytest.fixture(scope="module")
def read(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[Row, Row]]:
    rows = recorded("kmtbench_single")
    replies = {str(place): [row["reply"]] for place, row in enumerate(rows)}
    folder = tmp_path_factory.mktemp("kmtbench")
    scores = judged(folder, {"type": "number", "min": 1, "max": 10}, replies)
    by_place = {int(score["item"]): score for score in scores}
    return [(row, by_place[place]) for place, row in enumerate(rows)]


def test_what_its_authors_could_parse_reads_the_same(read: list[tuple[Row, Row]]) -> None:
    different = {
        place: (row["score"], score["value"], score["why"])
        for place, (row, score) in enumerate(read)
        if row["score"] is not None and row["score"] != score["value"]
    }
    assert sum(row["score"] is not None for row, _ in read) == 13_442
    assert different.keys() <= EXPLAINED.keys(), different
    assert all(value is None for _, value, _ in different.values()), different


def test_what_they_could_not_and_we_can(read: list[tuple[Row, Row]]) -> None:
    """Of 166 that went unparsed, most that hold a rating write it as [[rating]]: 8 or
    [[Rating: [8]]] or in a Korean sentence; the others stop before it."""
    outcomes = Counter(score["outcome"] for row, score in read if row["score"] is None)
    assert outcomes.total() == 166
    assert 71 <= outcomes["scored"] <= 76, outcomes  # each was looked at; more would be guesses
    assert [read[place][1]["value"] for place in LISTS] == [None] * len(LISTS)
