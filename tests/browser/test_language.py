"""The words and numbers of pages: each in the reader's language, whatever came before."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from .conftest import Visit
from .filled import Filled

_PAGES = (
    "/?sort=name",
    "/runs/{care_later}?tab=scores",
    "/runs/{care_later}?slice=system",
    "/runs/{panel}?tab=scores",
    "/runs/{weighed}?tab=facts",
    "/runs/{first}/item?id=tea-00",
    "/compare?a={care}&b={care_later}&slice=system",
    "/trust/{care}",
    "/trust/{first}",
    "/matrix?run={care}&run={care_later}",
    "/trend?run={care_later}",
    "/label/{first}",
    "/judges",
    "/judges/chatbot",
)
# Figures stand there, and no texts of others.
_FIGURES = "td.number, .figure, .interval, svg.plot text, ul.means strong, .opening p"
_ENGLISH = re.compile(r"(?<![\d.])\d+\.\d{1,2}(?!\d|\.\w)")  # 3.58; 20.000 is a thousand's point
_NOT_KOREAN = ("심사 기준", "추첨 번호", "유용한 문항", " by ", " at http")
_NOT_VIETNAMESE = (" by ", " on 0–1", "seed", " at http")


@pytest.mark.parametrize(
    ("language", "wrong"), [("ko", _NOT_KOREAN), ("vi", _NOT_VIETNAMESE)], ids=["ko", "vi"]
)
def test_every_page_speaks_it(
    visit: Visit, filled: Filled, language: str, wrong: tuple[str, ...]
) -> None:
    with visit(language=language) as seen:
        page = seen.page
        page.set_viewport_size(
            {"width": 1280, "height": 5000}
        )  # each plot is drawn once it is near
        for address in _PAGES:
            page.goto(address.format(**filled.runs))
            expect(page.locator("div.notice[role=status]")).to_have_count(0)
            expect(page.locator("img.plot")).to_have_count(0)
            told = [
                page.title(),
                *page.locator("h1, h2, h3, p, li, th, label, dt, dd").all_inner_texts(),
            ]
            assert [(word, text) for word in wrong for text in told if word in text] == []
            if language == "vi":
                figures = page.locator(_FIGURES).all_text_contents()
                assert [text for text in figures if _ENGLISH.search(text)] == []


def test_built_in_judges_have_titles_in_it(visit: Visit) -> None:
    for language, title in (
        ("ko", "모범 답안에 비추어 답변이 정확한가?"),
        ("vi", "Câu trả lời có đúng khi đối chiếu với đáp án không?"),
    ):
        with visit(language=language) as seen:
            seen.page.goto("/judges")
            expect(seen.page.locator("main")).to_contain_text(title)
            expect(seen.page.locator("main")).not_to_contain_text("Is the answer correct")


def test_it_can_be_changed_after_a_judge_was_tried(page: Page) -> None:
    """The page of a form that was sent is no address; its own page is."""
    page.goto("/judges/helpfulness")
    page.locator("#in-question").fill("How long does tea steep?")
    page.locator("#in-answer").fill("Three minutes.")
    with page.expect_navigation():
        page.locator("form[data-working] button.main").click()
    expect(page.locator("#verdict")).to_be_visible()
    page.locator("header details.menu summary").click()
    with page.expect_navigation():
        page.get_by_role("link", name="Tiếng Việt").click()
    expect(page.locator("html")).to_have_attribute("lang", "vi")
    assert page.url.endswith("/judges/helpfulness")


def test_downloads_are_named_by_what_they_hold(page: Page, filled: Filled) -> None:
    page.goto(f"/runs/{filled.runs['care_later']}")
    page.locator(".head details.menu summary").press("Enter")
    with page.expect_download() as download:
        page.get_by_role("link", name="CSV", exact=True).click()
    assert re.fullmatch(r"care cases [0-9a-f]{6}\.csv", download.value.suggested_filename)
    with page.expect_download() as download:
        page.get_by_role("link", name="Report").click()
    assert re.match(r"care cases [0-9a-f]{6}\.html", download.value.suggested_filename)
