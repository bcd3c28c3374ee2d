"""The tutorial's run in the pages: the pictures in the README are these."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

from playwright.sync_api import Browser, Page, expect

from .chromium import take_picture, watched
from .conftest import served
from .filled import Filled

TUTORIAL = Path(__file__).parents[2] / "examples" / "tutorial"


def test_run_and_trust(browser: Browser, tmp_path: Path, pictures: Path) -> None:
    shutil.copytree(TUTORIAL, tmp_path, dirs_exist_ok=True)
    filled = Filled(tmp_path, {})
    summary = filled.adjudge(
        *("run", "answers.csv", "--judge", "judge.yaml", "-m", "replay:replies.jsonl", "--json")
    )
    run = json.loads(summary)["run"]
    filled.adjudge("label", run, "--import", "labels.csv")
    with served(filled) as running, watched(browser, running.url) as seen:
        page = seen.page
        for name in ("run", "trust"):
            page.goto(f"/{name}s/{run}" if name == "run" else f"/{name}/{run}")
            _show_plots(page)
            take_picture(page, pictures / f"readme-{name}.png", whole=False)
        expect(page.get_by_text("May this judge be used?")).to_be_visible()


def _show_plots(page: Page) -> None:
    """Each picture becomes the drawing itself when it comes into sight."""
    page.set_viewport_size({"width": 1280, "height": 1000})
    scroll = "() => { for (const one of document.images) one.scrollIntoView(); }"
    for _ in range(200):
        page.evaluate(scroll)
        page.wait_for_timeout(50)
        if not page.locator("img.plot").count():
            break
    expect(page.locator("img.plot")).to_have_count(0, timeout=5_000)
    page.evaluate("scrollTo(0, 0)")
