"""What axe-core finds on a page."""

from __future__ import annotations

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

_GRAVE = {"serious", "critical"}
_QUICK = {"resultTypes": ["violations"]}  # what is in order need not be told in full


def grave_problems(page: Page) -> list[str]:
    """The serious and the critical ones, with where they are."""
    found = Axe().run(page, options=_QUICK).response["violations"]
    return [
        f"{each['id']} ({each['impact']}): {each['help']}: {node['html'][:200]}"
        for each in found
        if each["impact"] in _GRAVE
        for node in each["nodes"][:3]
    ]
