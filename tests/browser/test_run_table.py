"""The table of a run's items: search, filters, order and pages, by keyboard and by mouse."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from .conftest import Visit
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


@pytest.mark.parametrize(
    ("run", "asked", "chip", "rows"),
    [
        ("chatbot", ("rule", "serious-error"), "Rule: serious-error", 6),
        ("first", ("outcome", "unreadable"), "Outcome: unreadable", 2),
        ("pairs", ("value", "tie"), "Winner is tie", 6),
        ("care", ("label", "above"), "judge higher than people", 7),
    ],
)
def test_filters_of_a_run(
    page: Page, filled: Filled, run: str, asked: tuple[str, str], chip: str, rows: int
) -> None:
    page.goto(f"/runs/{filled.runs[run]}")
    page.keyboard.press("f")
    form = page.locator(".pop.filter form").last
    form.locator(f"#{asked[0]}").select_option(asked[1])
    with page.expect_navigation():
        form.get_by_role("button", name="Apply").press("Enter")
    expect(page.locator(".chips li").first).to_contain_text(chip)
    expect(page.locator(ROWS)).to_have_count(rows)


def test_several_filters_at_once_in_an_address_for_others(
    page: Page, visit: Visit, filled: Filled
) -> None:
    """How far models are apart, an outcome, a column of the data and a score."""
    page.goto(f"/runs/{filled.runs['panel']}")
    page.keyboard.press("f")
    form = page.locator(".pop.filter form").last
    form.get_by_label("Disagreement, at least").fill("0.9")
    form.locator("#outcome").select_option("scored")
    with page.expect_navigation():
        form.get_by_label("Disagreement, at least").press("Enter")
    expect(page.locator(ROWS)).to_have_count(15)
    for column, how, value in (("topic", "=", "shop"), ("score.rating", "<=", "3")):
        page.keyboard.press("f")
        page.locator("#column").select_option(column)
        page.locator("#how").select_option(how)
        page.locator("#with").fill(value)
        with page.expect_navigation():
            page.locator("#with").press("Enter")
    expect(page.locator(".chips li:has(bdi)")).to_have_count(4)
    found = page.locator(ROWS).all_inner_texts()
    assert 0 < len(found) < 15
    with visit() as other:
        other.page.goto(page.url)
        assert other.page.locator(ROWS).all_inner_texts() == found


def test_order_and_pages(page: Page, filled: Filled) -> None:
    page.goto(f"/runs/{filled.runs['first']}")
    expect(page.locator("#matches")).to_contain_text("60 items")
    expect(page.locator(ROWS)).to_have_count(25)
    expect(page.locator(".paging")).to_contain_text("page 1 of 3")
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
