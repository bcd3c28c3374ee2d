"""A run that is started from the page, watched to its end without a reload."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect
from tests.servers import ChatServer, Turnstile

from .conftest import REPLY
from .filled import Filled


def test_from_a_file_to_its_figures(
    page: Page, filled: Filled, model: ChatServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The model answers in three parts, so that the page is seen midway however fast."""
    turnstile = Turnstile(allowed=10)
    monkeypatch.setattr(model, "answer", lambda _: turnstile.by(REPLY))
    rows = "\n".join(f"q{n},How long does tea steep?,{n} minutes" for n in range(40))
    file = filled.folder / "upload.csv"
    file.write_text(f"id,question,answer\n{rows}\n", "utf-8")
    page.goto("/runs/new")
    page.get_by_label("helpfulness", exact=False).check()
    page.locator("input[type=file]").set_input_files(file)
    page.locator("#start").click()
    page.wait_for_url("**/runs/*")
    bar = page.locator("progress").first
    for done in (10, 25):
        turnstile.allowed = done
        expect(bar).to_have_js_property("value", done)
    turnstile.allowed = 40
    expect(page.get_by_text("finished", exact=True).first).to_be_visible()
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
