"""The list of runs, runs beside each other and over time, and plots that answer."""

from __future__ import annotations

from playwright.sync_api import Browser, Page, expect

from . import chromium
from .axe import grave_problems
from .filled import Filled
from .test_report_file import MISPLACED
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


def test_the_list_tells_names_tags_and_versions_and_keeps_probes_apart(
    page: Page, filled: Filled
) -> None:
    page.goto("/?sort=name&search=.jsonl")
    lines = page.locator("table.runs tbody tr")
    names = lines.locator("th > a:not(.pill)").all_inner_texts()
    assert names[0] == "care baseline"  # what has a name, then by what is told in its place
    assert names[1:] == sorted(names[1:], key=str.casefold)
    named = lines.filter(has=page.locator(f"a[href='/runs/{filled.runs['care']}']"))
    for words in ("care baseline", "care v1 on cases.jsonl", "team=support"):
        expect(named.locator("th")).to_contain_text(words)
    expect(named.locator("td.model")).to_contain_text("care v1")
    with page.expect_navigation():
        named.get_by_role("link", name="team=support").press("Enter")
    expect(lines).to_have_count(2)
    page.get_by_label("Order").select_option("started")
    page.wait_for_url("**sort=started**")
    expect(lines.first).to_contain_text("care v2")
    probe = page.locator(f"a[href='/runs/{filled.runs['probe']}']")
    page.goto("/?search=shop.jsonl")
    expect(lines.first).to_be_visible()
    expect(probe).to_have_count(0)
    page.get_by_role("link", name="Probes").press("Enter")
    expect(page.locator(".tabs [aria-current]")).to_have_text("Probes")
    expect(probe).to_be_visible()


def test_a_run_is_made_anew_or_deleted_from_the_list(page: Page) -> None:
    rows = [{"id": f"d{n}", "question": f"What {n}?", "answer": f"That {n}."} for n in range(2)]
    asked = {"judges": ["helpfulness"], "rows": rows, "name": "to be deleted"}
    run = page.request.post("/api/v1/runs", data=asked).json()["run"]
    page.goto(f"/runs/{run}")
    expect(page.locator(".head .pill.good")).to_be_visible()
    page.goto("/?search=deleted")
    line = page.locator("table.runs tbody tr")
    line.locator("summary").press("Enter")
    with page.expect_navigation():
        line.get_by_role("link", name="Run again").press("Enter")
    expect(page.locator("#judge-helpfulness")).to_be_checked()
    expect(page.locator("#start")).to_be_enabled()
    page.goto(f"/runs/{run}/delete")
    expect(page.locator("main")).to_contain_text("2 verdicts")
    with page.expect_navigation():
        page.locator("form[action$='/delete'] button").press("Enter")
    page.goto("/?search=deleted")
    expect(page.locator("table.runs")).to_have_count(0)


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


def test_systems_stand_side_by_side_question_by_question(page: Page, filled: Filled) -> None:
    page.goto(f"/runs/{filled.runs['care']}?slice=system")
    with page.expect_navigation():
        page.get_by_role("link", name="Scores side by side").press("Enter")
    heads = page.locator("table.matrix thead th")
    expect(heads).to_have_text(["question", "today", "smaller", "with search", "Spread ↓"])
    rows = page.locator("table.matrix tbody tr")
    expect(rows).to_have_count(8)
    spreads = [float(text) for text in rows.locator("td:last-child").all_inner_texts()]
    assert spreads == sorted(spreads, reverse=True)
    with page.expect_navigation():
        rows.first.get_by_role("link").first.press("Enter")
    sides = page.locator(".sides > section")
    expect(sides).to_have_count(3)
    expect(page.locator(".head .lead")).to_have_text("Clarity / 5")
    expect(page.locator("#inputs ~ .quoted")).to_have_count(1)  # the question, which all share
    expect(sides.first).to_contain_text("Use the form in your account")
    with page.expect_navigation():
        page.keyboard.press("b")
    page.get_by_label("Criterion").select_option("polite")
    expect(rows.first).to_contain_text("no")


def test_a_judge_over_time(page: Page, filled: Filled) -> None:
    page.goto(f"/trend?run={filled.runs['later']}")
    plot = page.locator("svg.plot")
    expect(plot).to_contain_text("model changed")
    expect(page.locator("table.finding tbody tr")).to_have_count(4)
    expect(page.locator("table.finding tbody tr").first).to_contain_text("[2.22, 2.81]")
    assert grave_problems(page) == []


def test_a_trend_by_tag_marks_where_the_judge_changed(page: Page, filled: Filled) -> None:
    """By keyboard, from the page of a run; a point tells its figures."""
    page.goto(f"/runs/{filled.runs['care_later']}")
    with page.expect_navigation():
        page.get_by_role("link", name="Over time").press("Enter")
    page.get_by_label("Tag").select_option("team=support")
    page.wait_for_url("**tag=team**")
    plot = page.locator("svg.plot")
    expect(plot).to_contain_text("judge changed, model changed")
    assert plot.evaluate_all(MISPLACED) == []
    last = page.locator("table.finding tbody tr").first
    expect(last).to_contain_text("v2")
    expect(last).to_contain_text("3.58 / 5 [")
    plot.locator("[data-tip*='3.58 [']").hover(force=True)
    expect(page.locator(".tip")).to_contain_text("replay:care_later.jsonl: 3.58 [")


def test_plots_are_pictures_without_a_script(browser: Browser, url: str, filled: Filled) -> None:
    with chromium.visitor(browser, base_url=url, java_script_enabled=False) as bare:
        page = bare.new_page()
        page.goto(f"/runs/{filled.runs['care']}?tab=scores")
        picture = page.locator("img.plot").first
        picture.scroll_into_view_if_needed()
        expect(picture).to_have_js_property("complete", value=True)
        assert picture.evaluate("image => image.naturalWidth") > 300
        assert picture.get_attribute("alt")


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
