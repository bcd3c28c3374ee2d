"""People who label as a team, each in a browser of their own: shares, whole items, conflicts."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from .axe import grave_problems
from .conftest import Visit
from .test_pages import LOOKS, look_at

ITEMS = 4
TEAM = "Mai, 민수"


@pytest.fixture(scope="module")
def run(visit: Visit) -> str:
    """Of a judge with levels to choose from and a yes or no."""
    rows = [
        {"id": f"shared-{n}", "question": f"Is {n} safe?", "answer": f"It is {n}."}
        for n in range(ITEMS)
    ]
    with visit() as seen:
        sent = seen.page.request.post("/api/v1/runs", data={"judges": ["safety"], "rows": rows})
        return str(sent.json()["run"])


def asked(page: Page) -> str:
    return page.locator("form.question input[name=item]").input_value()


def name(page: Page, rater: str) -> None:
    expect(page.locator("#rater")).to_be_focused()
    page.keyboard.type(rater)


def keep(page: Page, *keys: str) -> None:
    """The whole item by keys alone; Enter leads to the next one."""
    page.wait_for_load_state()
    for key in keys:
        page.keyboard.press(key)
    with page.expect_navigation():
        page.keyboard.press("Enter")


def test_a_team_shares_the_items_and_settles_where_it_differs(
    visit: Visit, run: str, pictures: Path, tmp_path: Path
) -> None:
    with visit(**LOOKS["en-light"]) as first, visit(**LOOKS["ko-dark"]) as second:
        mai, minsu = first.page, second.page
        mai.goto(f"/label/{run}")
        expect(mai.locator("#n-hint")).to_contain_text(f"{ITEMS} random items are a good start")
        name(mai, "Mai")
        mai.get_by_label("all criteria of an item").check()
        mai.get_by_text("Share the items among a team").click()
        mai.locator("#team").fill(TEAM)
        mai.locator("#overlap").fill("2")
        mai.keyboard.press("Enter")
        expect(mai.locator("h1")).to_contain_text("Item 1 of 3")
        # The link that Mai sends asks for a name, and for nothing more.
        link = mai.get_by_role("link", name="Link for the team").get_attribute("href")
        minsu.goto(str(link))
        name(minsu, "민수")
        minsu.keyboard.press("Enter")
        expect(minsu.locator("h1")).to_contain_text("1/3")
        # Both at once: the first two items are the same, the third is not.
        shared = [asked(mai)]
        assert asked(minsu) == shared[0]
        comment = mai.locator("details.comment").first
        comment.locator("summary").press("Enter")
        comment.locator("textarea").fill("A warning is missing.")
        mai.locator("input[name='value.safety']").first.focus()
        keep(mai, "2", "y")
        keep(minsu, "4", "y")
        shared.append(asked(mai))
        assert asked(minsu) == shared[1]
        keep(mai, "3", "n")
        keep(minsu, "3", "n")
        alone = {asked(mai), asked(minsu)}
        assert len({*shared, *alone}) == ITEMS
        # How far the others are, but nothing of what they said.
        mai.reload()
        mai.locator("details.others summary").click()
        expect(mai.locator("details.others li")).to_have_text("민수: 2 of 3")
        assert "4 safe" not in mai.locator(".who").inner_text()
        look_at(mai, pictures, "label-item-team", "en-light")
        _settle(mai, run, shared[0], tmp_path)
        look_at(minsu, pictures, "label-item-team", "ko-dark")


def _settle(page: Page, run: str, item: str, folder: Path) -> None:
    """The one item that they differ in; then one rater is found to be the other, and one goes."""
    page.get_by_role("link", name="Team and conflicts").click()
    conflicts = page.locator("article.conflict")
    expect(conflicts).to_have_count(1)
    expect(conflicts).to_contain_text(item)
    expect(conflicts).to_contain_text("A warning is missing.")

    def row(rater: str) -> Locator:
        named = page.get_by_role("rowheader", name=rater, exact=True)
        return page.locator("section[aria-labelledby=raters] tbody tr").filter(has=named)

    expect(row("Mai").locator("progress")).to_have_js_property("value", 2)
    conflicts.locator("summary").click()
    expect(conflicts).to_contain_text("It is ")
    conflicts.get_by_role("button", name="doubtful").click()
    expect(page.locator("#conflicts + p")).to_contain_text("0 of 1 are still open")
    expect(conflicts.locator("h3")).to_contain_text("adjudicated: 3 doubtful")
    expect(row("adjudicated")).to_have_count(1)
    assert grave_problems(page) == []
    with page.expect_download() as download:
        page.keyboard.press("d")
    download.value.save_as(folder / "labels.csv")
    with (folder / "labels.csv").open(encoding="utf-8-sig") as file:
        kept = {(row["item"], row["rater"], row["criterion"]): row for row in csv.DictReader(file)}
    assert kept[item, "Mai", "safety"]["comment"] == "A warning is missing."
    assert kept[item, "(adjudicated)", "safety"]["value"] == "3"
    page.goto("/label")
    line = page.locator("tr", has=page.locator(f"a[href^='/label/{run}']"))
    expect(line).to_contain_text("by 2 people")
    page.goto(f"/label/{run}/team")
    minsu = row("민수")
    minsu.locator("summary").press("Enter")
    minsu.get_by_label("민수 is the same person as").select_option("Mai")
    minsu.get_by_role("button", name="Merge").click()
    expect(minsu).to_have_count(0)
    expect(conflicts).to_have_count(0)
    mai = row("Mai")
    mai.locator("summary").press("Enter")
    mai.get_by_role("button", name="Remove").click()
    expect(mai).to_have_count(0)


@pytest.mark.parametrize("screen", ["", "item"])
def test_a_second_tab_overwrites_nothing_unsaid(visit: Visit, run: str, screen: str) -> None:
    """It says what the other tab has answered; what is answered again, counts."""
    rater = f"Hà{screen}"
    with visit(**LOOKS["en-light"]) as seen:
        seen.expected.add(422)
        page, other = seen.page, seen.page.context.new_page()
        for tab in (page, other):
            tab.goto(f"/label/{run}?rater={rater}&criterion=safety&screen={screen}")
        item = asked(page)
        assert asked(other) == item

        def answer(tab: Page, key: str) -> None:
            if screen:
                keep(tab, key)
            else:
                with tab.expect_navigation():
                    tab.keyboard.press(key)

        answer(page, "1")
        answer(other, "4")
        told = other.get_by_role("alert")
        expect(told).to_contain_text("another tab" if not screen else "Another tab")
        assert asked(other) == item
        kept = page.request.get(f"/label/{run}/labels.csv").text()
        assert f"{item},{rater},safety,1" in kept
        other.wait_for_load_state()
        if screen:
            other.locator("input[name='value.safety']").first.focus()
        answer(other, "4")
        kept = page.request.get(f"/label/{run}/labels.csv").text()
        assert f"{item},{rater},safety,4" in kept
