"""The script that keeps the progress of runs up to date, in a real browser."""

from __future__ import annotations

from dataclasses import replace

from playwright.sync_api import expect
from tests.browser import chromium
from tests.service import Running

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
        chromium.browser() as opened,
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
