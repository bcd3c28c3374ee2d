"""A run with repeats and ties has one set of shares, whoever tells them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from tests.unit.analysis.compared import Runs

from adjudge import trust
from adjudge.analysis.browsing import Query, RunIndex
from adjudge.analysis.comparison import Changes, StoredRun
from adjudge.analysis.gates import parse_gates
from adjudge.analysis.gates.figures import judge_run
from adjudge.analysis.scores import DIVIDED
from adjudge.analysis.scores.grader import over_repeats
from adjudge.reports.report import ReportOptions, as_markdown, gather
from adjudge.stores import open_store
from adjudge.strings import strings_for

SAMPLED = {
    "clear": [(2, "fact"), (2, "fact"), (2, "fact")],
    "two of three": [(2, "opinion"), (2, "fact"), (2, "opinion")],
    "three ways": [(2, "opinion"), (2, "other"), (2, "fact")],
    "one each, one lost": [(2, "other"), None, (2, "fact")],
    "one alone": [None, None, (2, "other")],
    "lost": [None, None, None],
}
SHARES = {"fact": 0.2, "opinion": 0.2, "other": 0.2, DIVIDED: 0.4}  # of the five with a score


def test_the_commonest_or_none() -> None:
    none = np.nan
    items = np.array([[0, 0, 0], [0, 1, none], [none, none, none], [1, 0, 1], [2, none, none]])
    np.testing.assert_array_equal(over_repeats(items.T, names=True), [0, none, none, 1, 2])


@pytest.fixture
def runs(tmp_path: Path) -> Runs:
    return Runs(tmp_path)


def test_pages_reports_comparisons_and_gates_tell_the_same_shares(runs: Runs) -> None:
    a = runs.run(SAMPLED, repeat=3)
    b = runs.run(dict.fromkeys(SAMPLED, (2, "fact")))
    told = trust.compare(a, b, store=runs.store).criteria["kind"]
    assert isinstance(told, Changes)
    assert {name: in_a for name, (in_a, _, _) in told.options.items()} == SHARES
    assert told.moves[DIVIDED, "fact"] == 2
    store = open_store(runs.store)
    record = store.runs.find(a)
    index = RunIndex(record, store)
    (grader,) = index.overview().graders
    kind = next(each for each in grader.criteria if each.criterion == "kind")
    counts = {bar.label: bar.count for bar in kind.distribution} | {DIVIDED: kind.divided}
    assert {name: n / kind.items for name, n in counts.items()} == SHARES
    assert (kind.items, kind.unscored_items) == (5, 1)
    gates = parse_gates([f"kind.share(={name})=20%" for name in ("fact", "opinion", "other")])
    assert all(each.passed for each in judge_run(gates, record, store))
    report = as_markdown(gather(StoredRun(record, store), ReportOptions()), strings_for("en"))
    assert "fact 20%, opinion 20%, other 20%, (samples divided) 40%" in report
    assert "Unscored samples" in report  # items and samples are told apart
    page = index.page(Query(criterion="kind", value=DIVIDED))
    assert {row.item for row in page.rows} == {"three ways", "one each, one lost"}
    assert all(row.cells[0].scores["kind"].divided for row in page.rows)
    store.close()
