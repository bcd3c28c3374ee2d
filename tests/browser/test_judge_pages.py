"""A judge that is tried on pasted texts, and the file of a judge that is checked."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from .conftest import Visit
from .hostile import TEXTS
from .kinds import JUDGE
from .test_pages import LOOKS, look_at

GOOD = JUDGE.format(title="Politeness", guide="Is the answer polite?")
BAD = GOOD.replace("title: Politeness", "titel: Politeness").replace("max: 5", "max: -5")


@pytest.mark.parametrize("look", ["en-light", "ko-dark", "vi-phone"])
def test_tried_on_a_pasted_item(visit: Visit, pictures: Path, look: str) -> None:
    with visit(**LOOKS[look]) as seen:
        page = seen.page
        page.goto("/judges/helpfulness")
        page.locator("#in-question").fill("How long does green tea steep?")
        page.locator("#in-answer").fill(TEXTS["image"])
        with page.expect_navigation():
            page.locator("form[data-working] button.main").click()
        verdict = page.locator("#verdict")
        expect(verdict).to_be_focused()
        expect(verdict.locator(".figure")).to_have_text("3")
        expect(verdict.locator("mark")).to_have_text("3")
        expect(verdict).to_contain_text("It is clear and of real use to the person.")
        expect(page.locator("#in-answer")).to_have_value(TEXTS["image"])
        look_at(page, pictures, "judge-tried", look)


def check(page: Page, text: str) -> None:
    page.goto("/judges/check")
    page.locator("#text").fill(text)
    with page.expect_navigation():
        page.locator("main button.main").click()
    expect(page.locator("#text")).to_have_value(text)


@pytest.mark.parametrize("look", ["ko-dark", "vi-phone"])
def test_a_file_with_problems(visit: Visit, pictures: Path, look: str) -> None:
    with visit(**LOOKS[look]) as seen:
        check(seen.page, BAD)
        told = seen.page.get_by_role("alert").locator("li")
        expect(told.filter(has_text="titel: Politeness")).to_be_visible()
        expect(told.filter(has_text="max: -5")).to_be_visible()
        look_at(seen.page, pictures, "judge-check-bad", look)


@pytest.mark.parametrize("look", ["en-light", "vi-phone"])
def test_a_good_file(visit: Visit, pictures: Path, look: str) -> None:
    with visit(**LOOKS[look]) as seen:
        check(seen.page, GOOD)
        expect(seen.page.locator("p.notice")).to_contain_text("hostile")
        expect(seen.page.get_by_role("alert")).to_have_count(0)
        look_at(seen.page, pictures, "judge-check-good", look)
