"""What to label next: how many, which items, and what the labels are worth afterwards."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import adjudge
from adjudge.analysis.labelling import LabelOptions
from adjudge.core.label import Label, planned, stratum_of
from adjudge.errors import UsageError
from adjudge.reports.files import write_file
from adjudge.reports.findings.label_plan import label_plan, plan_rows
from adjudge.reports.renderers.terminal import as_text
from adjudge.reports.words import command_line
from adjudge.run_handle import Run

ROWS = 400
JUDGE: dict[str, Any] = {
    "judge": "grade", "version": 1, "title": "Is it good?", "language": "en", "explain_in": "any",
    "inputs": {"answer": {"judged": True}},
    "criteria": {"quality": {"scale": {"type": "integer", "min": 1, "max": 5}, "explain": False}},
}  # fmt: skip
DATA = [{"id": f"a{n}", "answer": f"number {n}", "kind": "odd" if n % 2 else "even"}
        for n in range(ROWS)]  # fmt: skip


def _people() -> dict[str, float]:
    """Where the judge says 5 people agree; elsewhere they are of many minds."""
    chance = np.random.default_rng(3)
    return {f"a{n}": 5.0 if n % 4 else float(chance.integers(1, 6)) for n in range(ROWS)}


PEOPLE = _people()
TRUTH = float(np.mean(list(PEOPLE.values())))


def _scores(shift: int) -> Callable[[Sequence[dict[str, str]]], str]:
    def grade(messages: Sequence[dict[str, str]]) -> str:
        n = int(re.findall(r"number (\d+)", messages[-1]["content"])[0])
        return json.dumps({"quality": (5 if n % 4 else 2) - shift * (n % 4 == 1)})

    return grade


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(tmp_path_factory.mktemp("plan") / "store.db")


def _run(store: str, shift: int) -> Run:
    model = adjudge.function_model(_scores(shift), name=f"grader{shift}")
    return adjudge.run(DATA, judge=JUDGE, model=model, store=store, concurrency=64)


@pytest.fixture(scope="module")
def run(store: str) -> Iterator[Run]:
    opened = _run(store, 0)
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def worse(store: str) -> Iterator[Run]:
    opened = _run(store, 2)
    yield opened
    opened.close()


def _pilot(count: int = 60) -> list[dict[str, Any]]:
    chosen = np.random.default_rng(0).permutation(ROWS)[:count]
    return [{"item": f"a{n}", "quality": PEOPLE[f"a{n}"], "draw": "random"} for n in chosen]


def _shown(plan: adjudge.LabelPlan) -> str:
    return as_text([label_plan(plan, command_line())])


def test_labels_go_where_people_and_judge_differ(run: Run) -> None:
    plan = adjudge.plan_labels(run, width=0.3, labels=_pilot(), keep=False)
    low, high = plan.strata[0], plan.strata[-1]
    assert low.high < high.low
    assert (low.items, high.items) == (100, 300)
    assert low.further > 5 * high.further
    (one,) = plan.criteria
    assert one.saved is not None
    assert one.saved > 0.3
    assert len(plan.items) == plan.further == one.plan.further
    assert "the plan saves" in _shown(plan)
    assert not {row["item"] for row in _pilot()} & set(plan.items)


def test_what_is_filled_in_corrects_the_mean(run: Run, tmp_path: Path) -> None:
    plan = adjudge.plan_labels(run, width=0.3, labels=_pilot(), keep=False)
    file = tmp_path / "plan.csv"
    write_file(file, lambda: plan_rows(plan))
    with file.open(encoding="utf-8-sig", newline="") as lines:
        rows = list(csv.DictReader(lines))
    weights = {row["draw"]: float(row["weight"]) for row in rows}
    assert sum(weights[row["draw"]] for row in rows) == pytest.approx(ROWS, abs=0.01)
    assert sum(bool(row["quality"]) for row in rows) == 60
    for row in rows:
        row["quality"] = str(PEOPLE[row["item"]])
    means = adjudge.calibrate(run, labels=rows, rounds=100).graders[0].criteria["quality"].means
    corrected = means.corrected.stat
    assert means.corrected.method == "stratified"
    assert corrected.low is not None
    assert corrected.high is not None
    assert corrected.low < TRUTH < corrected.high
    assert corrected.high - corrected.low == pytest.approx(0.3, rel=0.25)
    # Unweighted, the labels would be far off.
    assert np.mean([PEOPLE[row["item"]] for row in rows]) < corrected.low


def test_a_part_of_the_strata_corrects_nothing(run: Run) -> None:
    plan = adjudge.plan_labels(run, width=0.3, labels=_pilot(), keep=False)
    labels = [
        {"item": item, "quality": PEOPLE[item], "draw": draw}
        for item, draw in plan.draws.items()
        if draw == planned(1, 100)
    ]
    means = adjudge.calibrate(run, labels=labels, rounds=100).graders[0].criteria["quality"].means
    why = means.corrected.stat.why
    assert why is not None
    assert why.code == "plan_part"


def test_slices_have_strata_of_their_own(run: Run) -> None:
    plan = adjudge.plan_labels(run, width=0.3, labels=_pilot(), slice="kind", keep=False)
    assert {stratum.slices for stratum in plan.strata} >= {("even",), ("odd",)}
    with pytest.raises(UsageError, match="nosuch"):
        adjudge.plan_labels(run, width=0.3, labels=_pilot(), slice="nosuch", keep=False)


def test_too_few_labels_are_a_first_sample(run: Run) -> None:
    plan = adjudge.plan_labels(run, width=0.3, labels=_pilot(5), keep=False)
    assert len(plan.items) == 35
    assert not {row["item"] for row in _pilot(5)} & set(plan.items)
    assert set(plan.draws.values()) == {"random"}
    assert "then plan again" in _shown(plan)


def test_labels_that_are_all_the_same_foresee_nothing(run: Run) -> None:
    """Sixty times a five: an interval of no width would say that no more is needed."""
    labels = [row | {"quality": 5} for row in _pilot()]
    plan = adjudge.plan_labels(run, width=0.3, labels=labels, keep=False)
    assert len(plan.items) == 40
    assert set(plan.draws.values()) == {"random"}
    assert not {row["item"] for row in labels} & set(plan.items)
    assert "All 60 labels of these items are the same" in _shown(plan)
    assert "then plan again" in _shown(plan)
    everything = [{"item": row["id"], "quality": 5, "draw": "random"} for row in DATA]
    plan = adjudge.plan_labels(run, width=0.3, labels=everything, keep=False)
    assert not plan.items
    assert "Label 0" not in _shown(plan)


def test_a_judge_that_knows_nothing_saves_nothing(run: Run) -> None:
    chance = np.random.default_rng(1)
    labels = [{"item": f"a{n}", "quality": int(chance.integers(1, 6))} for n in range(100)]
    plan = adjudge.plan_labels(run, width=0.3, labels=labels, keep=False)
    saved = plan.criteria[0].saved
    assert saved is not None
    assert saved < 0.1
    assert "strata do not help here" in _shown(plan)


def test_two_runs_are_told_apart_where_they_differ(run: Run, worse: Run) -> None:
    few = [row for row in _pilot(400) if int(row["item"][1:]) % 4 == 1][:24]
    plan = adjudge.plan_labels(run, against=worse, labels=few, keep=False)
    assert plan.rows == 100
    assert all(int(item[1:]) % 4 == 1 for item in plan.items)
    assert plan.criteria[0].now.low is not None
    assert plan.criteria[0].now.low > 0
    assert "this run is nearer to people" in _shown(plan)
    assert "Other run minus this run" in _shown(plan)
    every = [row for row in _pilot(400) if int(row["item"][1:]) % 4 == 1]
    decided = adjudge.plan_labels(run, against=worse, labels=every, keep=False)
    assert "out of reach" not in _shown(decided)
    back = adjudge.plan_labels(worse, against=run, labels=few, keep=False)
    assert "the other run is nearer to people" in _shown(back)


def test_the_queue_of_a_plan_keeps_how_items_were_drawn(run: Run, store: str) -> None:
    run.import_labels(_pilot(30), rater="ann")
    plan = adjudge.plan_labels(run, width=0.3)
    session = run.label_session(LabelOptions(rater="bob", pick="planned"))
    assert tuple(session.queue) == plan.items
    while (question := session.current) is not None:
        session.answer(PEOPLE[question.item])
    labels = run.labels()
    assert {label.item: label.draw for label in labels} == plan.draws
    assert all(label.stratum for label in labels)
    again = adjudge.plan_labels(run, width=0.3)
    assert again.further < plan.further or plan.further == 0
    criterion = adjudge.calibrate(run, rounds=100).graders[0].criteria["quality"]
    assert criterion.means.corrected.method == "stratified"
    with pytest.raises(UsageError, match="other strata"):
        adjudge.plan_labels(run, width=0.3, slice="kind")


def test_a_plan_needs_a_goal(run: Run) -> None:
    with pytest.raises(UsageError, match="needs a goal"):
        adjudge.plan_labels(run)


def test_a_draw_says_its_stratum() -> None:
    assert stratum_of(planned(3, 120)) == (3, 120)
    assert Label("a", "", "c", 1.0, "planned 3/120").stratum == (3, 120)
    assert [stratum_of(draw) for draw in ("", "random", "planned", "planned 0/3")] == [None] * 4


def test_a_width_that_no_label_reaches_is_not_said_to_be_enough(run: Run) -> None:
    plan = adjudge.plan_labels(run, width=0.001, labels=_pilot(), keep=False)
    assert plan.criteria[0].plan.further is None
    assert "out of reach" in _shown(plan)
    assert "enough" not in _shown(plan)
