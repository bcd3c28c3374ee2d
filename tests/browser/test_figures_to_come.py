"""Figures that take long: the page is there before them, and shows them by itself."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, expect
from tests.service import running_service

from adjudge.service import caches
from adjudge.service.options import ServeOptions

from .chromium import watched
from .filled import Filled

NOTE = "div.notice[role=status]"


def test_without_a_hand(browser: Browser, filled: Filled, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(caches, "PATIENCE", 0.0)
    options = ServeOptions(store=filled.store)
    with running_service(options) as running, watched(browser, running.url) as seen:
        service, page = running.service, seen.page
        for turn, address, figures in (
            (service.comparisons.kept.turn, "/compare?a={first}&b={later}", ".plot"),
            (service.calibrations.kept.turn, "/trust/{again}", ".plot"),
            (service.slices.turn, "/runs/{first}?slice=topic", "[aria-labelledby=slices] table"),
        ):
            with turn:  # as if another one were being worked out
                page.goto(address.format(**filled.runs))
                expect(page.locator(NOTE)).to_be_visible()
            expect(page.locator(NOTE)).to_have_count(0)
            expect(page.locator(figures).first).to_be_visible()
