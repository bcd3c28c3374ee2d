"""A real Chromium that tells on a page: what it complains about, or fetches elsewhere, is noted."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import pytest
from playwright.sync_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Error,
    Page,
    Request,
    Response,
    expect,
    sync_playwright,
)

_NAMES = ("chromium", "chromium-browser", "google-chrome")
_SHELL = "chromium-headless-shell"
# A test's browser starts anew, as root too, and talks to nobody but the page's own server.
_FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
_PATIENCE_MS = 120_000  # A page that is slow on a busy machine is no fault of its own.
_NO_FRAME = "Unable to capture screenshot"
_TRIES = 4
# Two, as the first may have begun before the page was changed; a page out of sight has none.
_FRAMES = """new Promise((shown) => {
  requestAnimationFrame(() => requestAnimationFrame(() => shown()));
  setTimeout(shown, 2000);
})"""
Scheme = Literal["light", "dark"]


def path(*preferred_language: str) -> str:
    """Where Chromium is. Without one the tests are skipped, but never in continuous integration."""
    program = next(filter(None, map(shutil.which, (*preferred_language, *_NAMES))), None)
    if program is None:
        remedy = "there is no Chromium here: apt-get install chromium"
        if os.environ.get("CI"):
            pytest.fail(remedy)
        pytest.skip(remedy)
    return program


@contextmanager
def browser(*, bare: bool = False) -> Iterator[Browser]:
    """`bare`: without the windows around pages, where it is there: the same Chromium shows a fresh
    visitor's page in a quarter of the time, which counts where there are hundreds."""
    where = path(_SHELL) if bare else path()
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=where, args=_FLAGS)
        try:
            yield opened
        finally:
            opened.close()


def take_picture(page: Page, path: Path, *, whole: bool = True) -> None:
    """A screenshot, of the `whole` page or of what is in sight.

    On a busy machine Chromium now and then has no frame at hand and refuses, then takes the same
    picture a moment later: that refusal alone is tried again, a few times, each after a new frame.
    """
    for left in reversed(range(_TRIES)):
        page.evaluate(_FRAMES)
        try:
            page.screenshot(path=path, full_page=whole)
        except Error as error:
            if _NO_FRAME not in error.message or not left:
                raise
        else:
            return


@contextmanager
def visitor(opened: Browser, **options: Any) -> Iterator[BrowserContext]:
    """A fresh one, who waits for slow pages."""
    context = opened.new_context(**options)
    context.set_default_timeout(_PATIENCE_MS)
    expect.set_options(timeout=_PATIENCE_MS)
    try:
        yield context
    finally:
        context.close()


@dataclass
class Watched:
    """A page and what it did that it should not: `faults` must be empty in the end."""

    page: Page
    origin: str
    faults: list[str] = field(default_factory=list)
    expected: set[int] = field(default_factory=set)  # HTTP statuses of errors that a test provokes

    def listen(self) -> None:
        self.page.on("console", self._said)
        self.page.on("pageerror", lambda error: self.faults.append(f"error: {error}"))
        self.page.on("dialog", self._asked)
        self.page.on("request", self._sent)
        self.page.on("response", self._answered)
        self.page.on("crash", lambda _: self.faults.append("the page crashed"))

    def _said(self, message: ConsoleMessage) -> None:
        expected = any(f"status of {status}" in message.text for status in self.expected)
        if message.type in ("error", "warning") and not expected:
            self.faults.append(f"console {message.type}: {message.text}")

    def _asked(self, dialog: Any) -> None:
        self.faults.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    def _sent(self, request: Request) -> None:
        if not request.url.startswith((self.origin, "data:", "about:", "blob:")):
            self.faults.append(f"a request elsewhere: {request.url}")

    def _answered(self, response: Response) -> None:
        if response.status >= 400 and response.status not in self.expected:
            self.faults.append(f"{response.status} for {response.url}")


@contextmanager
def watched(
    opened: Browser,
    origin: str,
    *,
    scheme: Scheme = "light",
    language: str = "en",
    width: int = 1280,
) -> Iterator[Watched]:
    """A fresh page of a fresh visitor; fails when it had faults."""
    size = {"width": width, "height": 900}
    with visitor(
        opened, base_url=origin, color_scheme=scheme, locale=language, viewport=size
    ) as context:
        seen = Watched(context.new_page(), origin)
        seen.listen()
        yield seen
    assert seen.faults == []
