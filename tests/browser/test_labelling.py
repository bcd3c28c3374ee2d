"""Labels given by keyboard alone, and what `adjudge calibrate` makes of them."""

from __future__ import annotations

import csv
import json

from playwright.sync_api import Page, expect

from .conftest import Visit
from .filled import Filled


def begin(page: Page, run: str, rater: str, items: int) -> None:
    """From the form that asks who labels, to the first question."""
    page.goto(f"/label/{run}")
    page.keyboard.type(rater)  # the field has the focus
    page.get_by_label("How many items").fill(str(items))
    page.keyboard.press("Enter")
    expect(page.locator("form.question")).to_be_visible()


def asked(page: Page) -> str:
    return page.locator("form.question input[name=item]").get_attribute("value") or ""


def press(page: Page, key: str) -> None:
    """A key that leads to another question."""
    with page.expect_navigation():
        page.keyboard.press(key)


def label_ten(page: Page, run: str, rater: str) -> dict[str, str]:
    """Ten items, with a mistake that is taken back and one that is left out for now."""
    given: dict[str, str] = {}
    begin(page, run, rater, 11)
    for n in range(11):
        item = asked(page)
        if n == 2:  # left out for good
            press(page, "s")
            continue
        if n == 4:
            press(page, "1")
            assert asked(page) != item
            press(page, "u")
            assert asked(page) == item
        key = str(1 + (n + len(rater)) % 4)
        press(page, key)
        given[item] = key
    assert page.locator("form.question").count() == 0
    return given


def test_ten_items_by_keyboard(visit: Visit, filled: Filled) -> None:
    run = filled.runs["shop"]
    given = {}
    for rater in ("Hà", "민수"):
        with visit() as seen:
            given[rater] = label_ten(seen.page, run, rater)
    filled.adjudge("label", run, "--export", "out.csv")
    with (filled.folder / "out.csv").open(encoding="utf-8-sig") as file:
        kept = [(row["rater"], row["item"], row["value"]) for row in csv.DictReader(file)]
    told = [(rater, item, key) for rater, each in given.items() for item, key in each.items()]
    assert sorted(kept) == sorted(told)
    found = json.loads(filled.adjudge("calibrate", run, "--json"))["criteria"]["rating"]
    labelled = set(given["Hà"]) | set(given["민수"])
    scored = {row["item"] for row in _rows(filled, run) if row["outcome"] == "scored"}
    assert found["n"] == len(labelled & scored)
    assert found["n"] >= 9


def _rows(filled: Filled, run: str) -> list[dict[str, str]]:
    filled.adjudge("export", run, "-o", "rows.jsonl")
    text = (filled.folder / "rows.jsonl").read_text("utf-8")
    return [json.loads(line) for line in text.splitlines()]


def test_numbers_are_typed(page: Page, filled: Filled) -> None:
    run = filled.runs["chatbot"]
    begin(page, run, "Lan", 1)
    for value in ("7.5", "8", "6,5", "10", "0"):
        page.keyboard.type(value)  # the field has the focus
        press(page, "Enter")
    told = filled.adjudge("label", run, "--export", "lan.csv", "--rater", "Lan")
    assert "lan.csv" in told
    with (filled.folder / "lan.csv").open(encoding="utf-8-sig") as file:
        assert [float(row["value"]) for row in csv.DictReader(file)] == [7.5, 8, 6.5, 10, 0]


def test_the_judge_is_not_seen(page: Page, filled: Filled) -> None:
    """Blind: neither a score nor an explanation is anywhere in the page."""
    begin(page, filled.runs["first"], "Nobody", 3)
    source = page.content()
    assert "looked at with care" not in source
    assert "replay:" not in source
