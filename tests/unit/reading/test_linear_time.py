"""Reading takes time in proportion to a reply's length, whatever the reply consists of.

Measured as a ratio, so that it holds on any machine: eight times the text may take eight times as
long, with room for noise; where time grows with the square it takes 64 times as long. The figures
themselves are printed by bench/reading.py.
"""

from __future__ import annotations

import time

import pytest
from tests.unit.reading.asked import FIVE, LEVELS, PAIR, judge_of

from adjudge.core.judge import Judge
from adjudge.core.reply import Reply
from adjudge.reading import wrong_language
from adjudge.reading.read import read

SMALL, LARGE = 6_250, 50_000
# Linear is 8. Below the floor both take no time worth a ratio.
MOST_TIMES, FLOOR_SECONDS = 24, 0.02
TRIES = 3  # noise only ever adds, so what is linear once is linear
NINE = ("tone", *(f"c{number}" for number in range(8)))
JUDGES = {
    "a grade": judge_of(FIVE),
    "a choice": judge_of(PAIR),
    "nine levels, JSON": judge_of(LEVELS, form="json", criteria=NINE),
}
PIECES = [
    "9", "1,", "4/5 ", "Score: 4\n", "Score: x\n", "score of 4 ", "4점을 주", "give 4 ", "4 stars ",
    "[[", "[[4]] ", "[[a", "{", '{"a":', '{"', "{'", '{"score": 4}\n', "```", "<think>", "<score>",
    "**", "_", "#", "| tone | 4 |\n", "| ", " ", "\n", "\t", "\\", '"', "'", "“", "(", "not ",
    "between 3 and 4 ", "3到4之间", "A is better. ", "Assistant A ", "Therefore, Assistant A's ",
    "1. a\n", "- ", '"score": 4, ', "tone: good\n", "four ", "Wait, ", "\u200b", "가", "四分",
    "The answer is clear, though it misses a point. ", "이 답변은 명확하지만 부족합니다. ",
]  # fmt: skip


def _seconds(judge: Judge, text: str) -> float:
    began = time.process_time()
    read(judge, tuple(judge.rubric.criteria), Reply(text=text))
    return time.process_time() - began


def _is_linear(judge: Judge, small: str, large: str) -> bool:
    for _ in range(TRIES):
        seconds = _seconds(judge, large)
        if seconds <= FLOOR_SECONDS:
            return True
        if seconds < MOST_TIMES * max(_seconds(judge, small), FLOOR_SECONDS / 8):
            return True
    return False


def _repeated(piece: str, size: int) -> str:
    return piece * (size // len(piece))


@pytest.mark.parametrize("judge", JUDGES.values(), ids=list(JUDGES))
@pytest.mark.parametrize("piece", PIECES)
def test_of_one_piece_over_and_over(piece: str, judge: Judge) -> None:
    assert _is_linear(judge, _repeated(piece, SMALL), _repeated(piece, LARGE))


@pytest.mark.parametrize("judge", JUDGES.values(), ids=list(JUDGES))
@pytest.mark.parametrize(
    ("begin", "piece", "end"),
    [
        ('{"explanation": "', "word ", '", "score": 4}'),
        ('{"explanation": "', "two\nlines ", '", "score": 4,}'),
        ('{"explanation": "', 'said "x" and ', '", "score": 4}'),
        ('{"explanation": "', "word ", ""),
        ("{ ", "prose, more: yes. ", "}"),
        ('{"score": ', "[", ""),
        ('{"score": ', "9", "}"),
        ("Score: ", "9", ""),
        ("Score: ", " ", "4"),
        ("Score: 4\n", "prose ", "."),
        ("4", " ", "x"),
        ("[[", " ", "4]]"),
        ("| tone ", "| a ", "|\n"),
        ("", "(", ": 4"),
    ],
)
def test_of_a_reply_with_a_long_middle(begin: str, piece: str, end: str, judge: Judge) -> None:
    small, large = (begin + _repeated(piece, size) + end for size in (SMALL, LARGE))
    assert _is_linear(judge, small, large)


@pytest.mark.parametrize("piece", ["“", '"', "`", "'a ", "Dies ist ein Satz. ", "가 ", "x"])
def test_of_the_language_of_an_explanation(piece: str) -> None:
    """Only so much of a text is looked at."""
    began = time.process_time()
    wrong_language(_repeated(piece, SMALL), "en")
    small = time.process_time() - began
    began = time.process_time()
    wrong_language(_repeated(piece, 80 * SMALL), "en")
    assert time.process_time() - began < MOST_TIMES * max(small, FLOOR_SECONDS)
