"""The page of a run with several samples an item, and of a cascade."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.service import Running, running_service
from tests.unit.analysis.compared import Runs
from tests.unit.analysis.graded import SCALES, Graded
from tests.unit.service.security.client import Client

import adjudge
from adjudge.service.options import ServeOptions
from adjudge.service.pages.rendering import LANGUAGE_COOKIE

from .seen import Seen

SAMPLED = {
    "i0": [(2, "fact"), (3, "fact"), (2, "fact")],
    "i1": [(2, "opinion"), (2, "other"), (2, "fact")],
    "i2": [(4, "other"), None, (4, "other")],
    "i3": [None, None, None],
}
ITEMS, UNSURE = 60, 10


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Runs:
    return Runs(tmp_path_factory.mktemp("runs"))


@pytest.fixture(scope="module")
def service(runs: Runs) -> Iterator[Running]:
    with running_service(ServeOptions(store=runs.store)) as running:
        yield running


def _seen(service: Running, address: str) -> Seen:
    answer = Client(service.url).get(address)
    assert answer.status == 200, answer.text
    return Seen(answer.text)


def test_units_ties_and_settings_are_told(runs: Runs, service: Running) -> None:
    run = runs.run(
        SAMPLED, repeat=3, rows={name: {"part": "xy"[n % 2]} for n, name in enumerate(SAMPLED)}
    )
    seen = _seen(service, f"/runs/{run}?slice=part")
    every = [seen, *(_seen(service, f"/runs/{run}?tab={tab}") for tab in ("scores", "facts"))]
    words = " ".join(" ".join(one.text.split()) for one in every)
    assert "fact 33%, opinion 0%, other 33%, (samples divided) 33%" in words
    assert "Unscored samples" in words
    assert "4 unreadable" in words  # samples
    assert "unscored1" in words  # items
    assert "fact 50%, other 50%" in words  # i0 and i2
    assert "Samples of each item3" in words
    assert "answered_by" not in words
    assert "answer" not in seen.all("option", "value")  # a judged text divides nothing
    assert "문항당 반복 횟수" in _korean(service, f"/runs/{run}?tab=facts")
    steady = words.partition("Samples of the same item")[2]
    assert "Rating31 (33%)11.1%0.19" in steady  # items, those that flip, flip rate, SD
    item = _seen(service, f"/runs/{run}/item?id=i0").text
    together = " ".join(item.partition("Samples of this item together")[2].split())
    assert "Rating22.330.5833%0.923 of 3" in together


def _korean(service: Running, address: str) -> str:
    return Client(service.url, cookies={LANGUAGE_COOKIE: "ko"}).get(address).text


def test_scores_of_the_only_criterion(tmp_path: Path) -> None:
    """They can be filtered by at once, and stay filtered when the table is sorted."""
    graded = Graded(tmp_path, rating=SCALES["rating"]).add(rating=[2, 5, 3, 4])
    graded.close()
    with running_service(ServeOptions(store=str(tmp_path / "store.db"))) as running:
        bare = _seen(running, f"/runs/{graded.record.id}")
        assert {"low", "high"} <= {*bare.all("input", "name")}
        seen = _seen(running, f"/runs/{graded.record.id}?low=3")
        links = [link for link in seen.all("a", "href") if "sort=score" in link]
        pages = [_seen(running, link.partition("#")[0]) for link in links]
    assert len(pages) == 2  # from the means, and from the heading
    for page in pages:
        assert [each.partition("id=")[2][:2] for each in page.items()] == ["i2", "i3", "i1"]


def test_likelihoods_are_filtered_as_numbers(tmp_path: Path) -> None:
    graded = Graded(tmp_path, method="likelihood", polite=SCALES["polite"])
    graded.add(polite=[-1.5, -0.5]).close()
    with running_service(ServeOptions(store=str(tmp_path / "store.db"))) as running:
        seen = _seen(running, f"/runs/{graded.record.id}?low=-1")
    assert "value" not in seen.all("select", "name")
    assert "low" in seen.all("input", "name")
    assert [item.partition("id=")[2][:2] for item in seen.items()] == ["i1"]


def test_what_a_cascade_left(runs: Runs, service: Running, tmp_path: Path) -> None:
    items = [f"r{n}" for n in range(ITEMS)]
    rows = [{"id": i, "question": f"{i}?", "answer": i} for i in items]
    _lines(tmp_path / "data.jsonl", rows)
    for model in ("small", "large"):
        _lines(tmp_path / f"{model}.jsonl", [_sampled(n, i) for n, i in enumerate(items)])
    (tmp_path / "people.csv").write_text(
        "item,rating,kind\n" + "".join(f"{i},3,fact\n" for i in items)
    )
    run = adjudge.run(
        tmp_path / "data.jsonl",
        judge=runs.judge(),
        model=[f"replay:{tmp_path}/small.jsonl", f"replay:{tmp_path}/large.jsonl"],
        cascade=adjudge.CascadeOptions(labels=tmp_path / "people.csv", agree=0.9, delta=0.2),
        repeat=3,
        store=runs.store,
    )
    run.close()
    seen = _seen(service, f"/runs/{run.id}?tab=facts")
    words = " ".join(seen.text.split())
    assert "Left to people: 10 of 60 items." in words
    assert "large.jsonl judged 10 of 60 items; 83.3% were saved." in words
    assert "decides nothing: 10 labelled items" in words
    assert f"/label/{run.id}?pick=abstained" in seen.all("a", "href")
    assert "agrees with people at 90% or more, wrong in at most 20% of draws" in words
    assert '"labels"' not in words


def _lines(path: Path, rows: list[dict[str, object]] | list[dict[str, str]]) -> None:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))


def _sampled(number: int, item: str) -> dict[str, object]:
    ratings = (3, 3, 3) if number < ITEMS - UNSURE else (1, 2, 3)
    replies = [
        json.dumps({"rating": {"explanation": "So.", "score": each}, "kind": "fact"})
        for each in ratings
    ]
    return {"item": item, "replies": replies}
