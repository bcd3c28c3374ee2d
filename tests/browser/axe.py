"""What axe-core finds on a page."""

from __future__ import annotations

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

_GRAVE = ["serious", "critical"]
# Rules whose findings would be less grave are not tried, and what is in order is not told in full.
_RUN = """([grave]) => axe.run({
  resultTypes: ["violations"],
  runOnly: axe._audit.rules
    .filter((rule) => rule.enabled && grave.includes(rule.impact))
    .filter((rule) => !rule.tags.some((tag) => axe._audit.tagExclude.includes(tag)))
    .map((rule) => rule.id),
}).then((results) => results.violations)"""
_SCRIPT = Axe().axe_script


def grave_problems(page: Page) -> list[str]:
    """The serious and the critical ones, with where they are."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(_SCRIPT)
    return [
        f"{each['id']} ({each['impact']}): {each['help']}: {node['html'][:200]}"
        for each in page.evaluate(_RUN, [_GRAVE])
        for node in each["nodes"][:3]
    ]
