"""A new run, from a file to its start: choices are proposed, and little is clicked."""

from __future__ import annotations

import gzip
import re
from pathlib import Path

import openpyxl
import pytest
from playwright.sync_api import Browser, Page, expect
from tests.servers import ChatServer, fails
from tests.service import running_service

from adjudge.service.options import ServeOptions

from . import chromium
from .conftest import Visit
from .filled import Filled
from .test_pages import LOOKS, look_at

_RUN = re.compile("/runs/[0-9a-f]{12}$")


class Clicks:
    """Counts what a person clicks: a choice from a list is two."""

    def __init__(self, page: Page) -> None:
        self._page, self.count = page, 0

    def choose_file(self, file: Path) -> None:
        self.count += 1
        with self._page.expect_file_chooser() as chooser:
            self._page.locator("#file").click()
        with self._page.expect_navigation():
            chooser.value.set_files(file)

    def click(self, selector: str) -> None:
        self.count += 1
        self._page.locator(selector).click()

    def choose(self, selector: str, value: str) -> None:
        self.count += 2
        self._page.locator(selector).select_option(value)


def test_from_a_table_with_unknown_columns_to_its_run(
    visit: Visit, filled: Filled, pictures: Path
) -> None:
    """In six clicks or fewer, and nothing typed; in CP949, which is said."""
    rows = "".join(f"{n},물이 몇 도에서 끓나요?,{n}도에서 끓습니다.,차\n" for n in range(3))
    file = filled.folder / "문의.csv"
    file.write_bytes(f"번호,들어온 글,나간 글,분류\n{rows}".encode("cp949"))
    with visit(**LOOKS["ko-dark"]) as seen:
        page, clicks = seen.page, Clicks(seen.page)
        page.goto("/runs/new")
        clicks.choose_file(file)
        expect(page.locator("#encoding")).to_have_value("CP949")
        expect(page.locator("table.first-rows")).to_contain_text("물이 몇 도에서 끓나요?")
        clicks.click("#judge-helpfulness")
        expect(page.locator("#column-question")).to_have_value("들어온 글")
        expect(page.locator("#column-answer")).to_have_value("나간 글")
        expect(page.locator("#column-id")).to_have_value("번호")
        clicks.choose("#column-answer", "나간 글")
        expect(page.locator("#part-start dl.figures dd").first).to_have_text("3")
        look_at(page, pictures, "new-run-columns", "ko-dark")
        clicks.click("#start")
        page.wait_for_url(_RUN)
        expect(page.locator(".pill.good").first).to_be_visible()
        assert clicks.count <= 6


def test_keys_alone_start_a_run_from_the_second_sheet(
    visit: Visit, filled: Filled, pictures: Path
) -> None:
    book = openpyxl.Workbook()
    for name in ("Notes", "Answers"):
        sheet = book.create_sheet(name)
        sheet.append(["question", "answer"] if name == "Answers" else ["note", "by"])
        sheet.append([f"How long does rice cook? {name}", "Ten minutes."])
    file = filled.folder / "two.xlsx"
    book.save(file)
    with visit(**LOOKS["vi-phone"]) as seen:
        page = seen.page
        page.goto("/runs/new?judge=helpfulness")
        expect(page.locator("#file-how")).to_contain_text("Tối đa 32 MB")
        page.locator("#file").set_input_files(file)
        page.locator("#table").focus()
        expect(page.locator("table.first-rows")).to_contain_text("cook? Notes")
        page.keyboard.press("ArrowDown")
        expect(page.locator("table.first-rows")).to_contain_text("cook? Answers")
        expect(page.locator("#table")).to_be_focused()
        look_at(page, pictures, "new-run-sheets", "vi-phone")
        page.locator("#start").focus()
        page.keyboard.press("Enter")
        page.wait_for_url(_RUN)


