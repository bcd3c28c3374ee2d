"""A judge as a run used it, in a service that does not offer it, or offers another one."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from tests.service import Running, running_service

from adjudge.judges.fence import make_mark
from adjudge.service.options import ServeOptions

from ..security.client import Client
from .seen import Seen
from .shop import HOSTILE, JUDGE, Shop


def seen(visit: Client, path: str, code: str = "en") -> Seen:
    answer = visit.get(path, {"Accept-Language": code})
    assert answer.status == 200, answer.text
    return Seen(answer.text)


@pytest.fixture(scope="module")
def elsewhere(shop: Shop, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    """A service over the same runs without the judge's file."""
    store = shutil.copy(shop.store, tmp_path_factory.mktemp("elsewhere"))
    with running_service(ServeOptions(store=store)) as running:
        yield Client(running.url)


def test_rubric_rules_and_the_prompt_for_an_item(shop: Shop, elsewhere: Client) -> None:
    found = seen(elsewhere, f"/runs/{shop.both}/judge?judge=shop")
    for part in (
        "Was the customer served well?",
        "as the run used it",
        "does not offer it",
        "How good at most 4",
        "Question 0?",
        "cap: {quality: 4.0}",
    ):
        assert part in found.text
    assert f"/runs/{shop.both}/item?id=item-0" in found.all("a", "href")
    assert seen(elsewhere, f"/runs/{shop.both}/judge").text == found.text  # the only one


def test_the_pages_about_the_run_lead_there(shop: Shop, elsewhere: Client) -> None:
    for page in ("/", f"/runs/{shop.both}", f"/runs/{shop.both}/item?id=item-0"):
        links = seen(elsewhere, page).all("a", "href")
        assert f"/runs/{shop.both}/judge?judge=shop" in links
        assert "/judges/shop" not in links


def test_one_that_is_offered_has_its_own_page(shop: Shop, visit: Client) -> None:
    links = seen(visit, f"/runs/{shop.both}").all("a", "href")
    assert "/judges/shop" in links
    assert f"/runs/{shop.both}/judge?judge=shop" not in links


def test_another_version_of_it_is_offered(shop: Shop, tmp_path: Path) -> None:
    (tmp_path / "shop.yaml").write_text(JUDGE.replace("How good is", "How bad is"))
    store = shutil.copy(shop.store, tmp_path / "store.db")
    options = ServeOptions(store=str(store), judges=(str(tmp_path / "shop.yaml"),))
    with running_service(options) as running:
        client = Client(running.url)
        links = seen(client, f"/runs/{shop.both}").all("a", "href")
        found = seen(client, f"/runs/{shop.both}/judge?judge=shop")
    assert f"/runs/{shop.both}/judge?judge=shop" in links
    assert "How good is the answer?" in found.text
    assert "How bad is" not in found.text
    assert "offers another version" in found.text
    assert "/judges/shop" in found.all("a", "href")


def test_prompts_of_another_version_of_adjudge_are_not_made_up(
    shop: Shop, elsewhere: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("adjudge.core.judge.READER_VERSION", 99)
    text = seen(elsewhere, f"/runs/{shop.half}/judge?judge=shop").text
    assert "The prompts cannot be shown" in text
    assert "Question 0?" not in text
    assert "How good at most 4" in text


def test_hostile_texts_and_the_secret(shop: Shop, open_shop: Running, visit: Client) -> None:
    store = open_shop.service.store
    record = replace(store.runs.find(shop.half), id="hostile00000")
    store.runs.start(record)
    store.verdicts.put(record.id, list(store.verdicts.entries(shop.half, "item-2")))
    store.runs.end(record.id, "finished")
    html = visit.get(f"/runs/{record.id}/judge").text
    assert HOSTILE not in html
    assert "<script>alert(1)</script>" in Seen(html).text
    assert make_mark(store.secret, "shop") not in html


def test_a_run_without_a_verdict(shop: Shop, open_shop: Running, visit: Client) -> None:
    store = open_shop.service.store
    record = replace(store.runs.find(shop.half), id="empty0000000")
    store.runs.start(record)
    assert "How good at most 4" in seen(visit, f"/runs/{record.id}/judge").text
    store.runs.end(record.id, "finished")


@pytest.mark.parametrize("code", ["ko", "vi"])
def test_other_languages(shop: Shop, elsewhere: Client, code: str) -> None:
    text = seen(elsewhere, f"/runs/{shop.both}/judge", code).text
    assert "as the run used it" not in text


def test_one_that_the_run_has_not(shop: Shop, visit: Client) -> None:
    assert visit.get(f"/runs/{shop.both}/judge?judge=chatbot").status == 404
    assert visit.get("/runs/nothing/judge?judge=shop").status == 404
