"""The wordings of a built-in judge ask the same: inputs, criteria, scales, rules and feedback."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from adjudge.core.item import Item
from adjudge.core.judge import Judge
from adjudge.core.scale import Ordinal
from adjudge.judges import registry
from adjudge.judges.render import Renderer

LANGUAGES = ("en", "ko", "vi")
WORDED = [name for name in registry.names() if name != "preference"]
LATER = [name for name in WORDED if name not in {"helpfulness", "chatbot", "gptscore"}]
LETTERS = {
    "ko": re.compile("[가-힣]"),
    "vi": re.compile("[ơưđạảấầậắặếềểệốồộớờợứừựỳ]"),
    "en": re.compile("[a-z]"),
}


def shape(judge: Judge) -> list[object]:
    """All that does not depend on the language."""
    criteria = [
        replace(c, title="", guide="", scale=plain(c.scale), steps=("",) if c.steps else ())
        if c.checklist is None
        else replace(c, title="", guide="", checklist=None, weight=len(c.checklist.questions))
        for c in judge.rubric.criteria.values()
    ]
    return [
        [replace(spec, title="") for spec in judge.inputs.values()],
        criteria,
        [replace(rule, when="") for rule in judge.rubric.rules],
        [replace(section, title="", guide="") for section in judge.feedback.values()],
        judge.prepare,
        judge.ask,
        judge.reply,
    ]


def plain(scale: object) -> object:
    return tuple(scale.levels) if isinstance(scale, Ordinal) else scale


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", WORDED)
def test_every_judge_is_there_in_every_language(name: str, language: str) -> None:
    judge = registry.get(f"{name}/{language}")
    own = registry.get(name)
    assert judge.language == language
    assert judge.name == (name if own.language == language else f"{name}-{language}")
    assert shape(judge) == shape(own)
    texts = [judge.title, *(c.title + c.guide for c in judge.rubric.criteria.values())]
    assert all(LETTERS[language].search(text) for text in texts if text)


def test_the_language_that_a_judge_had_first_is_its_default() -> None:
    own = {name: registry.get(name).language for name in ("helpfulness", "chatbot", "gptscore")}
    assert own == {"helpfulness": "en", "chatbot": "vi", "gptscore": "en"}


@pytest.mark.parametrize("name", LATER)
def test_explanations_follow_the_data(name: str) -> None:
    assert registry.get(name).explain_in == "data"


TEXTS = {
    "en": "What is the fee for a new card, and when is it due?",
    "ko": "새 카드의 수수료는 얼마이고 언제까지 내야 하나요?",
    "vi": "Phí cấp thẻ mới là bao nhiêu và phải nộp khi nào?",
    "fr": "Quels sont les frais pour une nouvelle carte, et quand faut-il les payer ?",
}


@pytest.mark.parametrize(
    ("language", "named"),
    [("en", "English"), ("ko", "Korean"), ("vi", "Vietnamese"), ("fr", "French")],
)
def test_the_language_of_an_item_is_asked_for(language: str, named: str) -> None:
    judge = registry.get("answer_relevance")
    item = Item("1", {"question": TEXTS[language], "answer": "40"})
    (prompt,) = Renderer(judge, b"s").prompts(item)
    assert prompt.explain_in == language
    assert f"written in {named}" in prompt.messages[0].content


def test_where_no_text_tells_it_is_the_judges_own() -> None:
    judge = registry.get("answer_relevance/ko")
    (prompt,) = Renderer(judge, b"s").prompts(Item("1", {"question": "1 + 1", "answer": "2"}))
    assert prompt.explain_in == "ko"


def test_a_language_that_was_asked_for_goes_before_the_data() -> None:
    judge = replace(registry.get("answer_relevance"), explain_in="vi")
    (prompt,) = Renderer(judge, b"s").prompts(Item("1", {"question": TEXTS["ko"], "answer": "40"}))
    assert prompt.explain_in is None
    assert "written in Vietnamese" in prompt.messages[0].content
