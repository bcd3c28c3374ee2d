"""The table of a run's items: search, filters, order and pages, by keyboard and by mouse."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from .filled import Filled

ROWS = "table.items tbody tr"


def test_search_by_keyboard(page: Page, filled: Filled) -> None:
    page.goto(f"/runs/{filled.runs['first']}")
    page.keyboard.press("/")
    expect(page.locator("#search")).to_be_focused()
    page.keyboard.type("반품")
    with page.expect_navigation():
        page.keyboard.press("Enter")
    expect(page.locator(ROWS)).to_have_count(15)
    assert "search=" in page.url


def test_by_the_rule_that_fired(page: Page, filled: Filled) -> None:
    page.goto(f"/runs/{filled.runs['chatbot']}?rule=serious-error")
    rows = page.locator(ROWS)
    expect(rows).to_have_count(6)


def test_order_and_pages(page: Page, filled: Filled) -> None:
    page.goto(f"/runs/{filled.runs['first']}?size=25")
    expect(page.locator(ROWS)).to_have_count(25)
    first = page.locator(ROWS).first.inner_text()
    with page.expect_navigation():
        page.get_by_role("link", name="Next").last.click()
    assert page.locator(ROWS).first.inner_text() != first
    expect(page.locator(ROWS)).to_have_count(25)


def test_from_item_to_item_by_keyboard(page: Page, filled: Filled) -> None:
    page.goto(f"/runs/{filled.runs['first']}/item?id=tea-00")
    with page.expect_navigation():
        page.keyboard.press("j")
    assert "tea-00" not in page.url
    with page.expect_navigation():
        page.keyboard.press("k")
    assert "tea-00" in page.url


def test_the_place_of_the_score_is_marked(page: Page, filled: Filled) -> None:
    page.goto(f"/runs/{filled.runs['first']}/item?id=tea-00")
    page.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true; })")
    marks = page.locator("pre mark, .text mark")
    assert marks.count() >= 1
    assert marks.first.inner_text().strip()[:1] in "1234"
