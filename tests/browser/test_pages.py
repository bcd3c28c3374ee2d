"""Every page, in every language, light and dark, wide and narrow: nothing to stumble on."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Page

from .axe import grave_problems
from .conftest import Visit
from .filled import Filled, labels

# Name → address; {panel} and the like are the ids of runs.
PAGES = {
    "runs": "/",
    "new-run": "/runs/new",
    "run": "/runs/{panel}",
    "run-chatbot": "/runs/{chatbot}",
    "run-hostile": "/runs/{hostile}",
    "item": "/runs/{panel}/item?id=tea-00",
    "item-capped": "/runs/{chatbot}/item?id=4",
    "compare": "/compare?a={first}&b={later}",
    "compare-choose": "/compare",
    "label-choose": "/label",
    "label": "/label/{first}?rater=Mai",
    "trust-choose": "/trust",
    "trust": "/trust/{first}",
    "trust-empty": "/trust/{chatbot}",
    "judges": "/judges",
    "judge": "/judges/chatbot",
    "judge-hostile": "/judges/hostile",
    "judge-check": "/judges/check",
    "login": "/login",
}
LOOKS = {
    "en-light": {"language": "en", "scheme": "light", "width": 1280},
    "ko-dark": {"language": "ko", "scheme": "dark", "width": 1280},
    "vi-phone": {"language": "vi", "scheme": "light", "width": 360},
    "en-dark-phone": {"language": "en", "scheme": "dark", "width": 360},
}


# Also those further down, which a browser would fetch when somebody scrolls to them.
_ALL_IMAGES = """Promise.all([...document.images].map((image) => {
  image.loading = "eager";
  return image.decode();
}))"""


@pytest.fixture(scope="module", autouse=True)
def labelled(filled: Filled) -> None:
    """Two people have labelled a part of the first run, so that there is something to trust."""
    file = filled.folder / "people.csv"
    file.write_text(labels(), "utf-8")
    filled.adjudge("label", filled.runs["first"], "--import", str(file))


@pytest.mark.parametrize("look", LOOKS)
@pytest.mark.parametrize("name", PAGES)
def test_page(visit: Visit, filled: Filled, pictures: Path, name: str, look: str) -> None:
    with visit(**LOOKS[look]) as seen:
        page = seen.page
        page.goto(PAGES[name].format(**filled.runs))
        page.evaluate(_ALL_IMAGES)
        page.screenshot(path=pictures / f"{name}-{look}.png", full_page=True)
        assert page.locator("html").get_attribute("lang") == LOOKS[look]["language"]
        assert page.locator("h1").count() == 1
        assert fits(page), "the page scrolls sideways"
        assert grave_problems(page) == []
        assert page.evaluate("window.hit") is None


def fits(page: Page) -> bool:
    root = "document.scrollingElement"
    return bool(page.evaluate(f"{root}.scrollWidth <= {root}.clientWidth"))


def test_an_address_that_is_not_there(visit: Visit) -> None:
    for address in ("/nothing", "/runs/ffffffffffff", "/runs/x/item?id=y", "/judges/none"):
        with visit() as seen:
            seen.expected.add(404)
            answer = seen.page.goto(address)
            assert answer is not None
            assert answer.status == 404
            assert seen.page.locator("h1").count() == 1
            assert grave_problems(seen.page) == []


def test_the_language_can_be_changed(page: Page) -> None:
    page.goto("/judges")
    page.locator("details.menu summary").click()
    page.get_by_role("link", name="한국어").click()
    assert page.locator("html").get_attribute("lang") == "ko"
    assert page.url.endswith("/judges")
    page.goto("/")
    assert page.locator("html").get_attribute("lang") == "ko"
