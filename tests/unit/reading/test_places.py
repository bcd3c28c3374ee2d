"""Every reading keeps the span it was read from."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from adjudge.core.judge import Judge
from adjudge.core.reply import Reply
from adjudge.reading import Reading
from adjudge.reading.read import read

Read = Callable[..., Reading]


@pytest.mark.parametrize(
    ("text", "there"),
    [
        ("Score: 4", "4"),
        ("<think>Score: 1</think>\nFine.\nScore: **4**", "**4**"),
        ("My rating: [[4]]", "4"),
        ("4", "4"),
        ("So I would give it a score of 4.", "4"),
        ("Long. " * 3000 + "So I would give it a score of 4.", "4"),
        ("| Aspect | Score | Why |\n| --- | --- | --- |\n| Politeness | 4 | calm |", "4"),
        ('{"explanation": "a 5?", "insult": false, "politeness": 4}', "4"),
        ('{"politeness": {"score": "4/5"}, "insult": false}', '"4/5"'),
        ('{"politeness": 4.00, "insult": false}', "4.00"),
        ('[{"criterion": "politeness", "score": 4}]', "4"),
    ],
)
def test_the_span_shows_what_was_read(text: str, there: str, politeness: Judge) -> None:
    found = read(politeness, ("politeness",), Reply(text=text)).scores["politeness"]
    assert found.value == 4
    assert found.span is not None
    assert text[slice(*found.span)] == there


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("""{"explanation": "I write 'politeness': 4", "politeness": """, "}"),
        (r"""{"explanation": "I write \"politeness\": 4", "politeness": """, "}"),
        ('{"politeness": 4, "politeness": ', "}"),
        ('{"note": {"politeness": "calm"}, "politeness": ', "}"),
        ('{"politeness": {"details": {"score": 4}, "score": ', "}}"),
        ('<think>{"politeness": 4}</think>{"politeness": ', "}"),
        ('{"scores": [{"name": "rest", "score": 4}, {"score": ', ', "name": "politeness"}]}'),
    ],
)
def test_of_places_that_look_alike_the_span_shows_the_own(
    before: str, after: str, politeness: Judge
) -> None:
    text = f"{before}4{after}"
    found = read(politeness, ("politeness",), Reply(text=text)).scores["politeness"]
    assert (found.value, found.span) == (4, (len(before), len(before) + 1))


def test_a_table_gives_scores_and_explanations(read_as: Read) -> None:
    text = """
| Tiêu chí | Điểm | Nhận xét |
|---|---|---|
| Giọng điệu | 8,5 | Thân thiện, lịch sự. |
| Mức độ phù hợp | 9/10 | Đúng trọng tâm. |
"""
    reading = read_as("chatbot", text, "relevance", "tone")
    assert [reading.scores[name].value for name in ("relevance", "tone")] == [9.0, 8.5]
    assert reading.scores["tone"].explanation == "Thân thiện, lịch sự."


@pytest.mark.parametrize(
    ("label", "criterion"),
    [
        ("사실성", "factuality"),
        ("정확성", "accuracy"),
        ("Tính mạch lạc", "coherence"),
        ("流畅性", "fluency"),
    ],
)
def test_translations_of_a_title_are_understood(label: str, criterion: str, read_as: Read) -> None:
    reading = read_as(
        "gptscore", f"- **{label}**: 4점\n", "factuality", "accuracy", "coherence", "fluency"
    )
    assert reading.scores[criterion].value == 4
    assert sum(found.value is not None for found in reading.scores.values()) == 1


@pytest.mark.parametrize("text", ["四", "四分", "评分：四分", "４点"])
def test_numerals_of_chinese_and_japanese(text: str, politeness: Judge) -> None:
    assert read(politeness, ("politeness",), Reply(text=text)).scores["politeness"].value == 4
