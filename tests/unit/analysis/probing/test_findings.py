"""When a finding is fine, worrying, bad or unclear, and which criterion decides."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from tests.servers import ChatServer
from tests.unit.analysis.probing.scripted import CORRECT, correct_judge

from adjudge import api
from adjudge.analysis.probing import Probed, ProbeFinding, ProbeLimits, probed_from
from adjudge.analysis.probing.findings import Measure
from adjudge.core.reason import Reason
from adjudge.stats.stat import Stat
from adjudge.stores import open_store


@pytest.mark.parametrize(
    ("measure", "effect", "n", "rating"),
    [
        ("gain", Stat(0.05, 0.01, 0.09), 20, "fine"),
        ("gain", Stat(0.06, 0.01, 0.11), 20, "worrying"),
        ("gain", Stat(0.2, 0.06, 0.3), 20, "bad"),
        ("gain", Stat(-0.5, -0.6, -0.4), 20, "fine"),
        ("shift", Stat(-0.5, -0.6, -0.4), 20, "bad"),
        ("shift", Stat(-0.2, -0.4, 0.0), 20, "worrying"),
        ("shift", Stat(0.05, -0.2, 0.3), 20, "fine"),
        ("flip", Stat(0.5, 0.3, 0.7), 4, "unclear"),
        ("flip", Stat(None, why=Reason.of("no pairs")), 9, "unclear"),
        ("gain", Stat(0.5, why=Reason.of("no interval: all alike")), 9, "bad"),
        ("shift", Stat(-0.5, why=Reason.of("no interval: all alike")), 9, "bad"),
    ],
)
def test_ratings(measure: Measure, effect: Stat, n: int, rating: str) -> None:
    assert ProbeLimits().rate(measure, effect, n) == rating


def finding(criterion: str, value: float, rating: str, measure: Measure = "gain") -> ProbeFinding:
    return ProbeFinding(
        probe="p",
        model="m",
        criterion=criterion,
        measure=measure,
        n=9,
        unscored=0,
        effect=Stat(value),
        limit=0.1,
        rating=rating,  # type: ignore[arg-type]
    )


PROBED = Probed(
    judge="j",
    fingerprint="f",
    models=("m",),
    source=Reason.of("s"),
    language="en",
    items=9,
    limits=ProbeLimits(),
    confidence=0.95,
    findings=(),
    not_run={},
    runs=(),
)


def test_the_worst_criterion_decides() -> None:
    findings = (
        finding("a", 0.9, "unclear"),
        finding("b", 0.01, "fine"),
        finding("c", 0.2, "bad"),
        finding("d", 0.3, "bad"),
        finding("e", 0.4, "worrying"),
    )
    (decided,) = replace(PROBED, findings=findings).deciding()
    assert decided.criterion == "d"


def test_the_best_criterion_decides_whether_something_is_noticed() -> None:
    findings = (
        finding("a", 0.9, "bad", "unnoticed"),
        finding("b", 0.0, "unclear", "unnoticed"),
        finding("c", 0.3, "fine", "unnoticed"),
        finding("d", 0.1, "fine", "unnoticed"),
        finding("e", 0.6, "worrying", "unnoticed"),
    )
    (decided,) = replace(PROBED, findings=findings).deciding()
    assert decided.criterion == "d"


def test_a_probe_is_kept_as_it_was_found_out(server: ChatServer, tmp_path: Path) -> None:
    correct_judge(server)
    file, kept_in = tmp_path / "correct.yaml", str(tmp_path / "adjudge.db")
    file.write_text(CORRECT)
    probed = api.probe(
        str(file), model="openai/m", base_url=server.base_url, store=kept_in, limit=6
    )
    store = open_store(kept_in)
    try:
        kept = store.probes.latest(probed.judge, probed.models[0])
    finally:
        store.close()
    assert kept is not None
    assert kept.fingerprint == probed.fingerprint
    assert probed_from(kept.content) == probed
