"""The documentation site: it builds without a warning, loads nothing from elsewhere, and its search
works from the disk."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from tests.browser import chromium

import adjudge

ROOT = Path(__file__).parents[2]
_LOADED = re.compile(r'<(?:script|img|iframe|link)[^>]+(?:src|href)="(https?://[^"]+)"')


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    ended = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "-q", "--strict", "-d", str(folder)],
        cwd=ROOT,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    assert "WARNING" not in ended.stderr
    return folder


def test_nothing_is_loaded_from_elsewhere(site: Path) -> None:
    pages = list(site.rglob("*.html"))
    assert len(pages) > 40
    for page in pages:
        assert not _LOADED.findall(page.read_text("utf-8")), page.name


def test_every_public_name_has_its_place() -> None:
    page = (ROOT / "docs/reference-python.md").read_text("utf-8")
    assert all(f"\n### adjudge.{name}\n" in page for name in adjudge.__all__)


def test_every_page_is_in_the_navigation(site: Path) -> None:
    shown = (site / "index.html").read_text("utf-8")
    for page in (ROOT / "docs").glob("*.md"):
        name = "index.html" if page.name == "index.md" else f"{page.stem}.html"
        assert f'href="{name}"' in shown or name == "index.html", name


def test_the_search_works_from_the_disk(site: Path) -> None:
    with chromium.browser(bare=True) as browser, browser.new_page() as page:
        away: list[str] = []
        page.on("request", lambda request: away.append(request.url))
        page.goto((site / "index.html").as_uri())
        page.locator("input[name=query]").first.click()
        page.keyboard.type("bradley")
        found = page.locator(".md-search-result__link")
        found.first.wait_for(timeout=60_000)
        assert any("ranking.html" in str(link.get_attribute("href")) for link in found.all())
        assert not [url for url in away if url.startswith("http")]
