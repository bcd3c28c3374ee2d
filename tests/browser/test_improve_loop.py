"""From a difference between judge and people to the labelled items judged by the edited judge."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect
from tests.servers import Answer, ChatServer, Turnstile, says

from .conftest import Visit
from .test_pages import LOOKS, look_at

ITEMS = 24
EDITED = "Count a short answer as a good one."


def _graded(body: Any) -> Answer:
    """What people say of the item, once the judge is edited; half of them wrong before."""
    asked = json.dumps(body)
    number = int((re.findall(r"Sample answer (\d+)", asked) or ["0"])[-1])
    rating = number % 4 + 1
    if EDITED not in asked and number % 2:
        rating = 5 - rating
    return says(json.dumps({"evaluation": "It is clear and of real use.", "rating": rating}))


@pytest.fixture
def grading(model: ChatServer) -> Iterator[None]:
    usual, model.answer = model.answer, _graded
    yield
    model.answer = usual


def _labelled_run(page: Page) -> str:
    rows = [
        {"id": f"row-{n}", "question": f"Question {n}?", "answer": f"Sample answer {n}"}
        for n in range(ITEMS + 4)
    ]
    sent = page.request.post("/api/v1/runs", data={"judges": ["helpfulness"], "rows": rows})
    run = str(sent.json()["run"])
    page.goto(f"/runs/{run}")
    expect(page.locator(".pill", has_text="finished").first).to_be_visible(timeout=30_000)
    labels = [
        {"item": f"row-{n}", "rater": "Mai", "criterion": "rating", "value": n % 4 + 1}
        for n in range(ITEMS)
    ]
    assert page.request.post("/api/v1/labels", data={"run": run, "labels": labels}).ok
    return run


@pytest.mark.usefixtures("grading")
def test_a_difference_is_three_clicks_from_the_rerun(
    visit: Visit, model: ChatServer, pictures: Path
) -> None:
    with visit(**LOOKS["en-light"]) as seen:
        page = seen.page
        run = _labelled_run(page)
        page.goto(f"/trust/{run}")
        page.keyboard.press("d")
        expect(page.locator("h1")).to_have_text("Where they differ")
        look_at(page, pictures, "disagreements", "en-light")
        clicks = 0

        def click(selector: str) -> None:
            nonlocal clicks
            page.locator(selector).first.click()
            clicks += 1

        click("main table a[href*='item?']")
        expect(page.locator("h1")).to_contain_text("Item row-")
        click("main a[href*='/edit?']")
        expect(page.locator("#item")).to_have_value(re.compile("row-"))
        name = page.locator("[name='set.judge']")
        name.fill("short-answers")
        name.press("Tab")
        expect(page.locator("#text")).to_have_value(re.compile("judge: short-answers\\n"))
        guide = page.locator("[name='set.criteria/rating/guide']")
        guide.fill(f"{guide.input_value()} {EDITED}")
        guide.press("Tab")
        expect(page.locator("#text")).to_have_value(re.compile(re.escape(EDITED)))
        look_at(page, pictures, "judge-edit-rerun", "en-light")
        click("#rerun")
        assert clicks <= 4
        table = page.locator("main table")
        expect(table).to_contain_text("12 nearer, 12 as before, 0 farther", timeout=30_000)
        expect(page.locator("main")).to_contain_text("shown to be better")
        expect(page.locator("main")).to_contain_text("could be looked at while editing")
        address = page.url
        look_at(page, pictures, "rerun", "en-light")
        # How the two versions ask, line by line.
        page.get_by_role("link", name="How the prompts differ").click()
        expect(page.locator(".difference .come ins")).to_have_text(re.compile(re.escape(EDITED)))
        expect(page.locator(".difference .gone")).to_have_count(0)
        difference = page.url
        look_at(page, pictures, "judge-difference", "en-light")
        _probe(page, model, pictures)
        _ask_about_the_rubric(page, run, model)
    shown = {"rerun": address, "judge-difference": difference}
    shown["probe"] = "/judges/helpfulness/probe"
    for look in ("ko-dark", "vi-phone"):
        with visit(**LOOKS[look]) as seen:
            for name, where in shown.items():
                seen.page.goto(where)
                look_at(seen.page, pictures, name, look)
            _set_aside(seen.page, pictures, run, look)


def _set_aside(page: Page, pictures: Path, run: str, look: str) -> None:
    """By keys alone, with half of the labels set aside; the list is the shorter for it."""
    page.goto(f"/trust/{run}/disagreements")
    every = page.locator("main table a[href*='item?']").count()
    page.keyboard.press("h")
    page.wait_for_url("**aside=1**")
    assert 0 < page.locator("main table a[href*='item?']").count() < every
    look_at(page, pictures, "disagreements", look)
    page.keyboard.press("e")
    expect(page.locator("input[name=aside]")).to_have_value("1")
    expect(page.locator("#rerun")).to_be_visible()
    look_at(page, pictures, "judge-edit-rerun", look)

    # On a copy: with the labels that were set aside alone.
    name = page.locator("[name='set.judge']")
    name.fill(f"unchanged-{look}")
    name.press("Tab")
    expect(page.locator("#text")).to_have_value(re.compile(f"judge: unchanged-{look}\\n"))
    page.locator("#rerun").press("Enter")
    told = "따로 떼어 둔" if look.startswith("ko") else "để riêng trong khi sửa"
    expect(page.locator("main .card").first).to_contain_text(told, timeout=30_000)


def _probe(page: Page, model: ChatServer, pictures: Path) -> None:
    """Started by key and mouse, and followed to what they found; then a check for drift."""
    page.goto("/judges/helpfulness")
    page.keyboard.press("p")
    turnstile = Turnstile(allowed=3)
    usual, model.answer = model.answer, lambda body: turnstile.by(_graded(body))
    page.locator("#probe").click()
    expect(page.locator("progress")).to_be_visible()
    expect(page.get_by_role("status")).to_contain_text("is asked about texts and changed copies")
    turnstile.allowed, model.answer = 10**6, usual
    expect(page.locator("main table").first).to_be_visible(timeout=60_000)
    # It loads itself anew until all runs have ended.
    expect(page.locator("[data-live]")).to_have_count(0)
    page.locator("#drift").click()
    expect(page.locator("section[aria-labelledby=drift-title]")).to_contain_text("first check.")
    expect(page.locator("[data-live]")).to_have_count(0)
    look_at(page, pictures, "probe", "en-light")


def _ask_about_the_rubric(page: Page, run: str, model: ChatServer) -> None:
    """A model of the service is asked which clause is unclear; its question is for people."""
    page.goto(f"/trust/{run}/disagreements")
    usual = model.answer
    said = {"unclear": [{"items": [1], "clause": 1, "question": "Is a short answer a good one?"}]}
    model.answer = lambda _: says(json.dumps(said))
    try:
        page.locator("#ask-writer").click()
        expect(page.locator("main")).to_contain_text("Is a short answer a good one?")
    finally:
        model.answer = usual
