"""The report as a file: opened from the disk, it needs nobody."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser

from .axe import grave_problems
from .chromium import Scheme, watched
from .filled import Filled
from .test_pages import fits

_SCHEMES: tuple[Scheme, ...] = ("light", "dark")


@pytest.mark.parametrize(
    "runs", [["first"], ["first", "later"], ["hostile"], ["chatbot"]], ids="-".join
)
def test_report(browser: Browser, filled: Filled, runs: list[str]) -> None:
    filled.adjudge("report", *(filled.runs[name] for name in runs), "-o", "report.html")
    for scheme in _SCHEMES:
        with watched(browser, "file://", scheme=scheme) as seen:
            seen.page.goto((filled.folder / "report.html").as_uri())
            assert seen.page.locator("h1").count() == 1
            assert seen.page.locator("svg").count() >= 1
            assert fits(seen.page)
            assert seen.page.evaluate("window.hit") is None
            assert grave_problems(seen.page) == []
