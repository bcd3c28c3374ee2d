"""What a run came to is what the other ways of counting say."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from adjudge.analysis.browsing import RunIndex
from adjudge.analysis.browsing.overview import bars
from adjudge.analysis.scores import DIVIDED, read_scores, read_values, summary_of
from adjudge.analysis.scores.intervals import mean_of
from adjudge.core.reply import Usage
from adjudge.core.scale import Binary, Category, Integer, Level, Number, Ordinal, Scale
from adjudge.running.tally import tally_of
from adjudge.stores import RunRecord, Store

from .made import by_chance, store_with

Made = tuple[Store, RunRecord]


@pytest.fixture(params=[(1, 1), (2, 3)], ids=["single", "repeats"])
def made(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Made]:
    seed, repeats = request.param
    found = store_with(tmp_path, by_chance(seed, repeats=repeats))
    yield found
    found[0].close()


def test_counts_as_the_summary_has_them(made: Made) -> None:
    store, record = made
    summary = summary_of(
        tally_of(record.id, store.verdicts.all(record.id)), read_values(record, store)
    )
    found = RunIndex(record, store).overview()
    assert (found.verdicts, found.unscored) == (summary.verdicts, summary.unscored)
    assert found.outcomes == summary.outcomes
    assert list(found.outcomes.values()) == sorted(found.outcomes.values(), reverse=True)
    assert found.tokens_in == summary.usage.input_tokens
    assert found.tokens_out == summary.usage.output_tokens
    assert found.cost_usd == pytest.approx(summary.usage.cost_usd)
    for grader in found.graders:
        for each in grader.criteria:
            other = summary.criteria[grader.judge, grader.model, each.criterion]
            assert each.scored == other.tally.scored
            assert each.unscored == other.tally.unscored
            assert sum(each.rules.values()) == other.tally.capped
            assert each.wrong_language == other.tally.wrong_language


def test_means_are_those_of_show(made: Made) -> None:
    store, record = made
    summary = summary_of(
        tally_of(record.id, store.verdicts.all(record.id)), read_values(record, store)
    )
    means = [
        (each, summary.criteria[each.judge, each.model, each.criterion])
        for grader in RunIndex(record, store).overview().graders
        for each in grader.criteria
    ]
    assert len(means) == 8
    for each, other in means:
        assert each.mean.value == other.mean
        assert each.sd == other.sd
        assert (each.items, each.unscored_items) == (other.items, other.unscored_items)
        if other.shares:
            counts = {bar.label: bar.count for bar in each.distribution if bar.count}
            assert counts | ({DIVIDED: each.divided} if each.divided else {}) == other.shares


def test_means_with_intervals_are_those_of_the_analysis(made: Made) -> None:
    """Repeats are averaged first there too."""
    store, record = made
    graders = {(each.judge.name, each.model): each for each in read_scores(record, store).graders}
    for grader in RunIndex(record, store).graders:
        for name in grader.criteria:
            theirs, ours = graders["mixed", grader.model].criteria[name], grader.scored(name)
            np.testing.assert_allclose(np.sort(ours.values), np.sort(theirs.values))
            assert (ours.scores, ours.unscored) == (theirs.scores, theirs.unscored)
            stat, bounds = mean_of(theirs, None, 0.95)
            found = next(
                each
                for one in RunIndex(record, store).overview().graders
                for each in one.criteria
                if (each.model, each.criterion) == (grader.model, name)
            )
            assert found.mean.why == stat.why
            for part in ("value", "low", "high"):
                assert getattr(found.mean, part) == pytest.approx(getattr(stat, part))
            if bounds:
                assert found.bounds
                assert found.bounds.worst == pytest.approx(bounds.worst)


def test_bars_hold_every_item_once(made: Made) -> None:
    store, record = made
    for grader in RunIndex(record, store).overview().graders:
        for each in grader.criteria:
            assert sum(bar.count for bar in each.distribution) + each.divided == each.items > 0
            judged = {v.item for v in store.verdicts.all(record.id) if v.model == each.model}
            assert each.items + each.unscored_items == len(judged)


def test_rules_and_latencies(made: Made) -> None:
    store, record = made
    verdicts = list(store.verdicts.all(record.id))
    for grader in RunIndex(record, store).overview().graders:
        mine = [verdict for verdict in verdicts if verdict.model == grader.model]
        waits = [verdict.latency_ms for verdict in mine]
        assert grader.latency_median_ms == pytest.approx(np.median(waits))
        assert grader.latency_p95_ms == pytest.approx(np.percentile(waits, 95))
        for each in grader.criteria:
            fired = Counter(v.scores[each.criterion].rule for v in mine)
            del fired[None]
            assert each.rules == fired


def test_a_price_that_is_not_known(tmp_path: Path) -> None:
    entries = by_chance(1, items=5)
    free = replace(entries[0].verdict, usage=Usage(cost_usd=None), latency_ms=0.0)
    store, record = store_with(tmp_path, [*entries, entries[0]._replace(verdict=free)])
    found = RunIndex(record, store).overview()
    assert found.cost_usd is None
    assert {grader.model for grader in found.graders if grader.cost_usd is None} == {free.model}
    store.close()


def shown(scale: Scale | None, *values: float) -> dict[str, int]:
    return {bar.label: bar.count for bar in bars(scale, np.array(values))}


def test_levels_with_their_names() -> None:
    scale = Ordinal({2: Level("good"), 1: Level("bad")})
    found = bars(scale, np.array([1.0, 2.0, 2.0]))
    assert [(bar.label, bar.name, bar.count) for bar in found] == [
        ("1", "bad", 1),
        ("2", "good", 2),
    ]


def test_a_mean_of_repeats_counts_at_the_nearest_level() -> None:
    assert shown(Integer(1, 3), 1.4, 1.5, 2.6) == {"1": 1, "2": 1, "3": 1}


def test_names_and_yes_and_no() -> None:
    assert shown(Category(("a", "b")), 1, 1) == {"a": 0, "b": 2}
    assert shown(Binary(), 0, 1, 1) == {"no": 1, "yes": 2}


@pytest.mark.parametrize(
    ("scale", "labels"),
    [
        (Number(0.0, 10.0), [f"{n}–{n + 1}" for n in range(10)]),
        (Number(0.0, 1.0), ["0–0.1", "0.1–0.2", "0.2–0.3"]),
        (Integer(0, 100), [f"{n}–{n + 10}" for n in range(0, 100, 10)]),
        (Number(-1.0, 1.0), ["-1–-0.8", "-0.8–-0.6"]),
    ],
)
def test_edges_are_round_numbers(scale: Scale, labels: list[str]) -> None:
    assert list(shown(scale))[: len(labels)] == labels


def test_ends_and_edges_belong_somewhere() -> None:
    found = shown(Number(0.0, 1.0), 0.0, 0.1, 0.3, 0.7, 1.0)
    assert {label for label, count in found.items() if count} == {
        "0–0.1",
        "0.1–0.2",
        "0.3–0.4",
        "0.7–0.8",
        "0.9–1",
    }


def test_numbers_on_no_scale() -> None:
    assert shown(None) == {}
    assert shown(None, -2.5) == {"-3–-2": 1}
    assert sum(shown(None, *np.linspace(-4.2, -0.3, 50)).values()) == 50
