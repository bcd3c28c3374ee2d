"""Pages hold what plain loops over the verdicts find, in the same order, each item once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest

from adjudge.analysis.browsing import Query, RunIndex
from adjudge.core.item import Item
from adjudge.core.score import ORDERS_DISAGREE, Outcome, Score
from adjudge.core.verdict import Verdict
from adjudge.errors import UsageError
from adjudge.judges import registry
from adjudge.stores import Entry

from .brute import CRITERIA, Brute, merged
from .made import JUDGE, by_chance, store_with

QUERIES = [
    Query(),
    Query(down=True),
    Query(model="m2"),
    Query(criterion="rating", low=2, high=3),
    Query(criterion="depth", low=5.0, model="m1"),
    Query(criterion="depth", high=2.5, sort="score", down=True),
    Query(criterion="winner", value="tie"),
    Query(criterion="polite", value="yes"),
    Query(criterion="rating", value="good"),
    Query(criterion="rating", value="3", model="m1"),
    Query(outcome="refused"),
    Query(outcome="unscored", model="m1"),
    Query(outcome="unscored", criterion="winner"),
    Query(outcome="scored", criterion="rating"),
    Query(rule="thin"),
    Query(rule="any", model="m2"),
    Query(rule="rude", criterion="depth"),
    Query(disagreement=0.5),
    Query(disagreement=0.0, criterion="depth", model="m1"),
    Query(disagreement=0.3, criterion="depth", sort="disagreement", down=True),
    Query(sort="disagreement"),
    Query(sort="confidence", criterion="rating"),
    Query(sort="confidence", down=True, outcome="unscored"),
    Query(sort="latency", down=True),
    Query(sort="cost"),
    Query(sort="score", criterion="winner"),
    Query(sort="score", criterion="polite", rule="any", outcome="unreadable", low=0),
]


@pytest.fixture(scope="module", params=[(1, 3), (2, 1)], ids=["repeats", "single"])
def both(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Brute, RunIndex]]:
    seed, repeats = request.param
    entries = by_chance(seed, repeats=repeats)
    store, record = store_with(tmp_path_factory.mktemp("index"), entries)
    yield Brute(entries), RunIndex(record, store)
    store.close()


@pytest.mark.parametrize("query", QUERIES, ids=str)
def test_all_pages_together(both: tuple[Brute, RunIndex], query: Query) -> None:
    brute, index = both
    wanted = brute.ids(query)
    sized = replace(query, size=7)
    first = index.page(sized)
    pages = [index.page(replace(sized, page=n)) for n in range(1, first.pages + 1)]
    assert [row.item for page in pages for row in page.rows] == wanted
    assert {page.total for page in pages} <= {len(wanted)}
    assert index.page(replace(sized, page=first.pages + 1)).rows == ()
    for before, after in pairwise(wanted):
        assert index.neighbours(before, query).after == after
        assert index.neighbours(after, query).before == before


def test_most_queries_let_some_through_and_not_all(both: tuple[Brute, RunIndex]) -> None:
    brute, _ = both
    some = [0 < len(brute.ids(query)) < len(brute.positions) for query in QUERIES]
    assert sum(some) >= 10


def test_what_a_row_says(both: tuple[Brute, RunIndex]) -> None:
    brute, index = both
    for row in index.page(Query(size=200)).rows:
        assert row.position == brute.positions[row.item]
        assert list(row.preview) == ["answer", "question"]  # judged ones first
        assert row.preview["answer"] == f"answer {row.position} !"  # on one line
        assert row.disagreement == pytest.approx(brute.apart(row.item, Query()))
        assert row.latency_ms == pytest.approx(brute.sorted_by(row.item, Query(sort="latency")))
        assert row.cost_usd == pytest.approx(brute.sorted_by(row.item, Query(sort="cost")))
        assert [(given.judge, given.model) for given in row.cells] == [
            ("mixed", "m1"),
            ("mixed", "m2"),
        ]
        for given in row.cells:
            verdicts = brute.of(row.item, Query(model=given.model))
            verdicts.sort(key=lambda verdict: verdict.repeat)
            assert given.verdicts == len(verdicts)
            assert given.outcome == _told([verdict.outcome for verdict in verdicts])
            for name in CRITERIA if verdicts else ():
                cell, scores = given.scores[name], [v.scores[name] for v in verdicts]
                assert cell.value == merged(verdicts, name)
                assert cell.scored == sum(score.value is not None for score in scores)
                assert cell.outcome == _told([score.outcome for score in scores])
                assert cell.rules == tuple(sorted({s.rule for s in scores if s.rule}))


def _told(outcomes: list[Outcome]) -> str | None:
    return "scored" if "scored" in outcomes else outcomes[0] if outcomes else None


def test_values_as_people_know_them(tmp_path: Path) -> None:
    entries = by_chance(5, items=30, repeats=1)
    store, record = store_with(tmp_path, entries)
    kept = {(entry.item.id, entry.verdict.model): entry.verdict for entry in entries}
    for row in RunIndex(record, store).page(Query()).rows:
        for given in row.cells:
            for name, cell in given.scores.items():
                score = kept[row.item, given.model].scores[name]
                assert (cell.value, type(cell.value)) == (score.value, type(score.value))
                assert cell.unit == score.unit
                assert cell.confidence == score.confidence
                assert cell.label == (
                    None
                    if name != "rating" or score.value is None
                    else ["bad", "so so", "good", "superb"][int(score.value) - 1]
                )
    store.close()


def test_a_run_as_it_grows_and_changes(tmp_path: Path) -> None:
    entries = by_chance(3, items=12)
    store, record = store_with(tmp_path, entries[:20])
    for upto in (20, 35, len(entries)):
        store.verdicts.put(record.id, entries[:upto])
        index = RunIndex(record, store)
        assert [row.item for row in index.page(Query()).rows] == Brute(entries[:upto]).ids(Query())
    newer = [entry._replace(verdict=replace(entry.verdict, latency_ms=9e3)) for entry in entries]
    store.verdicts.put(record.id, newer)
    rows = RunIndex(record, store).page(Query()).rows
    assert {row.latency_ms for row in rows} == {9e3}
    store.close()


def test_nothing_yet(tmp_path: Path) -> None:
    store, record = store_with(tmp_path, [])
    index = RunIndex(record, store)
    page = index.page(Query(search="x", sort="disagreement"))
    assert (page.rows, page.total, page.pages, page.complete) == ((), 0, 0, True)
    assert (index.graders, index.rules, index.slice_columns()) == ((), (), ())
    assert index.overview().verdicts == index.mark == 0
    assert not index.has_disagreement
    store.close()


@pytest.mark.parametrize(
    ("query", "says"),
    [
        ({"judge": "x"}, "judge=x: .*it has: mixed"),
        ({"model": "x"}, "model=x: .*it has: m1, m2"),
        ({"criterion": "x"}, "criterion=x: .*rating, polite, winner, depth"),
        ({"rule": "x"}, "rule=x: .*any, "),
        ({"outcome": "x"}, "outcome=x: .*unscored, scored"),
        ({"low": 2.0}, "which criterion.*rating, polite"),
        ({"sort": "score"}, "which criterion"),
        ({"criterion": "winner", "low": 1.0}, "winner has names"),
        ({"criterion": "winner", "value": "c"}, "value=c: .*none of a, b, tie"),
        ({"criterion": "rating", "value": "9"}, "value=9: rating has no such value"),
        ({"low": 3.0, "high": 2.0}, "low=3 is above high=2"),
        ({"page": 0}, "pages count from 1"),
        ({"size": 201}, "1 to 200"),
        ({"sort": "name"}, "sort=name: .*position, score"),
    ],
)
def test_what_is_refused(tmp_path: Path, query: dict[str, object], says: str) -> None:
    store, record = store_with(tmp_path, by_chance(1, items=6))
    with pytest.raises(UsageError, match=says):
        RunIndex(record, store).page(Query(**query))  # type: ignore[arg-type]
    store.close()


def test_a_pair_whose_orders_disagree(tmp_path: Path) -> None:
    store, record = store_with(tmp_path, [])
    record = replace(record, sources={"preference": {"text": registry.source("preference")[1]}})
    scores = {
        "same": Score(outcome=Outcome.SCORED, value="a"),
        "differ": Score(outcome=Outcome.SCORED, value="tie", rule=ORDERS_DISAGREE, raw="a|b"),
        "failed": Score(outcome=Outcome.UNREADABLE),
    }
    store.verdicts.put(record.id, [_preference(n, *each) for n, each in enumerate(scores.items())])
    index = RunIndex(record, store)
    assert index.has_disagreement
    assert [row.disagreement for row in index.page(Query()).rows] == [0.0, 1.0, None]
    assert [row.item for row in index.page(Query(rule=ORDERS_DISAGREE)).rows] == ["differ"]
    assert [row.item for row in index.page(Query(value="tie")).rows] == ["differ"]
    store.close()


def _preference(n: int, item: str, score: Score) -> Entry:
    verdict = Verdict(
        item=item,
        judge="preference",
        fingerprint="f" * 16,
        model="m1",
        outcome=score.outcome,
        scores={"winner": score},
    )
    return Entry(n, Item(item, {"question": "?", "answer_a": "A", "answer_b": "B"}), verdict)


def test_likelihoods_lie_on_no_scale(tmp_path: Path) -> None:
    options = {"type": "category", "options": ["a", "b"]}
    judge = {
        **JUDGE,
        "inputs": {"answer": {"judged": True}},
        "criteria": {"winner": {"guide": "?", "scale": options}},
        "rules": [],
    }
    entries = [
        Entry(
            n,
            Item(f"i{n}", {"answer": "…"}),
            Verdict(
                item=f"i{n}",
                judge="mixed",
                fingerprint="f" * 16,
                model="m1",
                outcome=Outcome.SCORED,
                scores={"winner": Score(outcome=Outcome.SCORED, value=-n / 2, unit=0.5)},
            ),
        )
        for n in range(9)
    ]
    store, record = store_with(tmp_path, entries, judge, method="likelihood")
    index = RunIndex(record, store)
    (criterion,) = index.overview().graders[0].criteria
    assert criterion.mean.value == pytest.approx(-2.0)
    assert criterion.bounds is None
    assert sum(bar.count for bar in criterion.distribution) == 9
    rows = index.page(Query(low=-1.0, sort="score")).rows
    assert [row.cells[0].scores["winner"].value for row in rows] == [-1.0, -0.5, 0.0]
    store.close()


def test_runs_that_judged_the_same_item(tmp_path: Path) -> None:
    entries = by_chance(1, items=4)
    store, record = store_with(tmp_path, entries)
    other = replace(record, id="0" * 12)
    store.runs.start(other)
    changed = entries[0].item.id
    store.verdicts.put(
        other.id,
        [
            each._replace(item=replace(each.item, fields={"answer": "another"}))
            if each.item.id == changed
            else each
            for each in entries
        ],
    )
    index = RunIndex(record, store)
    same = next(each.item.id for each in entries if each.item.id != changed)
    assert {run.id for run in index.runs_with(same)} == {record.id, other.id}
    assert [run.id for run in index.runs_with(changed)] == [record.id]
    assert index.runs_with("none") == ()
    assert {entry.item.id for entry in index.entries(same)} == {same}
    assert index.entries("none") == []
    store.close()
