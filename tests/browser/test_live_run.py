"""A run that is started from the page, watched to its end without a reload."""

from __future__ import annotations

from playwright.sync_api import Page, expect
from tests.servers import ChatServer

from .filled import Filled


def test_from_a_file_to_its_figures(page: Page, filled: Filled, model: ChatServer) -> None:
    rows = "\n".join(f"q{n},How long does tea steep?,{n} minutes" for n in range(40))
    file = filled.folder / "upload.csv"
    file.write_text(f"id,question,answer\n{rows}\n", "utf-8")
    page.goto("/runs/new")
    page.get_by_label("helpfulness", exact=False).check()
    page.locator("input[type=file]").set_input_files(file)
    page.locator("#start").click()
    page.wait_for_url("**/runs/*")
    bar = page.locator("progress").first
    expect(bar).to_be_visible()
    seen: set[float] = set()
    while bar.count() and not page.get_by_text("finished", exact=True).count():
        seen.add(float(bar.get_attribute("value") or 0))
        page.wait_for_timeout(100)
    expect(page.get_by_text("finished", exact=True).first).to_be_visible()
    assert len(seen) > 1, "no progress was seen"
    expect(page.locator("table.items tbody tr")).to_have_count(40)
    assert len(model.asked) >= 40


def test_wrong_data_are_named_and_nothing_is_spent(page: Page, model: ChatServer) -> None:
    before = len(model.asked)
    page.goto("/runs/new")
    page.get_by_label("helpfulness", exact=False).check()
    page.locator("#rows").fill("question,text\nWhy?,Because.")
    page.locator("#start").click()
    expect(page.locator("#problem")).to_contain_text("answer")
    assert page.locator("#rows").input_value() == "question,text\nWhy?,Because."
    assert len(model.asked) == before
