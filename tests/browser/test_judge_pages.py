"""A judge that is tried on pasted texts, and the file of a judge that is checked."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import expect

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


@pytest.mark.parametrize("look", ["ko-dark", "vi-phone"])
def test_a_pasted_file_is_checked(visit: Visit, pictures: Path, look: str) -> None:
    """In the place of the judge to begin with: its problems by line, then what it asks."""
    with visit(**LOOKS[look]) as seen:
        page = seen.page
        page.goto("/judges")
        page.keyboard.press("n")
        page.locator("#text").fill(BAD)
        told = page.get_by_role("alert").locator("li")
        expect(told.filter(has_text="titel: Politeness")).to_be_visible()
        expect(told.filter(has_text="max: -5")).to_be_visible()
        look_at(page, pictures, "judge-check-bad", look)
        page.locator("#text").fill(GOOD)
        expect(page.locator("p.notice")).to_contain_text("hostile")
        expect(page.locator("#part-preview")).to_contain_text("Is the answer polite?")
        expect(page.get_by_role("alert")).to_have_count(0)
        # What was written is not lost unsaid.
        with page.expect_event("dialog") as asked:
            page.evaluate("setTimeout(() => location.assign('/judges'))")
        assert asked.value.type == "beforeunload"
        assert seen.faults == ["dialog: "]
        seen.faults.clear()
