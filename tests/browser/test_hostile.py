"""Texts that try to be more than texts are shown as what they are."""

from __future__ import annotations

from urllib.parse import quote

import pytest
from playwright.sync_api import Page

from .conftest import Visit
from .filled import Filled
from .hostile import TEXTS

SHORT = [name for name, text in TEXTS.items() if len(text) < 20_000]


@pytest.mark.parametrize("name", TEXTS)
def test_item_page(page: Page, filled: Filled, name: str) -> None:
    text = TEXTS[name]
    item = text if len(text) < 200 else name
    page.goto(f"/runs/{filled.runs['hostile']}/item?id={quote(item, safe='')}")
    assert page.evaluate("window.hit") is None
    shown = page.locator(".text").evaluate_all("all => all.map((each) => each.textContent)")
    assert any(text[:15_000].strip() in each for each in shown)
    assert page.locator("main script, main svg, main iframe, main style").count() == 0


@pytest.mark.parametrize("name", SHORT)
def test_label_page(visit: Visit, filled: Filled, name: str) -> None:
    """A hostile rater's name, if it is taken at all, and hostile texts of the queue in turn."""
    rater = quote(TEXTS[name][:60], safe="")
    with visit() as seen:
        seen.expected.add(422)
        page = seen.page
        page.goto(f"/label/{filled.runs['hostile']}?rater={rater}")
        for _ in range(4):
            assert page.evaluate("window.hit") is None
            if not page.locator("form.question").count():
                break
            with page.expect_navigation():
                page.keyboard.press("s")


def test_search_with_hostile_words(page: Page, filled: Filled) -> None:
    for text in (TEXTS["script"], TEXTS["image"], TEXTS["jamo"], TEXTS["emoji"]):
        page.goto(f"/runs/{filled.runs['hostile']}?search={quote(text, safe='')}")
        assert page.evaluate("window.hit") is None
        assert page.locator("table.items tbody tr").count() >= 1
