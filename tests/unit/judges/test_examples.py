"""Graded examples: shown in order or the nearest, never for themselves, checked when loaded."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import replace

import pytest

from adjudge.core.item import Item
from adjudge.core.judge import GradedExample, Judge
from adjudge.judges import registry
from adjudge.judges.examples import ExampleChooser, terms
from adjudge.judges.render import Renderer

Load = Callable[..., Judge]
Refusal = Callable[..., str]

EXAMPLES = """\
examples:
  - item: {question: "How do I pay?", answer: Use the form.}
    scores: {politeness: 4}
    explanations: {politeness: It is friendly.}
  - item: {question: "Where is my card?", answer: Find out yourself.}
    scores: {politeness: 1}
reply: text
"""
WITH = ("reply: text\n", EXAMPLES)
NEAREST = ("reply: text\n", f"nearest: 1\n{EXAMPLES}")


def messages(judge: Judge, fields: Mapping[str, str]) -> tuple[str, str]:
    made = Renderer(judge, b"s").prompts(Item("1", fields))[0]
    system, user = made.messages
    return system.content, user.content


def example(question: str, answer: str = "x") -> GradedExample:
    return GradedExample(item={"question": question, "answer": answer}, scores={"politeness": 3})


def chosen(judge: Judge, question: str, *questions: str) -> list[int]:
    examples = tuple(map(example, questions))
    chooser = ExampleChooser(replace(judge, examples=examples, nearest=len(examples)))
    return list(chooser.choose({"question": question, "answer": "x"}))


def test_all_stand_in_their_order_in_the_system_message(load: Load) -> None:
    judge = load(WITH)
    mark = Renderer(judge, b"s").mark
    system, user = messages(judge, {"question": "q", "answer": "a"})
    shown = (
        f"Example 1\n\nQuestion:\nHow do I pay?\n\n"
        f"Answer:\n<<<answer {mark}\nUse the form.\nanswer {mark}>>>\n\n"
        "The right reply:\nExplanation: It is friendly.\nScore: 4\n\n"
        "Example 2\n\nQuestion:\nWhere is my card?\n\n"
        f"Answer:\n<<<answer {mark}\nFind out yourself.\nanswer {mark}>>>\n\n"
        "The right reply:\nScore: 1"
    )
    assert system.endswith(shown)
    assert "pay" not in user


def test_an_example_is_never_shown_for_itself(load: Load) -> None:
    judge = load(WITH)
    system, _ = messages(judge, {"question": "How do I pay? ", "answer": "Use the form."})
    assert "Example 1\n\nQuestion:\nWhere is my card?" in system
    assert "How do I pay?" not in system
    system, _ = messages(judge, {"question": "How do I pay?", "answer": "Another answer."})
    assert "How do I pay?" in system


def test_the_nearest_stand_before_the_item_and_leave_the_system_message_alone(load: Load) -> None:
    judge = load(NEAREST)
    cards = messages(judge, {"question": "My card is lost", "answer": "a"})
    pays = messages(judge, {"question": "Can I pay later?", "answer": "a"})
    assert cards[0] == pays[0]
    assert "Where is my card?" in cards[1]
    assert "How do I pay?" not in cards[1]
    assert pays[1].index("How do I pay?") < pays[1].index("Can I pay later?")
    itself = messages(judge, {"question": "Where is my card?", "answer": "Find out yourself."})
    assert "How do I pay?" in itself[1]


def test_a_template_may_say_where_they_stand(load: Load) -> None:
    judge = load(WITH, ("Look at this.", "Look: {{ graded_examples }} END"))
    system, user = messages(judge, {"question": "q", "answer": "a"})
    assert "How do I pay?" not in system
    assert user.index("Look: These items") < user.index("How do I pay?") < user.index("END")


def test_the_reply_has_the_form_that_is_asked_for(load: Load) -> None:
    judge = load(WITH)
    system, _ = messages(replace(judge, reply="json"), {"question": "q", "answer": "a"})
    reply = json.dumps({"explanation": "It is friendly.", "politeness": 4})
    assert f"The right reply:\n{reply}\n" in system
    first = replace(judge, reply="json", score_first=True)
    reply = json.dumps({"politeness": 4, "explanation": "It is friendly."})
    assert f"The right reply:\n{reply}\n" in messages(first, {"question": "q", "answer": "a"})[0]
    chatbot = registry.get("chatbot")
    item = {"question": "q", "reference": "r", "answer": "a"}
    graded = GradedExample(
        item=item, scores={"tone": 9.5, "clarity": 8.0}, explanations={"tone": "Tốt."}
    )
    system, _ = messages(replace(chatbot, examples=(graded,)), item | {"answer": "b"})
    reply = '{"clarity": {"score": 8.0}, "tone": {"explanation": "Tốt.", "score": 9.5}}'
    assert system.endswith(f"Câu trả lời đúng:\n{reply}")


def test_a_section_that_explains_is_where_the_explanation_stands() -> None:
    item = {"question": "q", "answer_a": "a", "answer_b": "b"}
    graded = GradedExample(
        item=item, scores={"winner": "a"}, explanations={"winner": "It is right."}
    )
    judge = replace(registry.get("preference"), examples=(graded,), score_first=False)
    system, _ = messages(judge, item | {"answer_a": "other"})
    assert system.endswith('{"reasons": ["It is right."], "winner": "a"}')


def test_only_scores_that_are_asked_for_are_shown() -> None:
    item = {"source": "s", "response": "r"}
    graded = GradedExample(item=item, scores={"fluency": 4})
    judge = replace(registry.get("gptscore"), examples=(graded,))
    made = Renderer(judge, b"s").prompts(Item("1", item | {"response": "x"}))
    assert {p.criterion for p in made if "Example 1" in p.messages[0].content} == {"fluency"}


@pytest.mark.parametrize(
    ("question", "others", "nearest"),
    [
        ("환불은 언제 받을 수 있나요?", ("카드 분실 신고", "환불 기간 안내", "영업시간"), 1),
        ("Thủ tục cấp lại thẻ", ("Giờ mở cửa", "Phí thường niên", "Cấp lại thẻ mất bao lâu?"), 2),
        ("退款需要多少天", ("营业时间是什么", "如何申请退款", "密码忘记了"), 1),
        ("返金はいつですか", ("営業時間", "パスワード", "返金の期限について"), 2),
        ("How long do REFUNDS take?", ("opening hours", "lost card", "when are refunds made"), 2),
    ],
)
def test_what_is_near_in_several_scripts(
    load: Load, question: str, others: tuple[str, ...], nearest: int
) -> None:
    assert chosen(load(), question, *others)[0] == nearest


def test_decomposed_letters_are_the_same_letters(load: Load) -> None:
    assert chosen(load(), "Ca\u0302\u0301p lại", "Giờ mở cửa", "Cấp lại thẻ")[0] == 1


def test_equals_keep_their_order(load: Load) -> None:
    assert chosen(load(), "unlike", "alpha", "beta", "gamma") == [0, 1, 2]


def test_words_and_pairs() -> None:
    assert terms("Refund 환불은 返金 x1") == ["refund", "환불", "불은", "返金", "x1"]
    assert terms("카 AI가") == ["카", "ai", "가"]


def test_they_are_in_the_fingerprint(load: Load) -> None:
    known = {load().fingerprint, load(WITH).fingerprint, load(NEAREST).fingerprint}
    known.add(load(WITH, ("politeness: 4}", "politeness: 5}")).fingerprint)
    assert len(known) == 4


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("politeness: 4}", "politeness: 9}", "examples.0.scores.politeness: not on the scale"),
        ("politeness: 4}", "rudeness: 4}", "examples.0.scores.rudeness: there is no criterion"),
        ("politeness: 4}", "politeness: [4]}", "examples.0.scores.politeness: must be"),
        ('{question: "How do I pay?", ', "{", "examples.0.item: the example has no question"),
        (
            '{question: "How',
            '{quest: x, question: "How',
            "examples.0.item.quest: there is no input",
        ),
        ("scores: {politeness: 4}", "scores: {}", "examples.0.scores: "),
        ("{politeness: It", "{tone: It", "an explanation of tone, but no score of it"),
        (
            "reply: text\n",
            "reply: text\nverbatim: true\n",
            "a verbatim prompt is sent as it stands",
        ),
    ],
)
def test_what_is_wrong_is_said_when_the_file_is_loaded(
    refusal: Refusal, old: str, new: str, said: str
) -> None:
    assert said in refusal(WITH, (old, new))


def test_nearest_needs_examples(refusal: Refusal) -> None:
    assert "nearest: there are no examples" in refusal(("reply: text\n", "nearest: 2\n"))
