"""Every page, in every language, light and dark, wide and narrow: nothing to stumble on."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import cache
from pathlib import Path
from typing import TypedDict
from urllib.parse import quote

import pytest
from playwright.sync_api import Page, expect

from .axe import grave_problems
from .beside import RATERS
from .chromium import Scheme, Watched, take_picture
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
    "run-scores": "/runs/{first}?tab=scores",
    "matrix": "/matrix?run={first}&run={later}",
    "trend": "/trend?run={first}",
    "compare-choose": "/compare",
    "label-choose": "/label",
    "label": "/label/{first}?rater=Mai",
    "trust-choose": "/trust",
    "trust": "/trust/{first}",
    "trust-empty": "/trust/{chatbot}",
    "judges": "/judges",
    "judge": "/judges/chatbot",
    "judge-hostile": "/judges/hostile",
    "judge-new": "/judges/edit",
    "login": "/login",
}
# The same pages with something else to show: two looks are enough.
STATES = {
    "run-slice": "/runs/{first}?slice=topic",
    "run-samples": "/runs/{samples}",
    "run-pairs": "/runs/{pairs}",
    "run-judge": "/runs/{hostile}/judge",
    "item-samples": "/runs/{samples}/item?id=refund-00",
    "item-weighed": "/runs/{weighed}/item?id=tea-00",
    "item-pair": "/runs/{pairs}/item?id=refund-00",
    "item-labels": "/runs/{first}/item?id=tea-00&labels=1",
    "compare-slice": "/compare?a={first}&b={later}&slice=topic",
    "compare-versions": "/compare?a={care}&b={care_later}",
    "matrix-systems": "/matrix?run={care}&system=system",
    "matrix-item": "/matrix/item?run={care}&run={care_later}&criterion=clarity&name=c00",
    "compare-nothing": "/compare?a={first}&b={chatbot}",
    "compare-hostile": "/compare?a={hostile}&b={again}",
    "trust-hostile": "/trust/{again}",
    "label-start": "/label/{chatbot}",
    "label-item": "/label/{chatbot}?rater=Mai&screen=item",
    "label-team": "/label/{first}/team",
    "label-number": "/label/{chatbot}?rater=Mai",
    "label-end": "/label/{first}?rater=Mai&n=5&at=5",
    "label-done": f"/label/{{again}}?rater={quote(RATERS[0], safe='')}",
}


class Look(TypedDict):
    language: str
    scheme: Scheme
    width: int


LOOKS: dict[str, Look] = {
    "en-light": {"language": "en", "scheme": "light", "width": 1280},
    "ko-dark": {"language": "ko", "scheme": "dark", "width": 1280},
    "vi-phone": {"language": "vi", "scheme": "light", "width": 360},
    "en-dark-phone": {"language": "en", "scheme": "dark", "width": 360},
}
# Looks that one visit shows: the colours and the width change without another request.
VISITS = (("en-light", "en-dark-phone"), ("ko-dark",), ("vi-phone",))
_SHOWN = [
    *((name, looks) for name in PAGES for looks in VISITS),
    *((name, looks) for name in STATES for looks in VISITS[1:]),
]

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


@pytest.fixture(scope="module")
def reader(visit: Visit) -> Iterator[Callable[[str], Watched]]:
    """One per look, who goes from page to page."""
    with ExitStack() as stack:
        yield cache(lambda look: stack.enter_context(visit(**LOOKS[look])))


@pytest.mark.parametrize(
    ("name", "looks"), _SHOWN, ids=[f"{name}-{looks[0]}" for name, looks in _SHOWN]
)
def test_page(
    reader: Callable[[str], Watched],
    filled: Filled,
    pictures: Path,
    name: str,
    looks: tuple[str, ...],
) -> None:
    seen = reader(looks[0])
    seen.faults.clear()
    seen.page.context.clear_cookies()  # nothing is remembered of other pages
    seen.page.goto((PAGES | STATES)[name].format(**filled.runs))
    for look in looks:
        show_as(seen.page, look)
        look_at(seen.page, pictures, name, look)
    seen.page.evaluate("localStorage.clear(), sessionStorage.clear()")
    assert seen.faults == []


def show_as(page: Page, look: str) -> None:
    """The page in other colours and another width, as when the reader changes them."""
    page.emulate_media(color_scheme=LOOKS[look]["scheme"])
    page.set_viewport_size({"width": LOOKS[look]["width"], "height": 900})


def look_at(page: Page, pictures: Path, name: str, look: str) -> None:
    """Takes the picture of a page; nothing on it is to stumble on."""
    # Figures that take long: the page is there without them, and shows them by itself.
    expect(page.locator("div.notice[role=status], [data-figure=means] a")).to_have_count(0)
    page.evaluate(_ALL_IMAGES)
    take_picture(page, pictures / f"{name}-{look}.png")
    expect(page.locator("html")).to_have_attribute("lang", LOOKS[look]["language"])
    assert page.locator("h1").count() == 1
    assert fits(page), "the page scrolls sideways"
    assert grave_problems(page) == []
    assert page.evaluate("window.hit") is None


def fits(page: Page) -> bool:
    root = "document.scrollingElement"
    return bool(page.evaluate(f"{root}.scrollWidth <= {root}.clientWidth"))


def test_an_address_that_is_not_there(visit: Visit, pictures: Path) -> None:
    addresses = ("/nothing", "/runs/ffffffffffff", "/runs/x/item?id=y", "/judges/none")
    for address, look in zip(addresses, LOOKS, strict=True):
        with visit(**LOOKS[look]) as seen:
            seen.expected.add(404)
            answer = seen.page.goto(address)
            assert answer is not None
            assert answer.status == 404
            look_at(seen.page, pictures, "error", look)


def test_the_language_can_be_changed(page: Page) -> None:
    page.goto("/judges")
    page.locator("details.menu summary").click()
    page.get_by_role("link", name="한국어").click()
    expect(page.locator("html")).to_have_attribute("lang", "ko")
    assert page.url.endswith("/judges")
    page.goto("/")
    expect(page.locator("html")).to_have_attribute("lang", "ko")
