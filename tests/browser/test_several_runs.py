"""The list of runs, runs beside each other and over time, and plots that answer."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from .axe import grave_problems
from .filled import Filled
from .test_run_table import ROWS


def test_search_filter_and_tick_to_compare(page: Page, filled: Filled) -> None:
    page.goto("/?sort=started")
    lines = page.locator("table.runs tbody tr")
    page.keyboard.press("/")
    page.keyboard.type("answers.jsonl later")
    with page.expect_navigation():
        page.keyboard.press("Enter")
    expect(lines).to_have_count(1)
    page.goto("/?judge=chatbot")
    expect(lines).to_have_count(1)
    expect(lines.first).to_contain_text("chatbot v1 on bank.jsonl")
    # Compare takes three clicks.
    page.goto("/?search=answers.jsonl")
    expect(page.locator("#compare-picked")).to_be_disabled()
    for run in ("later", "first"):
        page.locator(f"input[name=run][value='{filled.runs[run]}']").check()
    with page.expect_navigation():
        page.locator("#compare-picked").click()
    assert f"a={filled.runs['first']}&b={filled.runs['later']}" in page.url


def test_three_runs_stand_side_by_side_and_open_to_their_texts(page: Page, filled: Filled) -> None:
    runs = "&".join(f"run={filled.runs[name]}" for name in ("first", "later", "panel"))
    page.goto(f"/compare?{runs}")
    assert "/matrix?" in page.url
    rows = page.locator("table.matrix tbody tr")
    expect(rows).to_have_count(25)
    expect(rows.first.locator("td").last).to_have_text("1.00")
    expect(rows.first.locator("td svg.unit")).to_have_count(4)
    assert grave_problems(page) == []
    with page.expect_navigation():
        rows.first.get_by_role("link").first.press("Enter")
    expect(page.locator(".sides > section")).to_have_count(4)
    expect(page.locator("#inputs")).to_be_visible()
    page.goto(f"/matrix?run={filled.runs['first']}&system=topic")
    expect(page.locator("table.matrix thead th")).to_have_count(5)


def test_a_judge_over_time(page: Page, filled: Filled) -> None:
    page.goto(f"/trend?run={filled.runs['later']}")
    plot = page.locator("svg.plot")
    expect(plot).to_contain_text("model changed")
    expect(page.locator("table.finding tbody tr")).to_have_count(4)
    expect(page.locator("table.finding tbody tr").first).to_contain_text("[2.22, 2.81]")
    assert grave_problems(page) == []


def test_a_bar_tells_its_figures_and_filters_the_items(page: Page, filled: Filled) -> None:
    page.goto(f"/runs/{filled.runs['first']}?tab=scores")
    bar = page.locator("svg.plot a[aria-label^='1 terrible']")
    bar.hover()
    expect(page.locator(".tip")).to_have_text("1 terrible: 14 (23%)")
    assert grave_problems(page) == []
    bar.focus()
    with page.expect_navigation():
        page.keyboard.press("Enter")
    expect(page.locator("#matches")).to_contain_text("14 items")
    expect(page.locator(ROWS)).to_have_count(14)
    page.goto(f"/runs/{filled.runs['first']}?slice=topic")
    with page.expect_navigation():
        page.locator("svg.plot a[aria-label^='bank']").click(force=True)
    expect(page.locator(".chips")).to_contain_text("topic is bank")


def test_deleting_asks_first(page: Page, filled: Filled) -> None:
    page.goto(f"/runs/{filled.runs['weighed']}/delete")
    expect(page.locator("h1")).to_contain_text("weighed.jsonl")
    page.get_by_role("link", name="Keep it").click()
    expect(page.locator("table.runs")).to_contain_text("weighed.jsonl")
