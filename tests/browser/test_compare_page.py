"""Two runs against each other: what was asked, what moved with its texts, all by keyboard."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from .axe import grave_problems
from .conftest import Visit
from .filled import Filled
from .test_report_file import MISPLACED

# Words that begin on one line and end on another.
_BROKEN = """heads => heads.flatMap((head) => {
  const broken = [], walker = document.createTreeWalker(head, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    for (const { 0: word, index } of walker.currentNode.data.matchAll(/[\\p{L}\\p{N}]+/gu)) {
      const range = document.createRange();
      range.setStart(walker.currentNode, index);
      range.setEnd(walker.currentNode, index + word.length);
      if (new Set([...range.getClientRects()].map((box) => box.top)).size > 1) broken.push(word);
    }
  }
  return broken;
})"""
_BEYOND = """parts => parts.map((part) =>
  part.getBoundingClientRect().right - document.documentElement.clientWidth)"""


def test_versions_and_what_moved_with_its_texts(page: Page, filled: Filled) -> None:
    page.goto(f"/compare?a={filled.runs['care']}&b={filled.runs['care_later']}")
    asked = page.locator("section[aria-labelledby=facts]")
    expect(asked).to_contain_text(re.compile(r"care version 1 \([0-9a-f]{16}\)"))
    expect(asked).to_contain_text(re.compile(r"care version 2 \([0-9a-f]{16}\)"))
    against = page.locator("section[aria-labelledby=section-0]")
    expect(against).to_contain_text("the judge's wording or rules (v1, then v2)")
    row = against.locator("tbody tr", has_text="Politeness").first
    expect(row).to_contain_text("88% yes")
    expect(against.locator("tbody tr", has_text="Clarity").first).to_contain_text("3.33 / 5")
    moved = against.locator("details.part")
    moved.locator("summary").press("Enter")
    expect(moved.locator("h4")).to_have_count(5)
    for text in (
        "c00: A 2.00, B 3.00",
        "How do I return order 0, which came late?",
        "Use the form in your account within 0 days.",
        "Version 1 finds it plain.",
        "Version 2 finds it plain.",
    ):
        expect(moved.get_by_text(text).first).to_be_visible()
    assert grave_problems(page) == []
    page.get_by_role("link", name="How the prompts differ").press("Enter")
    expect(page.locator(".difference .come ins")).to_have_text(re.compile("and by when"))


def test_both_runs_share_a_plot_whose_words_do_not_overlap(page: Page, filled: Filled) -> None:
    page.set_viewport_size({"width": 1280, "height": 4000})  # each is drawn once it is near
    page.goto(f"/compare?a={filled.runs['care']}&b={filled.runs['care_later']}")
    plots = page.locator("svg.plot")
    expect(plots).to_have_count(4)  # what changed, and one per criterion for both runs
    assert plots.evaluate_all(MISPLACED) == []
    for at in (1, 2, 3):
        expect(plots.nth(at)).to_contain_text("A")
        expect(plots.nth(at)).to_contain_text("B")
    grid = plots.first.locator("path[d*=L]").evaluate_all(
        "lines => Math.max(...lines.map((line) => line.getBoundingClientRect().width))"
    )
    assert grid > 250  # pixels of data


_PAGES = (
    "/",
    "/compare?a={care}&b={care_later}&slice=system",
    "/runs/{care_later}",
    "/runs/{care_later}?tab=scores",
    "/runs/{care_later}?slice=system",
    "/runs/{panel}?tab=scores",
    "/runs/{pairs}?tab=scores",
    "/matrix?run={care}&run={care_later}&run={panel}",
    "/trend?run={care_later}",
    "/trust/{care}",
)


@pytest.mark.parametrize("language", ["en", "ko", "vi"])
def test_nothing_of_the_result_is_cut_on_a_telephone(
    visit: Visit, filled: Filled, language: str
) -> None:
    """Each table is there without scrolling, and no word of its names is broken in two."""
    with visit(width=390, language=language) as seen:
        for address in _PAGES:
            seen.page.goto(address.format(**filled.runs))
            parts = seen.page.locator("main :is(td, th), img.plot")
            expect(parts.first).to_be_attached()
            assert max(parts.evaluate_all(_BEYOND)) <= 0, address
            scrolls = seen.page.locator(".scroll")
            wide = scrolls.evaluate_all("all => all.filter(e => e.scrollWidth > e.clientWidth)")
            assert not wide, address
            assert seen.page.locator("table:is(.finding, .matrix) th").evaluate_all(_BROKEN) == []


def test_keys_alone_lead_to_both_and_turn_them_round(page: Page, filled: Filled) -> None:
    first, later = filled.runs["care"], filled.runs["care_later"]
    page.goto("/?tag=team%3Dsupport")
    for run in (later, first):
        page.locator(f"input[name=run][value='{run}']").focus()
        page.keyboard.press("Space")
    with page.expect_navigation():
        page.locator("body").press("v")
    assert f"a={first}&b={later}" in page.url  # the earlier one is A
    with page.expect_navigation():
        page.keyboard.press("x")
    assert f"a={later}&b={first}" in page.url
    with page.expect_navigation():
        page.get_by_role("link", name="Scores side by side").press("Enter")
    expect(page.locator("table.matrix tbody tr")).to_have_count(24)


def test_it_can_be_taken_along_under_a_name_that_tells(page: Page, filled: Filled) -> None:
    page.goto(f"/compare?a={filled.runs['care']}&b={filled.runs['care_later']}")
    with page.expect_download() as download:
        page.locator("main a[download]").click()
    assert download.value.suggested_filename.startswith("care baseline ")
    assert download.value.suggested_filename.endswith(".html")


def test_what_cannot_be_compared_names_the_fields_of_the_page(visit: Visit, filled: Filled) -> None:
    with visit() as seen:
        seen.page.goto(f"/compare?a={filled.runs['panel']}&b={filled.runs['first']}&model_a=none")
        told = seen.page.get_by_role("alert")
        expect(told).to_contain_text("Model of A")
        expect(told).not_to_contain_text("--")
