"""What axe-core finds on a page."""

from __future__ import annotations

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

_GRAVE = {"serious", "critical"}
# What is in order need not be told in full.
_RUN = "axe.run({resultTypes: ['violations']}).then((results) => results.violations)"
_SCRIPT = Axe().axe_script


def grave_problems(page: Page) -> list[str]:
    """The serious and the critical ones, with where they are."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(_SCRIPT)
    return [
        f"{each['id']} ({each['impact']}): {each['help']}: {node['html'][:200]}"
        for each in page.evaluate(_RUN)
        if each["impact"] in _GRAVE
        for node in each["nodes"][:3]
    ]
