"""What a reader must not miss: the last column, a caption, a refused file, the same clock."""

from __future__ import annotations

import json
from contextlib import chdir
from pathlib import Path

from playwright.sync_api import expect

from .conftest import Visit
from .filled import Filled, labels
from .made import run, write

NINE = """\
judge: nine
version: 1
title: Is it good?
language: en
explain_in: any
inputs:
  question: {required: true}
  answer: {required: true, judged: true}
reply: json
criteria:
"""

_TABLES = ".card > .scroll > table.finding"
_BEYOND = "tables => tables.map(each => each.scrollWidth - each.parentElement.clientWidth)"


def test_the_tables_of_trust_fit(visit: Visit, filled: Filled) -> None:
    (filled.folder / "people.csv").write_text(labels(), "utf-8")
    filled.adjudge("label", filled.runs["first"], "--import", "people.csv")
    for language in ("en", "ko", "vi"):
        with visit(language=language, width=1200) as seen:
            seen.page.goto(f"/trust/{filled.runs['first']}")
            beyond = seen.page.eval_on_selector_all(_TABLES, _BEYOND)
            assert len(beyond) >= 2
            assert max(beyond) <= 0


def test_the_list_of_runs_fits(visit: Visit) -> None:
    for language in ("en", "ko", "vi"):
        with visit(language=language) as seen:
            seen.page.goto("/")
            lists = seen.page.locator(".scroll:has(table.runs)")
            expect(lists).to_have_count(1)
            assert lists.evaluate("one => one.scrollWidth - one.clientWidth") <= 0


def test_nine_criteria_fit_beside_each_other(visit: Visit, filled: Filled) -> None:
    """Their names are turned, and all can be read."""
    names = ("factuality", "semantic_appropriateness", "multidimensional_quality", *"abcdef")
    criterion = "{title: %s, guide: Is it good?, scale: {type: integer, min: 1, max: 5}}"
    criteria = "".join(f"  {name}: {criterion % name.replace('_', ' ')}\n" for name in names)
    judge = NINE + criteria
    said = {name: {"explanation": "It is.", "score": 3} for name in names}
    with chdir(filled.folder):
        Path("nine.yaml").write_text(judge, "utf-8")
        write("nine.jsonl", [{"id": "n", "question": "Why?", "answer": "Because it is so."}])
        write("nine_replies.jsonl", [{"item": "n", "replies": [json.dumps(said)]}])
        made = run("nine.jsonl", "nine.yaml", "nine_replies.jsonl")
    for language in ("en", "ko", "vi"):
        with visit(language=language) as seen:
            seen.page.goto(f"/runs/{made}")
            table = seen.page.locator(".scroll:has(table.items)")
            assert table.evaluate("one => one.scrollWidth - one.clientWidth") <= 0
            heads = table.locator("th.score").all()
            assert len(heads) == 9
            boxes = [head.bounding_box() or {} for head in heads]
            assert all(box["height"] > box["width"] for box in boxes)


def test_letters_of_plots_are_of_one_size(visit: Visit, filled: Filled) -> None:
    """However long the names beside them are."""
    with visit() as seen:
        seen.page.set_viewport_size(
            {"width": 1280, "height": 4000}
        )  # each is drawn once it is near
        seen.page.goto(f"/runs/{filled.runs['chatbot']}?tab=scores")
        expect(seen.page.locator("img.plot")).to_have_count(0)
        shrunk = seen.page.locator("svg.plot").evaluate_all(
            "all => all.map(one => one.getBoundingClientRect().width / one.viewBox.baseVal.width)"
        )
        assert len(shrunk) == 6
        assert min(shrunk) > 0.9


def test_a_caption_stays_in_sight_on_a_phone(visit: Visit) -> None:
    with visit(width=360) as seen:
        seen.page.goto("/label")
        box = seen.page.locator("caption:not(.sr)").first.bounding_box()
        assert box is not None
        assert box["x"] + box["width"] <= 360


def test_a_refused_file_is_told_at_the_top(visit: Visit, filled: Filled) -> None:
    with visit() as seen:
        seen.expected.add(422)
        seen.page.goto(f"/trust/{filled.runs['chatbot']}")
        bad = {"name": "bad.csv", "mimeType": "text/csv", "buffer": b"item,tone\nnowhere,3\n"}
        seen.page.locator("#file").set_input_files(bad)  # type: ignore[arg-type]
        with seen.page.expect_navigation():
            seen.page.locator("form[action$='/labels'] button").click()
        told = seen.page.get_by_role("alert")
        expect(told).to_be_in_viewport()
        expect(told).to_be_focused()
        expect(told).to_contain_text("bad.csv")
