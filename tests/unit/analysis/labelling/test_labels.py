from __future__ import annotations

from pathlib import Path

import pytest
from tests.commands import Command

import adjudge as package
from adjudge.analysis.labelling import ImportedLabels
from adjudge.errors import DataError


@pytest.fixture
def run(adjudge: Command) -> package.Run:
    rows = [{"id": f"r{n}", "question": "?", "answer": "!"} for n in (1, 2)]
    adjudge.write("data.jsonl", rows)
    adjudge.write("replies.jsonl", [{"item": f"r{n}", "replies": ["3"]} for n in (1, 2)])
    return package.run("data.jsonl", judge="helpfulness", model="replay:replies.jsonl")


def test_counts_what_came(run: package.Run) -> None:
    Path("a.csv").write_text("item,rater,rating\nr1,ann,1\nr1,bob,2\nr9,ann,3\n")
    assert run.import_labels("a.csv") == ImportedLabels(labels=2, replaced=0, elsewhere=1)
    Path("b.csv").write_text("item,rater,rating\nr1,ann,4\nr2,ann,4\n")
    assert run.import_labels("b.csv") == ImportedLabels(labels=2, replaced=1, elsewhere=0)
    assert [(each.item, each.rater, each.value) for each in run.labels()] == [
        *(("r1", "ann", 4.0), ("r1", "bob", 2.0), ("r2", "ann", 4.0))
    ]
    run.close()


def test_nothing_is_kept_of_a_wrong_file(run: package.Run) -> None:
    Path("a.csv").write_text("item,rating\nr1,1\nr2,7\n")
    with pytest.raises(DataError, match="line 3: rating: 7 lies outside"):
        run.import_labels("a.csv")
    assert run.labels() == []
    run.close()
