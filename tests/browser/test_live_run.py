"""A run that is started from the page, watched to its end there and in the list of runs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect
from tests.servers import ChatServer, Turnstile, fails

from . import chromium
from .conftest import REPLY, Visit
from .filled import Filled
from .test_pages import LOOKS, look_at


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """With its windows, as people have it."""
    with chromium.browser() as opened:
        yield opened


def start(page: Page, file: Path) -> str:
    """The id of the run that the pages have started."""
    page.goto("/runs/new?judge=helpfulness")
    page.locator("input[type=file]").set_input_files(file)
    page.locator("#start").click()
    page.wait_for_url(re.compile("/runs/[0-9a-f]{12}$"))
    return page.url.rpartition("/")[2]


def test_from_a_file_to_its_figures(
    visit: Visit,
    filled: Filled,
    model: ChatServer,
    pictures: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The model answers in three parts, so that the pages are seen midway however fast."""
    turnstile = Turnstile(allowed=10)
    monkeypatch.setattr(model, "answer", lambda _: turnstile.by(REPLY))
    rows = "\n".join(f"q{n},How long does tea steep?,{n} minutes" for n in range(40))
    file = filled.folder / "upload.csv"
    file.write_text(f"id,question,answer\n{rows}\n", "utf-8")
    with visit(**LOOKS["en-light"]) as run, visit(**LOOKS["vi-phone"]) as listed:
        name = start(run.page, file)
        expect(run.page.locator("progress")).to_have_js_property("value", 10)
        listed.page.goto("/")
        line = listed.page.locator("tr", has=listed.page.locator(f"a[href='/runs/{name}']"))
        expect(line.locator("progress")).to_have_js_property("value", 10)
        pages, parts = (run.page, listed.page), (run.page, line)
        for page in pages:
            page.evaluate("window.untouched = true")
        turnstile.allowed = 25
        for part in parts:
            expect(part.locator("progress")).to_have_js_property("value", 25)
        rows, means = run.page.locator("table.items tbody tr"), line.locator(".means strong")
        expect(rows).to_have_count(25)
        expect(run.page.locator(".opening")).to_contain_text("25 items")
        expect(means).to_have_text("3,00 / 4")
        for page in pages:
            assert page.evaluate("window.untouched"), "the page was loaded anew"
        look_at(run.page, pictures, "run-under-way", "en-light")
        look_at(listed.page, pictures, "runs-under-way", "vi-phone")
        turnstile.allowed = 40
        for part in parts:
            expect(part.locator("progress")).to_have_count(0)
            expect(part.locator(".pill.good").first).to_be_visible()
        expect(run.page.get_by_text("finished", exact=True).first).to_be_visible()
        expect(run.page.locator("table.items tbody tr")).to_have_count(25)
        expect(line.locator(".means strong")).to_have_text("3,00 / 4")
    assert len(model.asked) >= 40


def test_a_stopped_run_goes_on_with_one_click(
    visit: Visit, filled: Filled, model: ChatServer, pictures: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    turnstile = Turnstile(allowed=4)
    monkeypatch.setattr(model, "answer", lambda _: turnstile.by(REPLY))
    rows = "\n".join(f"s{n},How long does rice cook?,{n} minutes" for n in range(12))
    file = filled.folder / "stopped.csv"
    file.write_text(f"id,question,answer\n{rows}\n", "utf-8")
    with visit(**LOOKS["en-light"]) as seen:
        page = seen.page
        start(page, file)
        expect(page.locator("progress")).to_have_js_property("value", 4)
        with page.expect_navigation():
            page.get_by_role("button", name="Stop").click()
        turnstile.allowed = 6  # those under way end
        resume = page.get_by_role("button", name="Resume")
        expect(resume).to_be_visible()
        look_at(page, pictures, "run-stopped", "en-light")
        turnstile.allowed = 12
        resume.click()
        expect(page.locator(".pill.good").first).to_be_visible()
        expect(page.locator("table.items tbody tr")).to_have_count(12)


def test_a_run_without_answers_says_why_and_is_tried_again(
    visit: Visit, filled: Filled, model: ChatServer, pictures: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By keyboard, from its page."""
    monkeypatch.setattr(model, "answer", lambda _: fails(400, "This account may not use it."))
    file = filled.folder / "refused.csv"
    file.write_text("id,question,answer\nw1,Why is it so?,So it is.\n", "utf-8")
    with visit(**LOOKS["en-light"]) as seen:
        page = seen.page
        start(page, file)
        expect(page.locator(".head .pill.bad")).to_have_text("no answers")
        expect(page.locator(".notice.bad")).to_contain_text("This account may not use it.")
        look_at(page, pictures, "run-no-answers", "en-light")
        monkeypatch.setattr(model, "answer", lambda _: REPLY)
        with page.expect_navigation():
            page.get_by_role("button", name="Ask again for the missing answers").press("Enter")
        expect(page.locator(".head .pill.good")).to_be_visible()
        expect(page.locator(".notice.bad")).to_have_count(0)
