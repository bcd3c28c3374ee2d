"""The report as a file: opened from the disk, it needs nobody."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, expect
from tests.unit.reports.plots.test_laws import PLOTS, WORDS

import adjudge

from .axe import grave_problems
from .chromium import take_picture, watched
from .filled import Filled, labels
from .hostile import TEXTS
from .test_pages import LOOKS, VISITS, fits, show_as

# One run or two; of those with little that is new, two looks are enough.
SHOWN = [
    *((names, looks) for names in ("first-later", "panel") for looks in VISITS),
    *(
        (names, looks)
        for names in ("hostile", "chatbot", "pairs", "samples")
        for looks in VISITS[1:]
    ),
]
LONG = (
    "WWWW MMMM: how well does the answer follow what was asked?",
    "답변이 질문의 의도를 얼마나 정확하게 파악했는지 평가합니다",
    "Mức độ phù hợp với câu hỏi của khách hàng và với ngữ cảnh",
    TEXTS["image"],
)
Written = Callable[[str, str], Path]

# Texts of plots that reach beyond their sheet, or into each other: two thirds of a line's height
# are letters.
MISPLACED = """plots => plots.flatMap((plot) => {
  const sheet = plot.getBoundingClientRect();
  const texts = [...plot.querySelectorAll("text")].map((each) => {
    const box = each.getBoundingClientRect();
    const slack = Math.min(box.width, box.height) / 6;
    return {
      told: each.textContent,
      left: box.left + slack, right: box.right - slack,
      top: box.top + slack, bottom: box.bottom - slack,
    };
  });
  const beyond = texts.filter((one) =>
    one.left < sheet.left || one.right > sheet.right
    || one.top < sheet.top || one.bottom > sheet.bottom);
  const over = texts.filter((one, at) => texts.slice(at + 1).some((other) =>
    one.left < other.right && other.left < one.right
    && one.top < other.bottom && other.top < one.bottom));
  const name = plot.querySelector("title").textContent;
  return [
    ...beyond.map((each) => `${name}: ${each.told} is cut off`),
    ...over.map((each) => `${name}: ${each.told} lies under another text`),
  ];
})"""
_WIDE = """all => all.filter((one) => one.scrollWidth > one.clientWidth)
  .map((one) => one.textContent.slice(0, 80))"""
_FOLD = "folds => folds.forEach((each) => { each.open = false; })"
_UNFOLD = "folds => folds.forEach((each) => { each.open = true; })"


@pytest.fixture(scope="module", autouse=True)
def trusted(filled: Filled) -> None:
    """Two people have labelled a part of the first run; its judge has been probed."""
    (filled.folder / "people.csv").write_text(labels(), "utf-8")
    filled.adjudge("label", filled.runs["first"], "--import", "people.csv")


@pytest.fixture(scope="module")
def written(filled: Filled, tmp_path_factory: pytest.TempPathFactory) -> Written:
    """The report on some runs in a language, written once."""
    folder = tmp_path_factory.mktemp("reports")

    def write(names: str, language: str) -> Path:
        path = folder / f"{names}.{language}.html"
        if not path.exists():
            first, *others = (filled.runs[name] for name in names.split("-"))
            options: dict[str, Any] = {"lang": language, "store": filled.store, "worst": 2}
            if names in ("first-later", "panel"):
                options["slices"] = ("topic",)
            adjudge.report(first, path, against=next(iter(others), None), **options)
        return path

    return write


@pytest.mark.parametrize(
    ("names", "looks"), SHOWN, ids=[f"{names}-{looks[0]}" for names, looks in SHOWN]
)
def test_report(
    browser: Browser, written: Written, pictures: Path, names: str, looks: tuple[str, ...]
) -> None:
    first = LOOKS[looks[0]]
    with watched(browser, "file://", **first) as seen:
        page = seen.page
        page.goto(written(names, first["language"]).as_uri())
        assert page.locator("html").get_attribute("lang") == first["language"]
        assert page.locator("h1").count() == 1
        for look in looks:
            show_as(page, look)
            page.eval_on_selector_all("details", _FOLD)
            take_picture(page, pictures / f"report-{names}-{look}.png")
            assert fits(page), "the page scrolls sideways"
            assert page.eval_on_selector_all("svg[role=img]", MISPLACED) == []
            page.eval_on_selector_all("details", _UNFOLD)
            assert fits(page), "the page scrolls sideways once everything is unfolded"
            if names != "hostile":  # whose names may be as long as they like
                assert page.eval_on_selector_all(".scroll:has(table)", _WIDE) == []
            assert grave_problems(page) == []
        assert page.evaluate("window.hit") is None


def test_it_opens_as_the_page_of_the_run_does(
    browser: Browser, url: str, written: Written, filled: Filled
) -> None:
    with watched(browser, url) as seen:
        seen.page.goto(f"/runs/{filled.runs['later']}")
        opening = seen.page.locator(".opening")
        told = [opening.locator("> p").first.inner_text(), *opening.locator("li").all_inner_texts()]
    assert len(told) == 3  # the verdict; counts; what changed
    with watched(browser, "file://") as seen:
        seen.page.goto(written("later", "en").as_uri())
        for sentence in told:
            expect(seen.page.get_by_text(sentence, exact=True).first).to_be_in_viewport()


def test_the_plots_of_the_pages_are_there(browser: Browser, written: Written) -> None:
    """Of each run means and slices, beside people agreement, both means, confusion and scatter; of
    the first its probes, and of both together what changed and the distribution."""
    with watched(browser, "file://") as seen:
        seen.page.goto(written("first-later", "en").as_uri())
        plots = seen.page.locator("figure.plot svg[role=img]")
        assert plots.count() == 2 * (2 + 4) + 1 + 2


def test_long_names_have_room(browser: Browser, tmp_path: Path) -> None:
    """In every plot, whatever their script."""
    words = [replace(WORDS, title=name) for name in LONG]
    drawn = "".join(draw(each, LONG) for draw in PLOTS.values() for each in words)
    (tmp_path / "plots.html").write_text(f"<meta charset=utf-8>{drawn}", "utf-8")
    with watched(browser, "file://") as seen:
        seen.page.goto((tmp_path / "plots.html").as_uri())
        assert seen.page.locator("svg").count() == len(PLOTS) * len(LONG)
        assert seen.page.eval_on_selector_all("svg", MISPLACED) == []
