"""How many clicks the usual ways take; from a file to its run, and from a difference to the rerun,
they are counted where those ways are walked (`test_new_run`, `test_improve_loop`)."""

from __future__ import annotations

from playwright.sync_api import Locator, Page, expect
from tests.servers import ChatServer

from .conftest import Visit
from .filled import Filled
from .test_pages import LOOKS
from .test_run_table import ROWS


class Clicks:
    """Clicks that lead somewhere, or tick something."""

    def __init__(self) -> None:
        self.count = 0

    def __call__(self, target: Locator) -> None:
        target.click()
        self.count += 1


def test_the_worst_item_is_one_click_away(page: Page, filled: Filled) -> None:
    click = Clicks()
    page.goto(f"/runs/{filled.runs['chatbot']}")
    first = page.locator(ROWS).first
    expect(first).to_be_in_viewport()
    click(first.get_by_role("link").first)
    expect(page.locator(".verdict .score .figure").first).to_have_text("4")
    assert click.count == 1


def test_two_runs_are_compared_with_three(page: Page, filled: Filled) -> None:
    click = Clicks()
    page.goto("/")
    for run in ("later", "first"):
        click(page.locator(f"input[name=run][value='{filled.runs[run]}']"))
    click(page.locator("#compare-picked"))
    expect(page.locator("main")).to_contain_text("B is lower by 0.52")
    assert click.count == 3


def test_a_used_up_budget_is_raised_with_one(visit: Visit, model: ChatServer) -> None:
    """From its page, and from the list. Nothing is typed."""
    rows = [{"id": f"r{n}", "question": f"Why {n}?", "answer": f"So {n}."} for n in range(40)]
    asked = {"judges": ["helpfulness"], "rows": rows, "budget": "2000tok", "max_tokens": 100}
    before = len(model.asked)
    with visit(**LOOKS["en-light"]) as seen:
        page, click = seen.page, Clicks()
        run = page.request.post("/api/v1/runs", data=asked).json()["run"]
        page.goto(f"/runs/{run}")
        expect(page.locator("#new-budget")).to_have_value("4000tok")
        asked_once = len(model.asked) - before
        assert 0 < asked_once < len(rows)
        click(page.get_by_role("button", name="Resume"))
        expect(page.locator("#new-budget")).to_have_value("8000tok")
        assert click.count == 1
        page.goto("/")
        line = page.locator("tr", has=page.locator(f"a[href='/runs/{run}']"))
        line.locator("summary").press("Enter")
        line.get_by_role("button", name="Resume, up to 8000tok in all").press("Enter")
        expect(page.locator(".head .pill.good")).to_be_visible()
    assert len(model.asked) - before == len(rows)
