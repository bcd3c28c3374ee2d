"""Whoever may only read is led nowhere that they may not go."""

from __future__ import annotations

from urllib.parse import urlsplit

import pytest
from tests.service import Running
from tests.unit.service.security.client import Client, bearer, token

from .seen import Seen
from .shop import Shop


@pytest.fixture
def reader(open_shop: Running) -> Client:
    return Client(open_shop.url, bearer(token(open_shop.service.store, "read")))


def _pages(shop: Shop) -> list[str]:
    return [
        "/",
        "/compare",
        f"/compare?a={shop.half}&b={shop.both}",
        "/trust",
        f"/trust/{shop.both}",
        f"/trust/{shop.half}",
        "/judges",
        "/judges/shop",
        f"/runs/{shop.both}",
        f"/runs/{shop.both}/judge",
        f"/runs/{shop.both}/item?id=item-0",
    ]


def _led(client: Client, pages: list[str]) -> set[str]:
    """The addresses that the pages link to, without what stands behind # in them."""
    found: set[str] = set()
    for page in pages:
        answer = client.get(page)
        assert answer.status == 200, page
        links = Seen(answer.text).all("a", "href")
        found |= {link.partition("#")[0] for link in links if link.startswith("/")}
    return found


def test_no_link_is_refused(shop: Shop, reader: Client, visit: Client) -> None:
    kinds: dict[str, str] = {}  # one address of each path: the others differ in what they sort by
    for link in _led(reader, _pages(shop)):
        kinds[urlsplit(link).path] = link
    refused = {link for link in kinds.values() if reader.get(link).status == 403}
    assert refused == set()
    # Others find the way there.
    ways = {urlsplit(link).path for link in _led(visit, _pages(shop))}
    assert {"/label", f"/label/{shop.both}", "/runs/new"} <= ways


def test_no_form_is_refused(shop: Shop, reader: Client, visit: Client) -> None:
    def forms(client: Client) -> dict[str, list[str]]:
        pages = (f"/trust/{shop.both}", "/judges/shop", f"/runs/{shop.both}")
        seen = {page: Seen(client.get(page).text) for page in pages}
        return {
            page: [
                str(attrs.get("action") or attrs.get("formaction"))
                for tag, attrs in each.tags
                if tag in {"form", "button"} and {"action", "formaction"} & attrs.keys()
                if attrs.get("method", "post") == "post"
            ]
            for page, each in seen.items()
        }

    assert forms(reader) == {
        f"/trust/{shop.both}": ["/logout"],
        "/judges/shop": ["/logout", "/judges/shop/prompt#prompts"],
        f"/runs/{shop.both}": ["/logout"],
    }
    may = forms(visit)
    assert f"/trust/{shop.both}/labels" in may[f"/trust/{shop.both}"]
    assert "/judges/shop/try#verdict" in may["/judges/shop"]


def test_a_reader_sees_the_prompt_for_texts_of_their_own(reader: Client) -> None:
    page = Seen(reader.get("/judges/shop").text)
    assert "The prompt for your own texts" in page.text
    assert "Judge it" not in page.text
    assert page.all("script", "src") == ["/static/app.js"]  # the other one is about trying
    texts = {"in.question": "Where?", "in.answer": "Here, of all places."}
    sent = reader.send("/judges/shop/prompt", **texts)
    assert sent.status == 200
    assert Seen(sent.text).text.count("Here, of all places.") == 2


def test_the_sign_in_page_has_no_reader_yet(open_shop: Running) -> None:
    assert Client(open_shop.url).get("/login").status == 200
