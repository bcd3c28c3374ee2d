"""The runs of one judge over time."""

from __future__ import annotations

from collections.abc import Mapping

from adjudge.analysis.browsing import runs_over_time, trend_of
from adjudge.core.run import Manifest
from adjudge.stores import RunRecord


def _run(day: int, models: tuple[str, ...] = ("m",), **further: object) -> RunRecord:
    fields: Mapping[str, object] = {"data_hash": "d", "judges": {"j": "1"}} | further
    manifest = Manifest(data="d.csv", models=models, **fields)  # type: ignore[arg-type]
    started = f"2026-11-{day:02}T00:00:00+00:00"
    return RunRecord(id=f"run-{day}", manifest=manifest, sources={}, rows=1, started=started)


RUNS = [
    _run(5, tags={"probe": "x"}),
    _run(4, data_hash="other", tags={"week": "46"}),
    _run(3, tags={"week": "46", "team": "a"}),
    _run(2, tags={"week": "45"}),
    _run(1, judges={"k": "1"}),
]


def _days(runs: list[RunRecord]) -> list[str]:
    return [run.id.removeprefix("run-") for run in runs]


def test_runs_of_the_judge_by_data_or_tag_without_probes() -> None:
    assert _days(runs_over_time(RUNS, "j")) == ["2", "3", "4"]
    assert _days(runs_over_time(RUNS, "j", data="d")) == ["2", "3"]
    assert _days(runs_over_time(RUNS, "j", tag="week=46")) == ["3", "4"]
    assert _days(runs_over_time(RUNS, "j", data="d", tag="week=46")) == ["3"]
    assert _days(runs_over_time(RUNS, "j", tag="week=47")) == []


def test_a_point_per_run_and_model_with_what_changed() -> None:
    runs = [
        _run(1, ("m", "n")),
        _run(2, ("m", "n")),
        _run(3, ("m",), judges={"j": "2"}),
    ]
    found = trend_of(runs, "j", "quality", lambda _: None)
    points = [(each.record.id, each.model) for each in found.points]
    assert points == [
        ("run-1", "m"),
        ("run-1", "n"),
        ("run-2", "m"),
        ("run-2", "n"),
        ("run-3", "m"),
    ]
    changed = [(each.judge_changed, each.model_changed) for each in found.points]
    assert changed == [(False, False)] * 4 + [(True, True)]
    assert found.waiting == 3
