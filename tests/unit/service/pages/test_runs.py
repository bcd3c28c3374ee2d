"""The list of runs."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.service import Running, running_service
from tests.unit.service.security.client import Client, bearer, token

from adjudge.core.run import Manifest
from adjudge.service.options import ServeOptions
from adjudge.service.pages import runs
from adjudge.stores import KeptJob, RunRecord, Store

from .seen import Seen
from .shop import ITEMS, Shop


def test_the_latest_run_comes_first_with_its_figures(shop: Shop, visit: Client) -> None:
    for run in (shop.both, shop.half):  # known then, however slow the machine is
        visit.get(f"/runs/{run}/figures")
    seen = Seen(visit.get("/").text)
    links = [link for link in seen.all("a", "href") if link.startswith("/runs/")]
    links = [link for link in links if not link.endswith("/delete")]
    assert links == ["/runs/new", f"/runs/{shop.both}", f"/runs/{shop.half}"]
    first, second = shop.models  # a run by two tells whose mean it is
    assert f"How good · {first} 3.36 / 10" in " ".join(seen.text.split())
    assert f"How good · {second} 2.91 / 10" in " ".join(seen.text.split())
    assert "How good 3.00 / 10" in seen.text
    assert f"Politeness · {first} 55% yes" in " ".join(seen.text.split())
    assert "Kind of answer fact 60%, advice 40%" in seen.text
    assert "2 (8.3%)" in seen.text
    assert "finished" in seen.text
    assert f"{ITEMS}" in seen.text


def test_figures_that_take_long_are_left_to_the_script(
    shop: Shop, visit: Client, monkeypatch: pytest.MonkeyPatch, open_shop: Running
) -> None:
    monkeypatch.setattr(runs, "_QUICK", 0)
    open_shop.service.indexes._overviews.clear()
    seen = Seen(visit.get("/").text)
    assert seen.all("tr", "data-figures") == [shop.both, shop.half]
    told = visit.get(f"/runs/{shop.half}/figures").json
    assert told["means"][0] == ["How good", "3.00 / 10"]
    assert (told["more"], told["unscored"], told["cost"]) == (0, "1 (17%)", "$0")
    assert Seen(visit.get("/").text).all("tr", "data-figures") == [shop.both]


def test_the_address_that_forms_are_sent_to_leads_to_the_list(visit: Client) -> None:
    answer = visit.get("/runs")
    assert (answer.status, answer.headers["location"]) == (303, "/")


def test_an_empty_store_says_how_to_begin(tmp_path: Path) -> None:
    with running_service(ServeOptions(store=str(tmp_path / "s.db"))) as running:
        visit = Client(running.url)
        seen = {path: Seen(visit.get(path).text) for path in ("/", "/label", "/compare", "/trust")}
    assert "There is no run yet" in seen["/"].text
    assert "adjudge run answers.csv --judge helpfulness" in seen["/"].text
    for each in seen.values():
        assert "/runs/new" in each.all("a", "href")


def test_whoever_may_only_read_is_offered_no_new_run(tmp_path: Path) -> None:
    options = ServeOptions(store=str(tmp_path / "s.db"), require_token=True)
    with running_service(options) as running:
        client = Client(running.url, bearer(token(running.service.store, "read")))
        assert "/runs/new" not in Seen(client.get("/").text).all("a", "href")
        assert client.get("/runs/new").status == 403


def _begun(store: Store, number: int) -> RunRecord:
    """A run of ten rows that is under way."""
    manifest = Manifest(data=f"{number}.csv", data_hash=str(number), judges={}, models=("m",))
    record = RunRecord(id=manifest.id, manifest=manifest, sources={}, rows=10)
    store.runs.start(record)
    return record


def test_a_run_under_way_and_pages_of_runs(tmp_path: Path) -> None:
    with running_service(ServeOptions(store=str(tmp_path / "s.db"))) as running:
        store = running.service.store
        for number in range(30):
            record = _begun(store, number)
            if number != 29:
                store.runs.end(record.id, "finished")
        client = Client(running.url)
        answer = client.get("/").text
        first, second = Seen(answer), Seen(client.get("/?page=2").text)
        beyond = Seen(client.get("/?page=99").text)
    assert first.all("div", "data-live") == [record.id]
    assert re.search(r"</span> · (?:&lt; )?[\d.]+ s</span>", answer)  # so far
    assert "29.csv" in first.text
    assert "running" in first.text
    assert "page 1 of 2" in first.text
    assert "0.csv" in second.text
    assert "page 2 of 2" in beyond.text


def test_how_far_several_runs_are(tmp_path: Path) -> None:
    with running_service(ServeOptions(store=str(tmp_path / "s.db"))) as running:
        store = running.service.store
        first, second, ended = (_begun(store, number).id for number in range(3))
        store.runs.end(ended, "finished")
        asked = "&".join(f"run={each}" for each in (first, ended, "nothing"))
        told = Client(running.url).get(f"/runs/progress?{asked}").json
    assert second not in told
    assert told == {first: {"done": 0, "total": 0, "unscored": 0, "outcomes": {}, "usd": 0.0}}


def _listed(client: Client, query: str) -> list[str]:
    found = Seen(client.get(f"/?{query}").text)
    return [value for value in found.all("input", "value") if re.fullmatch("[0-9a-f]{12}", value)]


def test_filters_probes_apart_and_deleting(tmp_path: Path) -> None:
    with running_service(ServeOptions(store=str(tmp_path / "s.db"))) as running:
        store, ids = running.service.store, {}
        for name, tags in (("a", {"week": "46"}), ("b", {"week": "47"}), ("p", {"probe": "x"})):
            manifest = Manifest(
                data=f"{name}.csv", data_hash=name, judges={}, models=("m",), tags=tags
            )
            record = RunRecord(id=manifest.id, manifest=manifest, sources={}, rows=1)
            store.runs.start(record)
            store.runs.end(record.id, "stopped" if name == "b" else "finished")
            ids[name] = record.id
        client = Client(running.url)
        assert {*_listed(client, "")} == {ids["a"], ids["b"]}
        assert _listed(client, "probes=1") == [ids["p"]]
        assert _listed(client, "tag=week%3D46") == [ids["a"]]
        assert _listed(client, "state=stopped") == [ids["b"]]
        assert _listed(client, "state=stopped&tag=week%3D46") == []
        refused = client("POST", f"/runs/{ids['a']}/delete", b"")  # without the mark of a form
        assert refused.status == 403
        assert ids["a"] in _listed(client, "")
        answer = client.send(f"/runs/{ids['a']}/delete")
        assert (answer.status, answer.headers["location"]) == (303, "/")
        assert _listed(client, "") == [ids["b"]]
        assert client.get(f"/runs/{ids['a']}").status == 404


def test_a_stopped_run_is_gone_on_with_from_the_list(tmp_path: Path) -> None:
    """With twice the budget; on its page another one can be given."""
    with running_service(ServeOptions(store=str(tmp_path / "s.db"))) as running:
        store = running.service.store
        record = _begun(store, 1)
        store.runs.end(record.id, "stopped")
        client, address = Client(running.url), f"/runs/{record.id}/resume"
        listed = Seen(client.get("/").text)
        assert address not in listed.all("button", "formaction")  # not started here
        spec = {"data": "d", "title": "1.csv", "judges": [], "models": ["m"]}
        spec |= {"options": {"budget": "5usd"}}
        store.jobs.add(KeptJob(id="j1", spec=spec, state="stopped", run=record.id))
        listed = Seen(client.get("/").text)
        assert address in listed.all("button", "formaction")
        assert "Resume, up to 10usd in all" in listed.text
        page = client.get(f"/runs/{record.id}").text
    assert 'id="resume"' in page
    assert 'name="budget" value="10usd"' in page
