"""A value is what the model said: never the markup around it, and never how sure it is."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.reading import asked
from tests.unit.reading.asked import said

from adjudge.core.scale import Value

SCALES = [
    asked.FIVE, asked.ANY_TEN, asked.ZERO_ONE, asked.LEVELS, asked.YES_NO, asked.PAIR, asked.GATE,
    asked.CORRECT,
]  # fmt: skip
# What stands behind the three signs of a fence, a letter and a digit among it.
INFOS = [
    "", "json", "JSON5", "n", "y", "no", "yes", "true", "A", "B", "pass", "1", "3", "4 5",
    "python", "text", "yaml", "xml", "js {1}", "c++", "r", "tie", "excellent", "markdown",
]  # fmt: skip
PROGRAMS = {"", "json", "python", "text", "yaml", "xml", "markdown"}
# Texts without a value of any of the scales, as programs, data and pages are written.
CONTENTS = [
    "", " ", "print(1)", "return 3", "x = 4", '{"answer": "perhaps"}', '{"reason": "Short."}',
    "{}", "[]", "[1, 2, 3]", "import a", "<p>perhaps</p>", "- perhaps\n- later", "a: perhaps",
    "if x:\n    y = 1", "// 4 lines", '<div class="a">perhaps</div>', "$ ls -1", "...",
]  # fmt: skip
# Around nothing but words that say no value.
AROUND = [
    "```{info}\n{content}\n```", "~~~{info}\n{content}\n~~~",
    "Here it is:\n```{info}\n{content}\n```", "```{info}\n{content}", "{content}\n```",
    "```{info} {content}```",
]  # fmt: skip
PAGES = [
    "<h1></h1>", "<ol>\n<li>perhaps</li>\n</ol>", "<b>perhaps</b>",
    '<font size="4">perhaps</font>', "<td width=3>perhaps</td>", '<a href="yes.html">perhaps</a>',
    "<!-- 4 -->", "<br/>", "---\n---", "---\ntitle: perhaps\n---", "# perhaps", "1. perhaps",
    "1. perhaps\n2. later", "- [ ] perhaps", "- [x] perhaps", "| |\n| --- |\n| perhaps |",
    "[perhaps][1]", "![4](a.png)", "[1]: a.html", "perhaps[^1]", "&nbsp;", "<no/>", "<A></A>",
    "%YAML 1.2\n---\na: perhaps", '<?xml version="1.0"?><a>perhaps</a>',
    "\\begin{n}perhaps\\end{n}", "$x_1$",
]  # fmt: skip


@pytest.mark.parametrize("form", ["text", "json"])
@pytest.mark.parametrize("scale", SCALES)
def test_a_fence_is_no_value(scale: str, form: str) -> None:
    texts = [
        around.format(info=info, content=content)
        for around in AROUND
        for info in INFOS
        for content in CONTENTS
        if info in PROGRAMS or " {content}" not in around  # on one line it may as well be a value
    ]
    read = {text: said(scale, text, form=form) for text in texts}
    assert {text: value for text, value in read.items() if value is not None} == {}


@pytest.mark.parametrize("form", ["text", "json"])
@pytest.mark.parametrize("scale", SCALES)
def test_a_page_is_no_value(scale: str, form: str) -> None:
    read = {text: said(scale, text, form=form) for text in PAGES}
    assert {text: value for text, value in read.items() if value is not None} == {}


# How sure the judge is, as people name it; none of these keys or labels is a verdict.
CONFIDENCES = [
    "confidence", "confidence_score", "confidence_level", "Confidence Score", "score_confidence",
    "certainty", "certainty_score", "how_sure", "probability", "likelihood", "self_confidence",
    "verdict_confidence", "confidence_in_verdict", "model_confidence", "confidence_rating",
    "확신도", "신뢰도", "신뢰도 점수", "확신 점수", "độ tin cậy", "mức độ tin cậy",
    "điểm tin cậy", "độ chắc chắn", "置信度", "置信分数", "信心", "把握程度", "信頼度", "確信度",
    "自信度", "信頼度スコア", "Konfidenz", "Sicherheit", "Zuversicht", "Konfidenzwert",
    "confiance", "niveau de confiance", "score de confiance", "certitude", "confianza",
    "nivel de confianza", "puntuación de confianza", "certeza", "confiança", "nível de confiança",
    "pontuação de confiança",
]  # fmt: skip
SURE: dict[str, tuple[object, str, Value]] = {  # how sure it is, and the verdict beside it
    asked.FIVE: (4, "2", 2),
    asked.ANY_TEN: (9.5, "3", 3.0),
    asked.ZERO_ONE: (1, "0", 0),
    asked.LEVELS: (4, "2", 2),
    asked.YES_NO: (1, "no", False),
    asked.GATE: (1, "FAIL", "FAIL"),
}


@pytest.mark.parametrize("form", ["text", "json"])
@pytest.mark.parametrize("name", CONFIDENCES)
@pytest.mark.parametrize("scale", SURE)
def test_a_confidence_is_no_verdict(scale: str, name: str, form: str) -> None:
    sure, verdict, value = SURE[scale]
    alone = [
        json.dumps({name: sure}), json.dumps({"reason": "Short.", name: sure}), f"{name}: {sure}",
        f"**{name}**: {sure}", f"| {name} | {sure} |", f"Reason: short.\n{name}: {sure}",
    ]  # fmt: skip
    assert {
        text: read for text in alone if (read := said(scale, text, form=form)) is not None
    } == {}
    beside = [
        json.dumps({"verdict": verdict, name: sure}), json.dumps({name: sure, "score": verdict}),
        f"Score: {verdict}\n{name}: {sure}", f"{name}: {sure}\nScore: {verdict}",
        f"| Score | {verdict} |\n| {name} | {sure} |",
    ]  # fmt: skip
    assert {text: read for text in beside if (read := said(scale, text, form=form)) != value} == {}


@given(
    st.sampled_from(SCALES),
    st.sampled_from(INFOS),
    st.sampled_from(CONTENTS),
    st.sampled_from(PAGES),
)
def test_nor_are_several_of_them(scale: str, info: str, content: str, page: str) -> None:
    assert said(scale, f"{page}\n\n```{info}\n{content}\n```\n\nperhaps") is None
