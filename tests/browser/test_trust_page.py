"""How far a judge can be trusted: few labels, stray raters, cells that lead to their items."""

from __future__ import annotations

import re

from playwright.sync_api import Locator, Page, expect

from .axe import grave_problems
from .filled import Filled
from .test_run_table import ROWS

_CORRECTED = re.compile(r"Clarity 3\.\d\d / 5 \(corrected; raw 3\.33\)")


def open_trust(page: Page, filled: Filled) -> Locator:
    """The cells of people by judge, which come as soon as they are near."""
    page.goto(f"/trust/{filled.runs['care']}")
    page.locator("img.plot[src*=confusion], svg.plot[aria-label*=':']").first.wait_for()
    page.locator("#c-1").scroll_into_view_if_needed()
    cells = page.locator("svg.plot a[aria-label^='judge:']")
    expect(cells.first).to_be_attached()
    return cells


def test_twenty_labels_cannot_tell_yet(page: Page, filled: Filled) -> None:
    page.goto(f"/trust/{filled.runs['care']}")
    expect(page.locator(".standings .pill")).to_have_text("cannot tell yet")
    use = page.locator("section[aria-labelledby=use]")
    expect(use).to_contain_text("a yes and a no are both possible (Spearman 0.45 [")
    expect(use).to_contain_text("Next: label about")
    # The verdict is the first thing on the page; how to divide items can be chosen below it.
    verdict, choice = use.bounding_box(), page.locator("form:has(#group)").bounding_box()
    assert verdict is not None
    assert choice is not None
    assert verdict["y"] < choice["y"]
    # The same beside the figures of the criterion, as a mark and not as words of the heading.
    expect(page.locator("#c-1 .pill")).to_have_text("cannot tell yet")


def test_cells_are_of_each_rater_and_lead_to_their_items(page: Page, filled: Filled) -> None:
    cells = open_trust(page, filled)
    shown = dict(cells.evaluate_all(_CELLS))
    counts = {name: int(name.rpartition(": ")[2].split()[0]) for name in shown}
    assert sum(counts.values()) == 42  # all labels: no mean of raters stands for one
    few, many = min(counts, key=counts.__getitem__), max(counts, key=counts.__getitem__)
    assert float(shown[few]) < float(shown[many]) / 3  # the fewer, the lighter
    assert grave_problems(page) == []
    target = cells.and_(page.locator(f"[aria-label='{many}']"))
    target.hover()
    expect(page.locator(".tip")).to_have_text(many)
    target.focus()
    with page.expect_navigation():
        page.keyboard.press("Enter")
    judge, people = re.findall(r": (\d)", many)[:2]
    expect(page.locator(".chips")).to_contain_text(f"Clarity is {judge}")
    expect(page.locator(".chips")).to_contain_text(f"people said {people}")
    rows = page.locator(ROWS)
    expect(rows.first).to_be_visible()
    scores = rows.locator("td[data-head=Clarity]").all_text_contents()
    assert {score.strip() for score in scores} == {judge}


_CELLS = """cells => cells.map((cell) =>
  [cell.getAttribute("aria-label"), cell.querySelector("path").getAttribute("opacity")])"""


def test_stray_raters_are_told_and_can_be_left_out_or_removed(page: Page, filled: Filled) -> None:
    page.goto(f"/trust/{filled.runs['care']}")
    beside = page.locator("section[aria-labelledby=c-1]")
    expect(beside).to_contain_text("fewer than 5 labelled items with others: Cy, Dũng.")
    among = re.compile(r"kappa 0\.84 \[0\.\d\d, 0\.9\d\]")  # between those who share items
    expect(beside).to_contain_text(among)
    people = page.locator("section[aria-labelledby=raters]")
    people.get_by_label("Leave out: Bo").check()
    with page.expect_navigation():
        people.get_by_role("button", name="Apply").press("Enter")
    assert "without=Bo" in page.url
    expect(page.locator("section[aria-labelledby=c-1]")).not_to_contain_text(among)
    people.get_by_label("Leave out: Bo").uncheck()
    with page.expect_navigation():
        people.get_by_role("button", name="Apply").press("Enter")
    row = people.locator("tr", has_text="Dũng")
    row.locator("summary").press("Enter")
    with page.expect_navigation():
        row.get_by_role("button", name="Yes, remove").press("Enter")
    expect(people.locator("tbody tr")).to_have_count(3)
    expect(people.get_by_role("status")).to_contain_text("1 label")
    expect(page.locator("section[aria-labelledby=c-1]")).to_contain_text("with others: Cy.")


def test_the_corrected_mean_is_first_once_it_is_kept(page: Page, filled: Filled) -> None:
    """With the raw one beside it, on the run's page and in the list."""
    page.goto(f"/trust/{filled.runs['care']}")
    with page.expect_navigation():
        page.get_by_role("button", name="Keep this calibration").press("Enter")
    page.goto(f"/runs/{filled.runs['care']}")
    opening = page.locator(".opening table tbody tr", has_text="Clarity")
    expect(opening).to_contain_text(
        re.compile(r"3\.\d\d / 5\s*\[[\d., ]+\] \(corrected; raw 3\.33\)")
    )
    page.goto("/?search=care+baseline")
    expect(page.locator("table.runs ul.means")).to_contain_text(_CORRECTED)
