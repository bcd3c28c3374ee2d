"""A real Chromium that tells on a page: what it complains about, or fetches elsewhere, is noted."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Literal

import pytest
from playwright.sync_api import (
    Browser,
    ConsoleMessage,
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
_PATIENCE_MS = 60_000  # A page that is slow on a busy machine is no fault of its own.
Scheme = Literal["light", "dark"]


def path(*preferred: str) -> str:
    """Where Chromium is. Without one the tests are skipped, but never in continuous integration."""
    found = next(filter(None, map(shutil.which, (*preferred, *_NAMES))), None)
    if found is None:
        told = "there is no Chromium here: apt-get install chromium"
        if os.environ.get("CI"):
            pytest.fail(told)
        pytest.skip(told)
    return found


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
    context = opened.new_context(
        base_url=origin,
        color_scheme=scheme,
        locale=language,
        viewport={"width": width, "height": 900},
    )
    context.set_default_timeout(_PATIENCE_MS)
    expect.set_options(timeout=_PATIENCE_MS)
    try:
        seen = Watched(context.new_page(), origin)
        seen.listen()
        yield seen
    finally:
        context.close()
    assert seen.faults == []
