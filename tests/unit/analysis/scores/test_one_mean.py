"""The mean of a run is one number, on whatever front it is shown."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.commands import Command
from tests.service import running_service
from tests.unit.analysis.compared import Runs
from tests.unit.service.security.client import Client

import adjudge
from adjudge.analysis.comparison import StoredRun
from adjudge.analysis.gates import parse_gates
from adjudge.analysis.gates.figures import judge_run
from adjudge.reports.report import ReportOptions, gather
from adjudge.service.options import ServeOptions
from adjudge.stores import open_store

# Items with one, two and three scored samples, so that a mean over samples is another number; and
# values whose sum depends on the order in which they are added.
SAMPLED = {
    "all": [0.1, 0.2, 0.7],
    "two": [0.3, None, 0.4],
    "one": [None, None, 0.9],
    "none": [None, None, None],
    "same": [0.6, 0.6, 0.6],
}
OVER_ITEMS = ((0.1 + 0.2 + 0.7) / 3 + 0.35 + 0.9 + 0.6) / 4
OVER_SAMPLES = (0.1 + 0.2 + 0.7 + 0.3 + 0.4 + 0.9 + 3 * 0.6) / 9


@pytest.fixture
def command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Command:
    monkeypatch.chdir(tmp_path)
    return Command(tmp_path, monkeypatch, capsys)


def test_five_fronts_tell_the_same_number(tmp_path: Path, command: Command) -> None:
    runs = Runs(tmp_path)
    judge = runs.judge("unit", "{type: number, min: 0.0, max: 1.0}")
    run = runs.run(SAMPLED, judge, repeat=3)

    opened = adjudge.open_run(run, store=runs.store)
    mean = opened.mean("rating")
    opened.close()
    assert mean == pytest.approx(OVER_ITEMS)
    assert mean != pytest.approx(OVER_SAMPLES, abs=0.01)
    shown = f"{mean:.2f}"

    told = command("show", run, "--store", runs.store, "--json").json
    (rating,) = (each for each in told["criteria"] if each["criterion"] == "rating")
    assert (told["means"]["rating"], rating["mean"]) == (mean, mean)
    assert (rating["items"], rating["scored"], rating["unscored"]) == (4, 9, {"unreadable": 6})
    row = next(
        line.split()
        for line in command("show", run, "--store", runs.store).out.splitlines()
        if line.startswith("rating")
    )
    assert row[:5] == ["rating", "4", "9", "6", shown]
    again = command(
        "run", "data1.jsonl", "--judge", judge, "-m", f"replay:{tmp_path / 'replies1.jsonl'}",
        "--repeat", "3", "--store", runs.store, "--json", "-o", "rows.html",
    ).json  # fmt: skip
    assert (again["run"], again["means"]["rating"]) == (run, mean)
    assert f'<td class="number">{shown}</td>' in (tmp_path / "rows.html").read_text()

    store = open_store(runs.store)
    source = StoredRun(store.runs.find(run), store)
    (grader,) = gather(source, ReportOptions()).runs[0].overview.graders
    overview = next(each for each in grader.criteria if each.criterion == "rating")
    assert (overview.mean.value, overview.sd) == (mean, rating["sd"])
    (gate,) = judge_run(parse_gates([f"rating.mean>={mean!r}"]), *source)
    assert gate.passed
    store.close()

    with running_service(ServeOptions(store=runs.store)) as service:
        figures = json.loads(Client(service.url).get(f"/api/v1/runs/{run}").text)["criteria"]
        assert [each["mean"] for each in figures if each["criterion"] == "rating"] == [mean]
        page = Client(service.url).get(f"/runs/{run}").text
        assert shown in page