def test_what_is_wrong_is_said_where_it_is(
    visit: Visit, filled: Filled, model: ChatServer, pictures: Path
) -> None:
    """A file that is too large, before it is sent; columns that are not there, before the start;
    the progress of an upload. The language can be changed at any step."""
    large, slow = filled.folder / "large.csv", filled.folder / "slow.csv"
    with large.open("wb") as out:
        out.write(b"question,answer\n")
        out.truncate(33_000_000)
    rows = "\n".join(f"{n},{n + 1},{'12 ' * 5000}" for n in range(40))
    slow.write_text(f"id,question,number\n{rows}\n", "utf-8")
    with visit(**LOOKS["en-light"]) as seen:
        page = seen.page
        page.goto("/runs/new?judge=helpfulness")
        page.locator("#file").set_input_files(large)
        expect(page.locator("#problem")).to_contain_text("The file has 33 MB; at most 32 MB")
        look_at(page, pictures, "new-run-too-large", "en-light")
        page.evaluate(
            """() => {
              const shown = document.querySelector("#uploading");
              const seen = [];
              new MutationObserver(() => {
                if (!shown.hidden) seen.push(shown.textContent.trim());
                sessionStorage.setItem("seen", seen.join("|"));
              }).observe(shown, { attributes: true, subtree: true, childList: true });
            }"""
        )
        network = page.context.new_cdp_session(page)
        network.send("Network.enable")
        limits = {"offline": False, "latency": 0, "downloadThroughput": -1}
        limits["uploadThroughput"] = slow.stat().st_size  # bytes a second
        network.send("Network.emulateNetworkConditions", limits)
        with page.expect_navigation():
            page.locator("#file").set_input_files(slow)
        network.send("Network.disable")
        *parts, checking = str(page.evaluate("sessionStorage.getItem('seen')")).split("|")
        assert checking == "The data are being checked."
        assert any(re.fullmatch(r"[1-9]\d?% of the file sent", part) for part in parts), parts
        expect(page.locator("#column-answer")).to_have_attribute("aria-invalid", "true")
        expect(page.locator("#problem")).to_contain_text("answer")
        page.locator("#start").click()
        expect(page.locator("#problem")).to_contain_text("nothing was spent")
        page.locator("details.menu summary").click()
        page.get_by_role("link", name="한국어").click()
        expect(page.locator("html")).to_have_attribute("lang", "ko")
        expect(page.locator("#part-data h2")).to_contain_text("slow.csv")
    assert not any("12 12 12" in str(request) for request in model.asked)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("", "tệp trống; cần có ít nhất một dòng"),
        ("question,answer\n", "không có dòng nào; cần có ít nhất một dòng"),
    ],
)
def test_data_without_a_row_are_refused_at_once(visit: Visit, content: str, said: str) -> None:
    """There is nothing to choose about them."""
    with visit(**LOOKS["vi-phone"]) as seen:
        page = seen.page
        page.goto("/runs/new")
        empty = {"name": "a.csv", "mimeType": "text/csv", "buffer": content.encode()}
        page.locator("#file").set_input_files(empty)  # type: ignore[arg-type]
        expect(page.locator("#problem")).to_contain_text(f"a.csv: {said}")
        expect(page.locator("#drop")).to_be_visible()


def test_broken_lines_are_named_and_can_be_left_out(visit: Visit, pictures: Path) -> None:
    """In the reader's language, each with its number; then the rest becomes a run."""
    lines = b'{"question": "Why?", "answer": "So."}\n[1]\n{"question"\n'
    with visit(**LOOKS["ko-dark"]) as seen:
        page = seen.page
        page.goto("/runs/new?judge=helpfulness")
        broken = {"name": "b.jsonl", "mimeType": "text/plain", "buffer": lines}
        page.locator("#file").set_input_files(broken)  # type: ignore[arg-type]
        expect(page.locator("#part-data .warn")).to_have_text("잘못된 행 2개")
        page.locator("#start").click()
        told = page.locator("#problem")
        expect(told).to_contain_text("2번째 줄: 객체가 아니라 목록입니다. 한 줄에 {…} 하나씩")
        expect(told).to_contain_text("3번째 줄")
        look_at(page, pictures, "new-run-broken", "ko-dark")
        page.get_by_label("잘못된 행 건너뛰기").check()
        page.locator("#start").click()
        page.wait_for_url(_RUN)


