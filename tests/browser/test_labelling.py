"""Labels given by keyboard alone, and what `adjudge calibrate` makes of them."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from . import chromium
from .conftest import Visit
from .filled import Filled


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """With its windows, as people have it."""
    with chromium.browser() as opened:
        yield opened


def begin(page: Page, run: str, rater: str, items: int) -> None:
    """From the form that asks who labels, to the first question."""
    page.goto(f"/label/{run}")
    expect(page.locator("[autofocus]")).to_be_focused()
    page.keyboard.type(rater)
    page.keyboard.press("Tab")  # how items are picked
    page.keyboard.press("Tab")
    expect(page.get_by_label("How many items")).to_be_focused()
    page.keyboard.type(str(items))
    page.keyboard.press("Enter")
    expect(page.locator("form.question")).to_be_visible()
    page.wait_for_load_state()  # a key does nothing before the script has run


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
    press(page, "t")  # on to what the labels say of the judge
    assert f"/trust/{run}" in page.url
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
        expect(page.locator("#value")).to_be_focused()
        page.keyboard.type(value)
        press(page, "Enter")
    told = filled.adjudge("label", run, "--export", "lan.csv", "--rater", "Lan")
    assert "lan.csv" in told
    with (filled.folder / "lan.csv").open(encoding="utf-8-sig") as file:
        assert [float(row["value"]) for row in csv.DictReader(file)] == [7.5, 8, 6.5, 10, 0]


def test_a_refused_number_is_typed_over(visit: Visit, filled: Filled) -> None:
    run = filled.runs["chatbot"]
    with visit() as seen:
        seen.expected.add(422)
        begin(seen.page, run, "Bo", 1)
        expect(seen.page.locator("#value")).to_be_focused()
        seen.page.keyboard.type("1120")
        press(seen.page, "Enter")
        expect(seen.page.get_by_role("alert")).to_contain_text("1120")
        expect(seen.page.locator("#value")).to_have_value("1120")
        seen.page.keyboard.type("8,5")
        press(seen.page, "Enter")
        expect(seen.page.get_by_role("alert")).to_have_count(0)
    filled.adjudge("label", run, "--export", "bo.csv", "--rater", "Bo")
    with (filled.folder / "bo.csv").open(encoding="utf-8-sig") as file:
        assert [float(row["value"]) for row in csv.DictReader(file)] == [8.5]


def strike(page: Page, key: str, code: str, *, shift: bool = False) -> None:
    """A key as an input mode without Latin signs reports it."""
    told = {"key": key, "code": code, "shiftKey": shift, "bubbles": True, "cancelable": True}
    page.evaluate(
        "([to, told]) => document.querySelector(to).dispatchEvent("
        "new KeyboardEvent('keydown', told))",
        ["#value, body", told],
    )


@pytest.mark.parametrize("key", ["1", "ㅂ", "Process"])
@pytest.mark.parametrize("code", ["Digit1", "Numpad1"])
def test_keys_by_their_place(page: Page, filled: Filled, key: str, code: str) -> None:
    begin(page, filled.runs["first"], f"{key} {code}", 2)
    item = asked(page)
    with page.expect_navigation():
        strike(page, key, code)
    assert asked(page) != item
    with page.expect_navigation():
        strike(page, "ㅕ", "KeyU")
    assert asked(page) == item


def test_keys_by_their_place_in_the_field_of_a_number(page: Page, filled: Filled) -> None:
    begin(page, filled.runs["chatbot"], "Su", 2)
    item = asked(page)
    strike(page, "Process", "Digit8")  # a digit is typed, not a command
    with page.expect_navigation():
        strike(page, "ㄴ", "KeyS", shift=True)
    assert asked(page) != item


def test_named_keys_are_not_read_by_their_place(page: Page, filled: Filled) -> None:
    begin(page, filled.runs["first"], "Jo", 2)
    item = asked(page)
    strike(page, "End", "Numpad1")
    page.keyboard.press("?")  # what comes after shows that nothing was sent
    assert asked(page) == item
    expect(page.locator("details.guide")).not_to_have_attribute("open", "")


def test_the_judge_is_not_seen(page: Page, filled: Filled) -> None:
    """Blind: neither a score nor an explanation is anywhere in the page."""
    begin(page, filled.runs["first"], "Nobody", 3)
    source = page.content()
    assert "looked at with care" not in source
    assert "replay:" not in source
