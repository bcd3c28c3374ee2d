from __future__ import annotations

from typing import Any

import pytest

from .conftest import Api


@pytest.fixture
def api(shared: Api) -> Api:
    """One service for the whole file."""
    return shared


def label(item: str = "r0", value: object = 2, **more: Any) -> dict[str, Any]:
    return {"item": item, "rater": "ann", "criterion": "rating", "value": value, **more}


def test_labels_land_where_the_terminal_puts_them(api: Api) -> None:
    run = api.run(3)
    sent = [label("r0", 4), label("r1", "unhelpful"), label("r0", 3, rater="bo"), label("zz", 1)]
    kept = api.post("labels", {"run": run, "labels": sent})
    assert kept == {"labels": 3, "replaced": 0, "elsewhere": 1}
    found = api.running.service.run(run).labels()
    assert [(each.item, each.rater, each.value) for each in found] == [
        ("r0", "ann", 4.0),
        ("r1", "ann", 2.0),
        ("r0", "bo", 3.0),
    ]
    told = api.get(f"labels?run={run}")
    assert told["judge"] == "helpfulness"
    assert [each["value"] for each in told["labels"]] == [4, 2, 3]


def test_a_later_label_takes_the_place_of_an_earlier_one(api: Api) -> None:
    run = api.run(1)
    api.post("labels", {"run": run, "labels": [label(value=1)]})
    kept = api.post("labels", {"run": "latest", "judge": "helpfulness", "labels": [label()]})
    assert kept["replaced"] == 1
    assert [each["value"] for each in api.get(f"labels?run={run}")["labels"]] == [2]


@pytest.mark.parametrize(
    ("wrong", "pointer"),
    [
        (label(value=9), "/labels/1/value"),
        (label(value=2.5), "/labels/1/value"),
        (label(value="great"), "/labels/1/value"),
        (label(criterion="tone"), "/labels/1/criterion"),
        (label(item=""), "/labels/1/item"),
        (label(value=None), "/labels/1/value/float"),
        ({"item": "r0"}, "/labels/1/criterion"),
    ],
)
def test_one_wrong_label_keeps_all_out(api: Api, wrong: dict[str, Any], pointer: str) -> None:
    run = api.run(1)
    problem = api.problem("labels", {"run": run, "labels": [label(rater="bo"), wrong]})
    assert problem["status"] == 422
    assert problem["errors"][0]["pointer"] == pointer
    assert api.get(f"labels?run={run}")["labels"] == []


def test_the_same_label_twice_is_refused(api: Api) -> None:
    problem = api.problem("labels", {"run": api.run(1), "labels": [label(), label(value=3)]})
    assert "twice" in problem["detail"]


def test_labels_that_fit_no_item_are_refused(api: Api) -> None:
    problem = api.problem("labels", {"run": api.run(1), "labels": [label("zz")]})
    assert problem["status"] == 422
    assert "'r0'" in problem["detail"]


def test_the_run_and_the_judge_must_be_there(api: Api) -> None:
    assert api.problem("labels", {"run": "none", "labels": [label()]})["status"] == 404
    run = api.run(1)
    assert api.problem(f"labels?run={run}&judge=other")["status"] == 422
    assert api.problem("labels")["status"] == 422


def test_a_mean_over_people_names_nobody(api: Api) -> None:
    run = api.run(1)
    api.post("labels", {"run": run, "labels": [label(value=2.5, rater="")]})
    (told,) = api.get(f"labels?run={run}")["labels"]
    assert (told["rater"], told["value"]) == ("", 2.5)
