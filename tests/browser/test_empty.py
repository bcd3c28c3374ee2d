"""A service that has nothing to show yet: each page says what to do first."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect
from tests.service import Running, running_service

from adjudge.service.options import ServeOptions

from .chromium import watched
from .test_pages import LOOKS, look_at


@pytest.fixture(scope="module")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    store = tmp_path_factory.mktemp("empty") / "store.db"
    with running_service(ServeOptions(store=str(store))) as running:
        yield running


@pytest.mark.parametrize("look", ["en-light", "ko-dark", "vi-phone"])
def test_the_way_to_a_first_run(
    browser: Browser, empty: Running, pictures: Path, look: str
) -> None:
    with watched(browser, empty.url, **LOOKS[look]) as seen:
        for name in ("runs", "compare", "label", "trust"):
            seen.page.goto("/" if name == "runs" else f"/{name}")
            expect(seen.page.locator("main a.button[href='/runs/new']").first).to_be_visible()
            look_at(seen.page, pictures, f"{name}-none", look)
