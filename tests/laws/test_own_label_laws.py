"""A label that the judge's prompt names is read in every dress that models give it."""

from __future__ import annotations

import json
from functools import cache
from itertools import product

import pytest
from tests.unit.reading import asked

from adjudge.core.judge import Judge
from adjudge.core.reply import Reply
from adjudge.core.scale import Value
from adjudge.judges.load import load_text
from adjudge.reading.read import read

LABELS = [
    "选择", "结果", "最终得分", "结论", "결과", "점수", "최종 판정", "평가", "veredicto",
    "Puntuación", "Nota", "correct", "Điểm số", "Kết quả", "Đánh giá", "評価", "判定", "採点",
    "Bewertung", "Punktzahl", "Note", "Urteil", "Nota final", "Pontuação", "Note finale", "Score",
    "Overall Score", "Grade", "format_correctness", "Is it grounded?", "Zwischenstand",
    "마지막 한마디", "phrase finale",
]  # fmt: skip
# What the prompts show, and what models make of it.
DRESSES = [
    "{label}: {value}", "{label}：{value}", "{label} : {value}", "{label}:{value}",
    "**{label}**: {value}", "**{label}:** {value}", "**{label}: {value}**",
    "**{label}：**{value}", "*{label}*: {value}", "- {label}: {value}", "- **{label}**: {value}",
    "* **{label}：** {value}", "1. {label}: {value}", "### {label}: {value}",
    "### {label}\n{value}", "## {label}\n\n**{value}**", "**{label}**\n{value}",
    "【{label}】{value}", "【{label}】：{value}", "**【{label}】** {value}",
    "【{label}】\n{value}", "{label}: **{value}**", "{label}: [{value}]", "{label}: [[{value}]]",
    "{label}: `{value}`", '{label}: "{value}"', "{label}: 「{value}」", "{label} = {value}",
    "{label} → {value}", "| {label} | {value} |", "| {label} | **{value}** |",
    "| {label} |\n| --- |\n| {value} |", "It greets and thanks.\n\n{label}: {value}",
    "{label}: {value}\n\nIt greets and thanks.", "> It greets.\n\n{label}: {value}.",
    "{label}: {value} (it greets)", "{label}: {value} - it greets", "```\n{label}: {value}\n```",
    "---\n{label}: {value}\n---", "\ufeff{label}: {value}\r\n",
]  # fmt: skip
VALUES: dict[str, list[tuple[str, Value]]] = {
    asked.FIVE: [("4", 4), ("４", 4), ("4/5", 4)],
    asked.ANY_TEN: [("7.5", 7.5), ("10", 10.0)],
    asked.YES_NO: [("yes", True), ("No", False)],
    asked.PAIR: [("A", "A"), ("tie", "tie")],
    asked.GATE: [("PASS", "PASS"), ("fail", "FAIL")],
}


@cache
def judge_of(label: str, scale: str, form: str) -> Judge:
    return load_text(
        "judge: asked\nversion: 1\ntitle: How is it?\nlanguage: en\nexplain_in: any\n"
        f"reply: {form}\ninputs:\n  answer: {{judged: true}}\n"
        f"criteria:\n  c_1: {{title: {json.dumps(label)}, guide: How good, scale: {scale}}}\n",
        "asked.yaml",
    )


def said(label: str, scale: str, text: str, form: str = "text") -> Value | None:
    return read(judge_of(label, scale, form), ("c_1",), Reply(text=text)).scores["c_1"].value


@pytest.mark.parametrize("form", ["text", "json"])
@pytest.mark.parametrize("scale", VALUES)
def test_in_every_dress(scale: str, form: str) -> None:
    missed = {}
    for label, dress, (written, value) in product(LABELS, DRESSES, VALUES[scale]):
        text = dress.format(label=label, value=written)
        if (found := said(label, scale, text, form)) != value:
            missed[text] = found
    assert missed == {}


TAGS = ["score", "rating", "veredicto", "점수", "评分", "điểm", "bewertung"]


@pytest.mark.parametrize("scale", VALUES)
def test_as_a_tag(scale: str) -> None:
    for tag, (written, value) in product(TAGS, VALUES[scale]):
        for text in (f"<{tag}>{written}</{tag}>", f"It greets.\n<{tag}>\n{written}\n</{tag}>\n"):
            assert said(tag, scale, text) == value, text


@pytest.mark.parametrize("scale", VALUES)
def test_as_a_key(scale: str) -> None:
    for label, (written, value) in product(LABELS, VALUES[scale]):
        for obj in ({label: written}, {"reason": "It greets.", label: written}):
            fenced = f"```json\n{json.dumps(obj, ensure_ascii=False)}\n```"
            for text in (json.dumps(obj), fenced, f"Here it is:\n{fenced}"):
                assert said(label, scale, text, "json") == value, text
