"""Texts that try to be more than texts are shown as what they are."""

from __future__ import annotations

from urllib.parse import quote, urlencode

import pytest
from playwright.sync_api import Page, expect

from .beside import RATERS
from .conftest import Visit
from .filled import Filled
from .hostile import SHARED, TEXTS, hostile_id

SHORT = [name for name, text in TEXTS.items() if len(text) < 20_000]


def shown(page: Page) -> list[str]:
    """All texts of the page that somebody wrote; nothing else came of them."""
    assert page.evaluate("window.hit") is None
    assert page.locator("main script, main iframe, main style").count() == 0
    assert page.locator("main svg:not(.plot, .scale, .unit)").count() == 0  # those are ours
    texts: list[str] = page.locator(".text").evaluate_all("all => all.map(one => one.textContent)")
    return texts


@pytest.mark.parametrize("name", TEXTS)
def test_item_page(page: Page, filled: Filled, name: str) -> None:
    page.goto(f"/runs/{filled.runs['hostile']}/item?id={quote(hostile_id(name), safe='')}")
    assert any(TEXTS[name][:15_000].strip() in each for each in shown(page))


def test_label_page(page: Page, filled: Filled) -> None:
    page.goto(f"/label/{filled.runs['hostile']}?rater=Mai")
    found: list[str] = []
    while page.locator("form.question").count():
        found += shown(page)
        with page.expect_navigation():
            page.keyboard.press("s")
    for text in TEXTS.values():
        assert any(text[:20_000] in each for each in found)


@pytest.mark.parametrize("name", SHORT)
def test_rater(visit: Visit, filled: Filled, name: str) -> None:
    """A hostile name, which is taken unless it has signs that cannot be seen."""
    rater = TEXTS[name][:60].strip()
    with visit() as seen:
        seen.expected.add(422)
        page = seen.page
        page.goto(f"/label/{filled.runs['hostile']}?rater={quote(rater, safe='')}")
        shown(page)
        if name == "control":
            expect(page.locator("#rater")).to_have_value(rater)
        else:
            assert page.locator(".who strong").text_content() == rater


def test_compare_page(page: Page, filled: Filled) -> None:
    """The first texts are those that moved most, as question and as answer; both runs explain
    them."""
    page.goto(f"/compare?a={filled.runs['hostile']}&b={filled.runs['again']}")
    found = shown(page)
    for text in list(TEXTS.values())[:5]:
        assert sum(text[:300] in each for each in found) >= 4


def test_trust_page(page: Page, filled: Filled) -> None:
    page.goto(f"/trust/{filled.runs['again']}")
    shown(page)
    for rater in RATERS:
        expect(page.get_by_role("rowheader", name=rater, exact=True).first).to_be_visible()


def test_plots(page: Page, filled: Filled) -> None:
    """They become a part of the page; what stands in them is a text there too."""
    page.goto(f"/runs/{filled.runs['hostile']}?{urlencode({'slice': '<b>shared'})}")
    plot = page.locator("svg.plot")
    expect(plot.locator("text", has_text="<script>").first).to_be_attached()
    tips = plot.locator("a[data-tip]").evaluate_all("all => all.map(one => one.dataset.tip)")
    assert {tip.split(":")[0] for tip in tips} == {*SHARED}
    shown(page)
    ours = "all => all.every(one => [...one.attributes].every(at => !at.name.startsWith('on')))"
    assert plot.locator("*").evaluate_all(ours)
    assert plot.locator("script, style, foreignObject, image").count() == 0
    assert all(
        address.startswith(f"/runs/{filled.runs['hostile']}?where=")
        for address in plot.locator("a").evaluate_all("all => all.map(a => a.getAttribute('href'))")
    )


def test_search_with_hostile_words(page: Page, filled: Filled) -> None:
    for text in (TEXTS["script"], TEXTS["image"], TEXTS["jamo"], TEXTS["emoji"]):
        page.goto(f"/runs/{filled.runs['hostile']}?search={quote(text, safe='')}")
        assert page.evaluate("window.hit") is None
        assert page.locator("table.items tbody tr").count() >= 1