def test_a_packed_file_is_dropped_and_what_it_takes_is_foreseen(
    browser: Browser, pictures: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The price of each model stands beside it; what is foreseen follows what is ticked."""
    rows = "".join(f"{n},Why does tea turn bitter?,It steeped {n} minutes.\n" for n in range(9))
    packed = gzip.compress(f"id,question,answer\n{rows}".encode())
    monkeypatch.setenv("OPENAI_API_KEY", "key-of-the-tests")
    models = ("openai/judge", "openai/gpt-4o-mini")  # nobody is asked
    options = ServeOptions(store=str(tmp_path / "store.db"), models=models)
    with (
        running_service(options) as running,
        chromium.watched(browser, running.url, **LOOKS["en-light"]) as seen,
    ):
        page = seen.page
        page.goto("/runs/new?judge=helpfulness")
        expect(page.locator("#file-how")).to_contain_text(".gz too")
        dropped = page.evaluate_handle(
            """bytes => {
              const data = new DataTransfer();
              data.items.add(new File([new Uint8Array(bytes)], "tea.csv.gz"));
              return data;
            }""",
            list(packed),
        )
        with page.expect_navigation():
            page.locator("#drop").dispatch_event("drop", {"dataTransfer": dropped})
        expect(page.locator("#part-data h2")).to_contain_text("tea.csv.gz 9 rows")
        foreseen = page.locator("#part-start dl.figures dd")
        expect(foreseen).to_have_text(["9", "not known", re.compile(r"\d s$")])
        expect(page.locator(".models")).to_contain_text(
            "$0.1500 in, $0.6000 out, per million tokens"
        )
        page.get_by_label("openai/gpt-4o-mini").check()
        expect(foreseen.first).to_have_text("18")
        page.get_by_label("openai/judge").uncheck()
        expect(foreseen).to_have_text(["9", re.compile(r"^\$0\.\d+$"), re.compile(r"\d s$")])
        page.get_by_label("openai/judge").check()
        expect(foreseen.first).to_have_text("18")
        page.locator("#part-start summary").click()
        page.locator("#limit").fill("2")
        page.locator("#limit").press("Tab")
        expect(foreseen.first).to_have_text("4")
        look_at(page, pictures, "new-run-foreseen", "en-light")
        # The wording of a judge is asked of those that are chosen.
        expect(page.locator("#wording-helpfulness")).to_be_visible()
        expect(page.locator("#wording-chatbot")).to_be_hidden()
        page.locator("#wording-helpfulness").focus()
        page.keyboard.press("ArrowDown")
        page.wait_for_url(re.compile("wording.helpfulness=helpfulness-ko"))
        expect(page.locator("#wording-helpfulness")).to_be_focused()


def test_a_run_without_any_answer_is_not_shown_as_finished(
    visit: Visit, filled: Filled, model: ChatServer, pictures: Path
) -> None:
    file = filled.folder / "errors.csv"
    file.write_text("id,question,answer\n1,Why is tea bitter?,It steeped.\n", "utf-8")
    answer, model.answer = model.answer, lambda _: fails(400, "no such model")
    try:
        with visit(**LOOKS["en-light"]) as seen:
            page = seen.page
            page.goto("/runs/new?judge=helpfulness")
            page.locator("#file").set_input_files(file)
            page.locator("#start").click()
            page.wait_for_url(_RUN)
            expect(page.locator(".pill.bad").first).to_be_visible()
            expect(page.locator(".head .pill.good")).to_have_count(0)
            expect(page.get_by_role("main")).to_contain_text("no such model")
            look_at(page, pictures, "run-no-answers", "en-light")
            model.answer = answer
            page.get_by_role("button", name="Ask again for the missing answers").click()
            expect(page.locator(".pill.good").first).to_be_visible()
    finally:
        model.answer = answer


def test_without_javascript_a_file_becomes_a_run(
    browser: Browser, url: str, filled: Filled
) -> None:
    """File, encoding, judge, columns, model and start; then the second sheet of a workbook."""
    table = "번호,들어온 글,나간 글\n1,물이 몇 도에서 끓나요?,100도에서 끓습니다.\n"
    file = filled.folder / "plain.csv"
    file.write_bytes(table.encode("cp949"))
    book = openpyxl.Workbook()
    for name in ("Notes", "Answers"):
        sheet = book.create_sheet(name)
        sheet.append(["question", "answer"])
        sheet.append([f"How long does rice cook? {name}", "Ten minutes."])
    sheets = filled.folder / "plain.xlsx"
    book.save(sheets)
    with chromium.visitor(browser, base_url=url, java_script_enabled=False) as bare:
        page = bare.new_page()
        _send_plainly(page, file)
        update = page.locator("#part-data").get_by_role("button", name="Update")
        page.locator("#encoding").select_option("UTF-16")
        update.click()
        expect(page.locator("#problem")).to_contain_text("cannot be read as utf-16")
        page.locator("#encoding").select_option("CP949")
        update.click()
        expect(page.locator("table.first-rows")).to_contain_text("물이 몇 도에서 끓나요?")
        page.locator("#judge-helpfulness").check()
        page.locator("#part-judge").get_by_role("button", name="Update").click()
        assert "csrf" not in page.url
        page.locator("#column-question").select_option("들어온 글")
        page.locator("#column-answer").select_option("번호")
        page.get_by_role("button", name="Update").last.click()
        expect(page.locator("#column-answer")).to_have_value("번호")
        page.locator("#column-answer").select_option("나간 글")
        page.get_by_label("openai/judge", exact=False).check()
        expect(page.locator("#part-start dl.figures dd").first).to_have_text("1")
        page.locator("#start").click()
        page.wait_for_url(_RUN)
        run = page.url.rpartition("/")[2]
        bare.request.get(f"/api/v1/runs/{run}/events")  # ends with the run
        page.reload()
        expect(page.locator(".pill.good").first).to_be_visible()
        _send_plainly(page, sheets)
        page.locator("#table").select_option("Answers")
        page.locator("#part-data").get_by_role("button", name="Update").click()
        expect(page.locator("table.first-rows")).to_contain_text("cook? Answers")
        page.locator("#start").click()
        expect(page.locator("#problem")).to_contain_text("Choose a judge.")
        expect(page.locator("table.first-rows")).to_contain_text("cook? Answers")


def _send_plainly(page: Page, file: Path) -> None:
    page.goto("/runs/new")
    page.locator("#file").set_input_files(file)
    page.locator("#next").click()
    expect(page.locator("#part-data h2")).to_contain_text(file.name)
