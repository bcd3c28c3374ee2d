"""The keys that docs/service.md names are those of the pages."""

from __future__ import annotations

import re
from importlib.resources import files
from pathlib import Path

PAGE = (Path(__file__).parents[3] / "docs/service.md").read_text("utf-8")
ROWS = re.findall(r"^\| .*?`(/[^`]*)`.* \| .* \| (.*?) ?\|$", PAGE, re.MULTILINE)
# Those that a page has beside the ones in the template that is named after it.
MORE = {
    "label": ("label_question", "label_item", "label_end", "label_parts"),
    "trust": ("trust_run",),
}
TEMPLATES = {"/": "runs", "/runs/ID": "run", "/runs/ID/item?id=…": "item", "/runs/new": "new_run"}
TEMPLATES |= {
    "/judges/NAME": "judge",
    "/judges/NAME/edit": "judge_edit",
    "/label/ID/team": "label_team",
    "/judges/import": "judge_import",
    "/judges/difference?a=…&b=…": "judge_difference",
    "/runs/ID/judge": "run_judge",
    "/trust/ID/disagreements": "disagreements",
    "/trust/ID/rerun/ID": "rerun",
    "/judges/NAME/probe": "probe",
}


def keys(name: str) -> set[str]:
    """What a template binds, those of the lists that it turns pages of included."""
    text = files("adjudge.service").joinpath(f"templates/{name}.html.j2").read_text("utf-8")
    turned = {"n", "p"} if re.search(r"parts\.(paging|turning)\(", text) else set[str]()
    found = set(re.findall(r'data-key="([^{"]+)"', text)) | turned
    return found.union(*(keys(each) for each in MORE.get(name, ())))


def test_each_page_has_its_keys() -> None:
    assert len(ROWS) >= 12
    for address, told in ROWS:
        name = TEMPLATES.get(address, address.strip("/"))
        assert set(re.findall(r"`(.)`", told)) == keys(name), address
