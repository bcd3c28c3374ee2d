"""A run's page: the result first, tabs with addresses, filters as chips, columns that are kept."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, Page, expect

from . import chromium
from .conftest import Visit
from .filled import Filled
from .test_run_table import ROWS

_IN_SIGHT = "rows => rows.filter(row => row.getBoundingClientRect().bottom <= 800).length"


@pytest.mark.parametrize("name", ["later", "chatbot", "pairs", "panel"])
def test_the_result_and_items_are_on_the_first_screen(
    visit: Visit, filled: Filled, name: str
) -> None:
    with visit() as seen:
        seen.page.set_viewport_size({"width": 1280, "height": 800})
        seen.page.goto(f"/runs/{filled.runs[name]}")
        expect(seen.page.locator(".opening > p").first).to_be_in_viewport()
        expect(seen.page.locator(".opening .scale").first).to_be_in_viewport()
        assert seen.page.eval_on_selector_all(ROWS, _IN_SIGHT) >= 2


def test_what_a_lead_reads(page: Page, filled: Filled) -> None:
    page.goto(f"/runs/{filled.runs['later']}")
    expect(page.locator("h1")).to_contain_text("helpfulness v1 on answers.jsonl, ")
    result = page.locator(".opening")
    for words in ("2.52 / 4", "14 of 58 items (24%)", "3.3% of the verdicts", "cost: $0"):
        expect(result).to_contain_text(words)
    expect(result).to_contain_text("What differs: the model")
    expect(result).to_contain_text("Overall rating fell by 0.52")
    # The worst on top, with its bar; one click opens it.
    expect(page.locator(ROWS).first.locator("svg.unit.u0")).to_have_count(1)
    with page.expect_navigation():
        page.locator(ROWS).first.get_by_role("link").click()
    expect(page.locator(".verdict .figure").first).to_have_text("1")


def test_items_begin_with_what_tells_them_apart(page: Page, filled: Filled) -> None:
    """The answer and its question, not the context that all of them share."""
    page.goto(f"/runs/{filled.runs['chatbot']}")
    lines = page.locator(ROWS).first.locator("td.preview > div")
    expect(lines.first).to_contain_text("Phí là 90.000 đồng ạ.")
    expect(lines.last).to_contain_text("Phí làm lại thẻ là bao nhiêu?")


def test_scores_stand_on_their_scale(page: Page, filled: Filled) -> None:
    """With its end, as shares of yes, and with intervals that do not leave it."""
    page.goto(f"/runs/{filled.runs['care_later']}")
    rows = page.locator(".opening tbody tr")
    for row, words in zip(
        rows.all(), ("3.58 / 5 [3.12, 4.05]", "8.58 / 10 [7.22, 9.95]", "88% yes ["), strict=True
    ):
        expect(row).to_contain_text(words)
    # Below each other, so that they can be compared.
    edges = page.locator(".opening .scale").evaluate_all(
        "all => all.map(scale => Math.round(scale.getBoundingClientRect().left))"
    )
    assert len({*edges}) == 1
    heads = page.locator("table.items thead")
    expect(heads).to_contain_text("Clarity / 5")
    expect(heads).to_contain_text("Quality / 10")
    page.goto(f"/runs/{filled.runs['care_later']}?slice=system")
    table = page.locator("table.finding").last
    expect(table).to_contain_text("10.00 / 10 [10.00, 10.00]")
    expect(table).to_contain_text("88% yes [")


def test_pairs_open_with_who_wins_and_stand_side_by_side(page: Page, filled: Filled) -> None:
    page.goto(f"/runs/{filled.runs['pairs']}")
    result = page.locator(".opening")
    expect(result).to_contain_text("today wins most often, in 75% [48%, 91%]")
    expect(result.locator("tbody th")).to_have_text(["today", "smaller", "with search"])
    expect(result).to_contain_text("The answer shown first won 54%")
    winner = page.locator(ROWS).nth(3).locator("td[data-head=Winner]")  # by the system's name too
    expect(winner).to_have_text("a today")
    page.goto(f"/runs/{filled.runs['pairs']}/item?id=tea-00")
    first, second = (box.bounding_box() for box in page.locator(".sides.pair > div").all())
    assert first is not None
    assert second is not None
    assert first["y"] == second["y"]
    assert first["x"] + first["width"] <= second["x"]
    # Both replies are marked where the winner was read; the turned one says what it calls A.
    replies = page.locator(".verdict details").first
    expect(replies.locator("mark")).to_have_text(['"b"', '"b"'])
    expect(replies).to_contain_text("what this reply calls A is answer B")
    expect(page.locator(".verdict .facts").first).to_contain_text("order A, B: b; order B, A: a")


def test_tabs_have_addresses(page: Page, filled: Filled, browser: Browser, url: str) -> None:
    page.goto(f"/runs/{filled.runs['first']}")
    with page.expect_navigation():
        page.get_by_role("link", name="Scores and plots").press("Enter")
    assert page.url.endswith("?tab=scores")
    expect(page.locator("img.plot, svg.plot").first).to_be_visible()
    with page.expect_navigation():
        page.get_by_role("link", name="Facts and settings").press("Enter")
    expect(page.locator("#facts")).to_be_visible()
    with chromium.visitor(browser, base_url=url, java_script_enabled=False) as bare:
        plain = bare.new_page()
        plain.goto(page.url)
        expect(plain.locator("#facts")).to_be_visible()
        plain.get_by_role("link", name="Items", exact=True).click()
        expect(plain.locator(ROWS)).to_have_count(25)


def test_filters_stand_as_chips_that_can_be_taken_away(page: Page, filled: Filled) -> None:
    page.goto(f"/runs/{filled.runs['first']}")
    page.keyboard.press("f")
    expect(page.locator("#column")).to_be_focused()  # by keys alone from here
    page.locator("#column").select_option("topic")
    expect(page.locator("#values option")).to_have_count(3)
    page.locator("#with").fill("bank")
    with page.expect_navigation():
        page.keyboard.press("Enter")
    assert "where=topic%3Dbank" in page.url
    expect(page.locator(ROWS)).to_have_count(20)
    page.keyboard.press("f")
    page.locator("#column").select_option("score.rating")
    page.locator("#how").select_option("<=")
    page.locator("#with").fill("1")
    with page.expect_navigation():
        page.keyboard.press("Enter")
    chips = page.locator(".chips li:has(bdi)")
    expect(chips).to_have_count(2)
    few = page.locator(ROWS).count()
    assert 0 < few < 20
    shared = page.url
    with page.expect_navigation():
        chips.first.get_by_role("link").press("Enter")
    expect(chips).to_have_count(1)
    assert page.locator(ROWS).count() > few
    page.goto(shared)
    expect(page.locator(ROWS)).to_have_count(few)


def test_columns_are_kept(page: Page, filled: Filled) -> None:
    page.goto(f"/runs/{filled.runs['first']}")
    page.locator("summary", has_text="Columns").press("Enter")
    page.get_by_label("topic", exact=True).check()
    page.get_by_label("Latency").uncheck()
    with page.expect_navigation():
        page.get_by_role("button", name="Show these").click()
    for run in ("first", "later"):
        page.goto(f"/runs/{filled.runs[run]}")
        heads = page.locator("table.items thead")
        expect(heads).to_contain_text("topic")
        expect(heads).not_to_contain_text("Latency")
        expect(page.locator(ROWS).first.locator("td.data")).to_have_text("bank")
