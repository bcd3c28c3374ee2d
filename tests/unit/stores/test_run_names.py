from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from adjudge.core.run import Manifest
from adjudge.errors import UnknownName, UsageError
from adjudge.stores import ORDERS, RunFilter, RunRecord, check_name, previous_run
from adjudge.stores.run_names import resolve


def record(number: int, **about: Any) -> RunRecord:
    fields = {"judges": {"chatbot": "f"}, "models": ("m",)} | about
    cost = {name: fields.pop(name) for name in ("tokens", "usd") if name in fields}
    manifest = Manifest(data=f"{number}.csv", data_hash=str(number), **fields)
    started = f"2026-11-0{number}T00:00:00+00:00"
    return RunRecord(
        id=f"{number}{'a' * 11}",
        manifest=manifest,
        sources={},
        rows=number,
        started=started,
        **cost,
    )


# The latest first.
RUNS = [
    record(3, name="week-46", tags={"bot": "v2"}, models=("n",)),
    record(2, tags={"bot": "v2", "by": "ann"}),
    record(1, name="tuần 44", tags={"bot": "v1"}, judges={"polite": "g"}),
]


@pytest.mark.parametrize(
    ("name", "number"),
    [
        ("latest", 3),
        ("latest~0", 3),
        ("latest~1", 2),
        ("latest~2", 1),
        ("tag:bot=v2", 3),
        ("tag:bot=v1", 1),
        ("tag:by", 2),
        ("week-46", 3),
        ("tuần 44", 1),
        ("2aaaaaaaaaaa", 2),
        ("2", 2),
    ],
)
def test_a_run_has_many_names(name: str, number: int) -> None:
    assert resolve(name, RUNS, "s").rows == number


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("latest~3", "latest~3: s has 3 runs; `latest~0` is the latest one"),
        ("tag:bot=v9", "no run in s has this tag. Tags there: bot=v2, by=ann, bot=v1"),
        ("nobody", "there is no run 'nobody'. In s: week-46, 2aaaaaaaaaaa, tuần 44"),
    ],
)
def test_a_run_that_is_not_there(name: str, says: str) -> None:
    with pytest.raises(UnknownName, match=r".") as caught:
        resolve(name, RUNS, "s")
    assert says in str(caught.value)
    with pytest.raises(UnknownName, match="no run yet"):
        resolve(name, [], "s")


def test_a_name_goes_before_the_beginning_of_an_id() -> None:
    named = record(9, name="2")
    assert resolve("2", [*RUNS, named], "s") is named


@pytest.mark.parametrize(
    "name",
    ["", " a", "a ", "latest", "latest~2", "tag:x=y", "0123456789ab", "a/b", "a\nb", "x" * 101],
)
def test_what_cannot_be_a_name(name: str) -> None:
    with pytest.raises(UsageError, match=r"(?s)--name .*choose a name such as week-46"):
        check_name(name)


@pytest.mark.parametrize("name", ["week-46", "tuần 46", "3월 실행", "v2.1", "latest-run"])
def test_what_can(name: str) -> None:
    check_name(name)


def test_filters() -> None:
    def rows(**wanted: Any) -> list[int]:
        return [run.rows for run in RunFilter(**wanted).apply(RUNS)]

    assert rows() == [3, 2, 1]
    assert rows(tags={"bot": "v2"}) == [3, 2]
    assert rows(tags={"bot": "v2", "by": "ann"}) == [2]
    assert rows(judges=("polite", "other")) == [1]
    assert rows(models=("n",)) == [3]
    assert rows(order="name") == [1, 3, 2]
    assert rows(order="started") == rows(order="rows") == [3, 2, 1]
    for order in ORDERS:
        assert sorted(rows(order=order)) == [1, 2, 3]


@pytest.mark.parametrize(
    ("about", "cost"),
    [
        ({"tokens": 9, "usd": 0.5}, 0.5),
        ({"tokens": 9, "usd": 0.0}, 0.0),  # a model that costs nothing
        ({"tokens": 9, "usd": 0.0, "unpriced": ("m",)}, None),
        ({"tokens": 0, "usd": 0.0, "unpriced": ("m",)}, 0.0),  # nothing was asked
        ({"tokens": 9, "usd": 0.5, "unpriced": ("m",)}, 0.5),  # as the provider told
        ({"tokens": 9, "usd": 0.5, "models": ("m", "n"), "unpriced": ("n",)}, None),
    ],
)
def test_an_unknown_price_is_no_zero(about: dict[str, Any], cost: float | None) -> None:
    assert record(1, **about).cost_usd == cost


def test_a_name_and_a_price_make_no_other_run() -> None:
    plain = record(1).manifest
    assert record(1, name="x", unpriced=("m",), tags={"a": "b"}).manifest.id == plain.id
    assert record(1, models=("z",)).manifest.id != plain.id


def test_runs_are_found_by_words_state_and_data() -> None:
    def rows(**wanted: Any) -> list[int]:
        return [run.rows for run in RunFilter(**wanted).apply(RUNS)]

    assert rows(search="WEEK") == [3]
    assert rows(search="tuần polite") == [1]
    assert rows(search="bot=v2 chatbot") == [3, 2]
    assert rows(search="nowhere") == []
    assert rows(states=("finished",)) == []
    assert rows(data="2") == [2]


def test_the_run_before_has_the_same_judges_and_data() -> None:
    def made(number: int, data: str = "d", **about: Any) -> RunRecord:
        run = record(number, **about)
        return replace(run, manifest=replace(run.manifest, data_hash=data))

    last = made(5)
    others = [
        made(1),
        made(2, models=("other",)),
        made(3, judges={"polite": "g"}),
        made(4, data="else"),
        made(4, tags={"probe": "order"}),
        made(6),
    ]
    assert previous_run(last, [last, *others]) == others[1]
    assert previous_run(others[0], [last, *others]) is None
