"""Runs side by side, and one judge over time."""

from __future__ import annotations

import pytest
from tests.unit.service.security.client import Client

from adjudge.service.pages import beside

from .seen import Seen
from .shop import ITEMS, Shop


def test_a_matrix_of_runs_and_models(shop: Shop, visit: Client) -> None:
    answer = visit.get(f"/matrix?run={shop.both}&run={shop.half}")
    assert answer.status == 200
    assert "Refresh" not in answer.headers
    seen = Seen(answer.text)
    assert f"{ITEMS} rows" in seen.text
    assert sum(link.startswith("/matrix/item?") for link in seen.all("a", "href")) == ITEMS


def test_a_large_matrix_is_shown_when_it_is_there(
    shop: Shop, visit: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(beside, "result_in_time", lambda *_: None)
    answer = visit.get(f"/matrix?run={shop.both}")
    assert answer.status == 200
    assert answer.headers["Refresh"]
    assert f"{ITEMS} rows are being put side by side" in Seen(answer.text).text


def test_what_cannot_be_a_matrix_is_told(shop: Shop, visit: Client) -> None:
    assert visit.get("/matrix").status == 200
    assert visit.get(f"/matrix?run={shop.both}&system=id").status == 422
    assert visit.get(f"/matrix/item?run={shop.both}&name=nothing").status == 404


def test_a_line_per_model_over_time(shop: Shop, visit: Client) -> None:
    visit.get(f"/runs/{shop.both}/figures")
    address = f"/trend?run={shop.both}&data=any"
    assert "over time" in Seen(visit.get(address).text).text
    plot = visit.get(f"/trend/plots/trend.svg?run={shop.both}&data=any&criterion=quality").text
    assert all(f"{model[-7:]}</text>" in plot or model[:8] in plot for model in shop.models)
