"""The scripts that keep a page up to date while runs and searches go on, in a real browser."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from threading import Event

import pytest
from playwright.sync_api import expect
from tests.browser import chromium
from tests.service import Running

from adjudge.stores import TextCursor
from adjudge.stores.records import Texts

from .shop import Shop

RUNS = 6  # more than a browser keeps streams for


def test_every_run_under_way_is_followed_to_its_end(shop: Shop, open_shop: Running) -> None:
    store = open_shop.service.store
    record = store.runs.find(shop.half)
    entries = list(store.verdicts.entries(record.id))
    ids = [f"live{number:08}" for number in range(RUNS)]
    for each in ids:
        store.runs.start(replace(record, id=each))
    with (
        chromium.browser(bare=True) as opened,
        chromium.watched(opened, open_shop.url) as seen,
    ):
        seen.page.goto("/")
        for each in ids:
            store.verdicts.put(each, entries[:2])
        for each in ids:
            part = seen.page.locator(f'[data-live="{each}"]')
            expect(part.locator('[data-live-field="done"]')).to_have_text("2")
            expect(part.locator("progress")).to_have_js_property("value", 2)
        for each in ids:
            store.runs.end(each, "finished")
        expect(seen.page.locator("[data-live]")).to_have_count(0)


def test_a_long_search_is_followed_to_its_end(
    shop: Shop, open_shop: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What it finds late is on the page without a click, and nothing is denied before."""
    verdicts, late = open_shop.service.store.verdicts, Event()
    texts = verdicts.texts

    def slow(run_id: str, after: TextCursor) -> Iterator[Texts]:
        for portion in texts(run_id, after):
            late.wait()
            yield portion

    monkeypatch.setattr(verdicts, "texts", slow)
    with chromium.browser(bare=True) as opened, chromium.watched(opened, open_shop.url) as seen:
        page = seen.page
        page.goto(f"/runs/{shop.both}?search=Answer+7")
        matches = page.locator("#matches")
        expect(matches.locator("progress")).to_be_visible()
        expect(matches).to_contain_text("0 items so far. The search continues.")
        expect(matches).not_to_contain_text("No item matches")
        late.set()
        expect(matches.locator("progress")).to_have_count(0)
        expect(matches.locator("tbody tr")).to_have_count(1)
        expect(matches).to_contain_text("1 item")
