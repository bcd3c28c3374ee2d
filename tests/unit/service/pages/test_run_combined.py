"""What several verdicts on an item come to, on the run page: a panel, a ranking."""

from __future__ import annotations

import json
from contextlib import closing
from dataclasses import replace
from itertools import combinations

import pytest
from tests.service import Running
from tests.unit.service.security.client import Client

import adjudge
from adjudge.reports.findings.gathering import Combined
from adjudge.service import caches
from adjudge.service.caches import BackgroundResults

from .seen import Seen
from .shop import Shop

PANEL, RANKING = "The panel combined", "Ranking"


def _text(visit: Client, run: str) -> str:
    return " ".join(Seen(visit.get(f"/runs/{run}?tab=scores").text).text.split())


@pytest.fixture(scope="module")
def pairs(open_shop: Running, tmp_path_factory: pytest.TempPathFactory) -> str:
    """A run on answers of three systems: the one that comes first in the alphabet wins, whichever
    place it has."""
    folder = tmp_path_factory.mktemp("pairs")
    rows, replies = [], []
    for n in range(12):
        a, b = list(combinations("xyz", 2))[n % 3][:: 1 if n % 2 else -1]
        rows.append({"id": f"p{n}", "question": f"{n}?", "answer_a": a, "answer_b": b})
        rows[-1] |= {"system_a": a, "system_b": b}
        for order, winner in (("ab", "a" if a < b else "b"), ("ba", "b" if a < b else "a")):
            said = json.dumps({"reasons": ["It is the more complete one."], "winner": winner})
            replies.append({"item": f"p{n}", "order": order, "replies": [said]})
    for name, lines in (("data", rows), ("replies", replies)):
        (folder / f"{name}.jsonl").write_text("\n".join(map(json.dumps, lines)), "utf-8")
    model = f"replay:{folder}/replies.jsonl"
    with closing(
        adjudge.run(
            folder / "data.jsonl",
            judge="preference",
            model=model,
            store=open_shop.service.options.store,
        )
    ) as run:
        return run.id


def test_a_panel(shop: Shop, visit: Client) -> None:
    seen = Seen(visit.get(f"/runs/{shop.both}?tab=scores").text)
    told = " ".join(seen.text.partition(PANEL)[2].split())
    assert "Alpha among members" in told
    assert "Where members disagree most" in told
    assert f"adjudge panel {shop.both}" in told
    links = seen.items()  # those that they disagree on lead to their pages
    assert visit.get(links[0]).status == 200


def test_a_ranking_with_its_plot(pairs: str, visit: Client) -> None:
    told = _text(visit, pairs).partition(RANKING)[2]
    assert [told.index(f"{place}{name}") for place, name in ((1, "x"), (2, "y"), (3, "z"))]
    assert "The orders agree on 100%" in told
    assert "67% of 4" not in told  # x always wins against z, and y too
    assert "100% of 4" in told
    assert f"adjudge rank {pairs}" in told
    images = Seen(visit.get(f"/runs/{pairs}?tab=scores").text).all("img", "src")
    (plot,) = [link for link in images if "/plots/ranking.svg" in link]
    answer = visit.get(plot)
    assert answer.status == 200
    assert answer.headers["Content-Type"].startswith("image/svg+xml")


def test_figures_of_a_ranking_in_korean(pairs: str, visit: Client) -> None:
    address = f"/runs/{pairs}?tab=scores"
    korean = Seen(visit.get(address, headers={"Accept-Language": "ko"}).text).text
    assert "4건 중 100%" in korean
    assert "100%개" not in korean


def test_who_won_a_pair_is_told_by_name(pairs: str, visit: Client) -> None:
    text = " ".join(Seen(visit.get(f"/runs/{pairs}/item?id=p1").text).text.split())
    assert "Answer A answer_a · x judged" in text
    assert "Answer B answer_b · z judged" in text
    assert "a x It is the more complete one." in text
    assert text.count("Reasons") == 0  # they stand beside the winner already
    assert "preference v2 on data.jsonl, " in text.partition("Runs that judged this item")[2]


def test_one_verdict_per_item_has_nothing_to_combine(shop: Shop, visit: Client) -> None:
    told = _text(visit, shop.half)
    assert PANEL not in told
    assert RANKING not in told


def test_what_takes_long_is_shown_later(
    shop: Shop, open_shop: Running, visit: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    results: BackgroundResults[Combined] = BackgroundResults(2)
    monkeypatch.setattr(open_shop.service, "combined", results)
    with monkeypatch.context() as hurried, results.turn:
        hurried.setattr(caches, "PATIENCE", 0.0)
        first = visit.get(f"/runs/{shop.both}?tab=scores")
        assert first.headers["refresh"] == "1"
        assert "is being computed" in first.text
        assert len(Seen(visit.get(f"/runs/{shop.both}").text).items()) > 0
    later = visit.get(f"/runs/{shop.both}?tab=scores")
    assert "refresh" not in later.headers
    assert PANEL in later.text


def test_nothing_is_combined_while_a_run_goes_on(
    shop: Shop, open_shop: Running, visit: Client
) -> None:
    store = open_shop.service.store
    record = replace(store.runs.find(shop.both), id="underway0000", state="running")
    store.runs.start(record)
    store.verdicts.put(record.id, [*store.verdicts.entries(shop.both)])
    assert PANEL not in _text(visit, record.id)
    store.runs.end(record.id, "finished")
    assert PANEL in _text(visit, record.id)


def test_pairs_open_with_their_ranking_and_order_bias(pairs: str, visit: Client) -> None:
    text = " ".join(Seen(visit.get(f"/runs/{pairs}").text).text.split())
    assert "x comes first: it wins 100%" in text
    assert text.index("comes first") < text.index("The orders agree on 100%") < text.index("p0")


def test_a_pair_stands_side_by_side_and_the_turned_reply_says_so(pairs: str, visit: Client) -> None:
    seen = Seen(visit.get(f"/runs/{pairs}/item?id=p1").text)
    assert ("div", {"class": "sides pair"}) in seen.tags
    text = " ".join(seen.text.split())
    swapped = "what this reply calls A is answer B"
    assert text.count(swapped) == 1
    assert text.index("order A, B") < text.index("order B, A") < text.index(swapped)
