from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import kendalltau, pearsonr, spearmanr

from adjudge.stats.bootstrap import Resampling
from adjudge.stats.system_level import system_level

QUICK = Resampling(rounds=200)


def made(systems: int = 8, documents: int = 30, seed: int = 0) -> tuple[np.ndarray, ...]:
    """Judge, people, system and document of each row."""
    chance = np.random.default_rng(seed)
    quality = chance.normal(size=systems)
    people = quality[None] + chance.normal(size=(documents, systems))
    judge = people + chance.normal(size=(documents, systems))
    places = np.indices((documents, systems))
    return judge.ravel(), people.ravel(), places[1].ravel(), places[0].ravel()


def test_correlations_of_means_and_per_document() -> None:
    judge, people, systems, documents = made()
    seen = system_level(judge, people, systems, documents, QUICK)
    means = [
        [values[systems == system].mean() for system in range(8)] for values in (judge, people)
    ]
    for name, of in (("pearson", pearsonr), ("spearman", spearmanr), ("kendall", kendalltau)):
        assert seen.of_means[name].value == pytest.approx(of(*means)[0])
        rows = [of(judge[documents == d], people[documents == d])[0] for d in range(30)]
        assert seen.per_document[name].value == pytest.approx(np.mean(rows))
        for stats in (seen.of_means, seen.per_document):
            assert -1 <= stats[name].low < stats[name].value < stats[name].high <= 1
    assert (seen.systems, seen.documents, seen.left_out) == (8, 30, 0)
    assert seen.judge == pytest.approx(means[0])
    assert seen.rows.tolist() == [30] * 8


def test_the_order_of_the_rows_does_not_matter() -> None:
    rows = made()
    order = np.random.default_rng(1).permutation(len(rows[0]))
    assert str(system_level(*rows, QUICK)) == str(
        system_level(*(row[order] for row in rows), QUICK)
    )


def test_gaps_and_no_documents() -> None:
    judge, people, systems, documents = made()
    here = np.random.default_rng(2).random(len(judge)) > 0.2
    some = system_level(judge[here], people[here], systems[here], documents[here], QUICK)
    assert some.per_document["spearman"].low is not None
    alone = system_level(judge, people, systems, None, QUICK)
    whole = system_level(judge, people, systems, documents, QUICK)
    assert alone.of_means["pearson"].value == pytest.approx(whole.of_means["pearson"].value)
    assert alone.per_document["pearson"].value is None
    assert "--group" in str(alone.per_document["pearson"].why)


def test_two_systems_have_no_correlation() -> None:
    judge, people, systems, documents = made(systems=2)
    seen = system_level(judge, people, systems, documents, QUICK)
    assert seen.of_means["pearson"].value is None
    assert "2 systems are too few" in str(seen.of_means["pearson"].why)
