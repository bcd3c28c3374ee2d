"""A judge is copied, written as form and as file, tried, saved and run; a prompt is imported."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect
from tests.servers import Answer, ChatServer, Turnstile, says

from .conftest import Visit
from .filled import Filled
from .test_pages import LOOKS, look_at


def _graded(body: Any) -> Answer:
    """One more for the wording that the test puts in."""
    rating = 4 if "reader of letters" in json.dumps(body) else 3
    said = {"evaluation": "It is clear and of real use.", "rude": False, "rating": rating}
    return says(json.dumps(said))


def test_from_a_copy_to_a_saved_version(
    visit: Visit, filled: Filled, model: ChatServer, monkeypatch: pytest.MonkeyPatch, pictures: Path
) -> None:
    turnstile = Turnstile(allowed=0)
    monkeypatch.setattr(model, "answer", lambda body: turnstile.by(_graded(body)))
    with visit(**LOOKS["en-light"]) as seen:
        page = seen.page
        seen.expected.add(422)
        page.goto("/judges/helpfulness")
        page.keyboard.press("e")
        file = page.locator("#text")
        expect(file).to_have_value(_with("judge: helpfulness-2\n"))
        # The file follows the form, and only where something was changed.
        page.locator("[name='set.title']").fill("Is it of use?")
        page.locator("[name='set.title']").press("Tab")
        expect(file).to_have_value(_with("\ntitle: Is it of use?\n"))
        expect(file).to_have_value(_with("Accuracy and factuality\n"))
        # The form follows the file; what is wrong is named with its line, which a key leads to.
        file.evaluate("box => { box.value = box.value.replace('language: en', 'language: 7'); }")
        file.press("End")
        file.press("Space")
        problem = page.locator(".to-line").first
        expect(problem).to_have_text("Line 4:")
        look_at(page, pictures, "judge-edit-wrong", "en-light")
        problem.focus()
        page.keyboard.press("Enter")
        chosen = "box => box.value.slice(box.selectionStart, box.selectionEnd)"
        assert str(file.evaluate(chosen)).startswith("language: 7")
        page.keyboard.type("language: en")
        expect(page.locator("#part-said")).to_contain_text("helpfulness-2")
        _entries_and_wording(page)
        page.locator("#run").select_option(filled.runs["first"])
        expect(page.locator("#item")).to_have_value("tea-00")
        page.get_by_role("button", name="Try on ten rows").click()
        # What is written while the model is asked does not keep its answers from being shown.
        file.evaluate("box => { box.value = box.value.replace('Of use?', 'Of some use?'); }")
        file.press("End")
        file.press("Space")
        expect(page.locator("[name='set.title']")).to_have_value("Of some use?")
        turnstile.allowed = 10**6
        tried = page.locator("#part-tried tbody tr")
        expect(tried).to_have_text([re.compile(r"^refund-00\s*3 → 4$"), *[re.compile("3 → 4")] * 9])
        expect(tried.first.get_by_role("link")).to_have_attribute(
            "href", re.compile("item.id=refund")
        )
        expect(page.locator("#part-tried")).to_contain_text("10 of 10")
        look_at(page, pictures, "judge-edit", "en-light")
        page.locator("#save").click()
        expect(page.locator("h1")).to_have_text("helpfulness-2")
        expect(page.get_by_role("status").first).to_contain_text("Saved as version 1")
        _next_version(page)


def _entries_and_wording(page: Page) -> None:
    """What is added or written in the form stands in the file and in the prompt of a row."""
    file, shown = page.locator("#text"), page.locator("#part-preview .quoted").first
    # Entries are added and taken away; the prompt is that of a row.
    page.get_by_role("button", name="Add a criterion").click()
    expect(file).to_have_value(_with("new_criterion:"))
    page.get_by_role("button", name="Remove new_criterion").click()
    expect(file).not_to_have_value(_with("new_criterion:"))
    page.get_by_role("button", name="Add a rule").click()
    expect(file).to_have_value(_with("flag: rating.new_flag"))
    page.locator("[data-section=rules] > summary").press("Enter")
    flag = page.locator("[name='set.rules/0/flag']")
    flag.fill("rating.rude")
    flag.press("Tab")
    expect(shown).to_contain_text('"rude": <true or false>')
    page.get_by_role("button", name="Add an example").click()
    expect(file).to_have_value(_with("examples:\n"))
    expect(page.locator("[data-section=examples]")).to_be_attached()
    expect(shown).to_contain_text("assessor of answers")
    page.locator("[data-section=system] > summary").press("Enter")
    wording = page.locator("[name='set.system']")
    wording.fill(wording.input_value().replace("assessor of answers", "reader of letters"))
    wording.press("Tab")
    expect(shown).to_contain_text("reader of letters")
    file.evaluate("box => { box.value = box.value.replace('Is it of use?', 'Of use?'); }")
    file.press("End")
    file.press("Space")
    expect(page.locator("[name='set.title']")).to_have_value("Of use?")


def _next_version(page: Page) -> None:
    """What was saved can be edited in its place and run; a second tab overwrites nothing unsaid."""
    file, wording = page.locator("#text"), page.locator("[name='set.system']")
    runs = [_run(page)]
    late = page.context.new_page()
    late.goto("/judges/helpfulness-2/edit")
    page.keyboard.press("e")
    page.locator("[data-section=system] > summary").press("Enter")
    wording.fill(wording.input_value().replace("reader of letters", "critic of letters"))
    page.locator("[name='set.title']").fill("Is it of any use?")
    page.locator("#text").focus()
    expect(file).to_have_value(_with("\ntitle: Is it of any use?\n"))
    page.locator("#save").click()
    expect(page.get_by_role("status").first).to_contain_text("Saved as version 2")
    runs.append(_run(page))
    late.locator("[name='set.title']").fill("Mine")
    late.locator("[name='set.title']").press("Tab")
    expect(late.locator("#text")).to_have_value(_with("\ntitle: Mine\n"))
    late.locator("#save").click()
    expect(late.get_by_role("alert")).to_contain_text("Somebody has saved")
    expect(late.locator("#text")).to_have_value(_with("\ntitle: Mine\n"))
    late.close()
    page.keyboard.press("r")
    expect(page.locator("#sending input[name=judge]")).to_have_value("helpfulness-2")
    # How the two versions ask, from the comparison of their runs.
    page.goto("/compare?a={}&b={}".format(*runs))
    page.get_by_role("link", name="How the prompts differ").click()
    expect(page.locator(".difference del")).to_contain_text("reader of letters")
    expect(page.locator(".difference ins")).to_contain_text("critic of letters")


def _run(page: Page) -> str:
    """Of the judge as it is saved now, to its end."""
    rows = [{"id": "1", "question": "How long does tea steep?", "answer": "Three minutes."}]
    sent = page.request.post("/api/v1/runs", data={"judges": ["helpfulness-2"], "rows": rows})
    run = str(sent.json()["run"])
    page.request.get(f"/api/v1/runs/{run}/events")  # ends with the run
    return run


def test_a_prompt_is_imported_and_its_doubts_are_asked(visit: Visit, pictures: Path) -> None:
    with visit(**LOOKS["ko-dark"]) as seen:
        page = seen.page
        page.goto("/judges")
        page.keyboard.press("i")
        page.locator("#name").fill("my-judge")
        page.locator("#prompt").fill("Rate the answer.\n\nQuestion: {question}\nAnswer: {answer}\n")
        page.get_by_role("button", name="가져오기").click()
        expect(page.locator("#answer")).to_have_attribute("name", "set.scale")
        look_at(page, pictures, "judge-import-asks", "ko-dark")
        page.keyboard.type("1-5")
        page.keyboard.press("Enter")
        expect(page.locator(".findings")).to_contain_text("프롬프트와 같은 언어")
        expect(page.locator(".findings")).to_contain_text("텍스트. JSON을 요구하지 않습니다.")
        expect(page.locator("#text")).to_have_value(_with("judge: my-judge\n"))
        expect(page.locator("#part-preview")).to_contain_text("Rate the answer.")
        look_at(page, pictures, "judge-edit-imported", "ko-dark")
    with visit(**LOOKS["vi-phone"]) as seen:
        seen.page.goto("/judges/chatbot/edit")
        look_at(seen.page, pictures, "judge-edit", "vi-phone")
        _of_several(seen.page, pictures)


def _of_several(page: Page, pictures: Path) -> None:
    """JSON lines with a prompt in each: one is asked for by name, in words of the page."""
    page.goto("/judges/import")
    page.locator("#name").fill("of-several")
    prompt = "Rate the answer from 1 to 5.\n\nQuestion: {question}\nAnswer: {answer}\n"
    lines = ({"name": name, "prompt_template": f"{name}. {prompt}"} for name in ("short", "long"))
    page.locator("#prompt").fill("\n".join(map(json.dumps, lines)))
    page.locator("form.card button").last.click()
    expect(page.locator("#answer")).to_have_attribute("name", "set.pick")
    expect(page.locator("#question")).to_contain_text("Hãy ghi một tên vào “Tên prompt”: short")
    look_at(page, pictures, "judge-import-asks", "vi-phone")
    page.locator("#answer").fill("long")
    page.locator("#answer").press("Enter")
    expect(page.locator("#part-preview")).to_contain_text("long. Rate the answer from 1 to 5.")
    look_at(page, pictures, "judge-edit-imported", "vi-phone")


def _with(part: str) -> re.Pattern[str]:
    return re.compile(re.escape(part))
