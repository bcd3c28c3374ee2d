"""A picture that the browser refuses for want of a frame is taken again; other failures are not."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Error

from .chromium import take_picture

REFUSAL = "Page.screenshot: Protocol error (Page.captureScreenshot): Unable to capture screenshot"


class FakePage:
    """Refuses as many pictures as there are failures."""

    def __init__(self, *failures: str) -> None:
        self.failures = list(failures)
        self.steps: list[str] = []

    def evaluate(self, _: str) -> None:
        self.steps.append("frame")

    def screenshot(self, **_: object) -> None:
        self.steps.append("picture")
        if self.failures:
            raise Error(self.failures.pop(0))


@pytest.mark.parametrize("refused", [0, 1, 3])
def test_taken_again_after_a_frame(refused: int) -> None:
    page: Any = FakePage(*[REFUSAL] * refused)
    take_picture(page, Path("page.png"))
    assert page.steps == ["frame", "picture"] * (refused + 1)


@pytest.mark.parametrize(
    ("failure", "tries"), [(REFUSAL, 4), ("Target crashed", 1), ("Timeout 30000ms exceeded", 1)]
)
def test_a_real_failure_is_told(failure: str, tries: int) -> None:
    page: Any = FakePage(*[failure] * 10)
    with pytest.raises(Error, match=re.escape(failure)):
        take_picture(page, Path("page.png"))
    assert page.steps.count("picture") == tries
