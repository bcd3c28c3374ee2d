from __future__ import annotations

import pytest

from adjudge.judges.importing.naming import label_before, slug, unique


@pytest.mark.parametrize(
    ("words", "name"),
    [
        ("Agent Answer:", "agent_answer"),
        ("**Total Rating** (1-4)", "total_rating"),
        ("Câu hỏi", "cau_hoi"),
        ("Điểm", "diem"),
        ("질문", "question"),
        ("参考答案：", "reference"),
        ("Assistant's answer", "assistant_answer"),
        ("Ｑｕｅｓｔｉｏｎ", "question"),
        ("2nd answer", "input_2nd_answer"),
        ("알 수 없음", "input"),
        ("(only brackets)", "only_brackets"),
    ],
)
def test_slug(words: str, name: str) -> None:
    assert slug(words, fallback="input") == name


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("Question: %s", "Question"),
        ("Here is it. Focus: %s", "Focus"),
        ("[The Start of Assistant's Answer]\n%s", "Assistant's Answer"),
        ("### The question:\n\n%s", "question"),
        ("1. **Answer**: %s", "Answer"),
        ("질문：%s", "질문"),
        ("This sentence is far too long to be a label\n%s", ""),
        ("%s", ""),
    ],
)
def test_the_label_before_a_placeholder(text: str, label: str) -> None:
    assert label_before(text, text.index("%s")) == label


def test_unique() -> None:
    assert unique("a", ["a", "a_2"]) == "a_3"
