"""What a run came to is what the other ways of counting say."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from adjudge.analysis.browsing.index import RunIndex
from adjudge.analysis.corrected import raw_mean
from adjudge.analysis.run_scores import read_scores
from adjudge.core.reply import Usage
from adjudge.running.summary import summarise
from adjudge.stores.records import RunRecord
from adjudge.stores.sqlite import SqliteStore

from .made import by_chance, store_with

Made = tuple[SqliteStore, RunRecord]


@pytest.fixture(params=[(1, 1), (2, 3)], ids=["single", "repeats"])
def made(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Made]:
    seed, repeats = request.param
    found = store_with(tmp_path, by_chance(seed, repeats=repeats))
    yield found
    found[0].close()


def test_counts_as_the_summary_has_them(made: Made) -> None:
    store, record = made
    summary = summarise(record.id, store.verdicts(record.id))
    found = RunIndex(record, store).summary()
    assert (found.verdicts, found.unscored) == (summary.verdicts, summary.unscored)
    assert found.outcomes == summary.outcomes
    assert list(found.outcomes.values()) == sorted(found.outcomes.values(), reverse=True)
    assert found.tokens_in == summary.usage.input_tokens
    assert found.tokens_out == summary.usage.output_tokens
    assert found.cost_usd == pytest.approx(summary.usage.cost_usd)
    for grader in found.graders:
        for each in grader.criteria:
            other = summary.criteria[grader.judge, grader.model, each.criterion]
            assert each.scored == other.scored
            assert each.unscored == other.unscored
            assert sum(each.rules.values()) == other.capped
            assert each.wrong_language == other.wrong_language


def test_means_of_single_verdicts_are_those_of_show(tmp_path: Path) -> None:
    store, record = store_with(tmp_path, by_chance(4, repeats=1))
    summary = summarise(record.id, store.verdicts(record.id))
    means = [
        (each, summary.criteria[each.judge, each.model, each.criterion])
        for grader in RunIndex(record, store).summary().graders
        for each in grader.criteria
    ]
    assert len(means) == 8
    for each, other in means:
        assert each.mean.value == pytest.approx(other.mean)
        assert each.sd == pytest.approx(other.sd)
        assert each.items == other.scored
        if other.shares:
            assert {bar.label: bar.count for bar in each.distribution if bar.count} == other.shares
    store.close()


def test_means_with_intervals_are_those_of_the_analysis(made: Made) -> None:
    """Repeats are averaged first there too."""
    store, record = made
    graders = {(each.judge.name, each.model): each for each in read_scores(record, store).graders}
    for grader in RunIndex(record, store).graders:
        for name in grader.criteria:
            theirs, ours = graders["mixed", grader.model].criteria[name], grader.scored(name)
            np.testing.assert_allclose(np.sort(ours.values), np.sort(theirs.values))
            assert (ours.scores, ours.unscored) == (theirs.scores, theirs.unscored)
            stat, bounds = raw_mean(theirs, None, 0.95)
            found = next(
                each
                for one in RunIndex(record, store).summary().graders
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
    for grader in RunIndex(record, store).summary().graders:
        for each in grader.criteria:
            assert sum(bar.count for bar in each.distribution) + each.divided == each.items > 0
            judged = {v.item for v in store.verdicts(record.id) if v.model == each.model}
            assert each.items + each.unscored_items == len(judged)


def test_rules_and_latencies(made: Made) -> None:
    store, record = made
    verdicts = list(store.verdicts(record.id))
    for grader in RunIndex(record, store).summary().graders:
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
    found = RunIndex(record, store).summary()
    assert found.cost_usd is None
    assert {grader.model for grader in found.graders if grader.cost_usd is None} == {free.model}
    store.close()
