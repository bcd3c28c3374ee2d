"""Whatever a model writes, reading neither fails nor invents a value."""

from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st
from tests.unit.reading import asked

from adjudge.core.judge import Judge
from adjudge.core.reply import Finish, Reply
from adjudge.core.scale import NotAValue, Scale
from adjudge.core.score import Outcome
from adjudge.judges import registry
from adjudge.judges.agent_trace import cut_trace
from adjudge.reading.judged_text import judged_texts
from adjudge.reading.labelled.brackets import as_option
from adjudge.reading.read import read
from adjudge.reading.readings import CriterionReading, ScorePlace
from adjudge.reading.reasoning import without_reasoning
from adjudge.reading.steps import steps
from adjudge.reading.values import parse_value

# The reader's own vocabulary, in the order of its files, and what surrounds it.
PIECES = st.sampled_from(
    ["{", "}", "[", "]", '"rating"', '"quality"', '"score"', ":", " 3", "9", ",", "\n", "\n\n",
     " ", ". ", "Score: 4", "Score: ", "Rating:\n", "**", "[[", "]]", "[[4]]", "[[A>>B]]",
     "[[C]]", "\\boxed{4}", "<think>", "</think>", "<score>", "</score>", "```json\n", "```",
     "> ", "quality: ", "| quality | 4 |\n", "accuracy", "tone: 7,5", "| tone | 7 |",
     "점수: 4점", "nan", "1e999", "null", "true", "I'm sorry", "\ud7ff", "Điểm", "-", "/10",
     "/5", "# Tone", "I give it a 4", "I would rate it ", "a score of 3", "between 3 and 4",
     "3~4점", "not a 5", "if it", "would get a 5", "4 out of 5", "four", "Three stars",
     "5점 만점에 3점", "5点満点中4点", "满分5分，得4分", "评分", "四分", "giữa 3 và 4",
     "zwischen 3 und 4", "Output (b)", "Assistant A is better", "A is better", "it's a tie",
     "in tone", "Therefore, Assistant B", " is more helpful", "Yes", "No", "Y", "PASS",
     "Correct", "helpful", "excellent (4)", "Wait, ", "actually", "“", "”", '"', "'",
     "Score: <3", "1. ", "- ", "[RESULT] 4", "<|im_end|>", "the answer is yes", "\u200b",
     "\u0661", "²", "½", "４", "🙂"]
)  # fmt: skip
TEXTS = st.one_of(st.text(max_size=300), st.lists(PIECES, max_size=30).map("".join))
FINISHES: st.SearchStrategy[Finish] = st.sampled_from(["stop", "length", "refused"])
SCALES = [asked.FIVE, asked.ANY_FIVE, asked.ZERO_ONE, asked.LEVELS, asked.YES_NO, asked.PAIR]
JUDGES = [
    *(registry.get(name) for name in registry.names()),
    *(asked.judge_of(scale, form=form) for scale in SCALES for form in ("text", "json")),
    *(asked.judge_of(scale, criteria=("quality", "tone", "accuracy")) for scale in SCALES),
]
NUMERALS = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"]


@given(st.sampled_from(JUDGES), TEXTS, FINISHES)
def test_reading_never_raises_and_stays_on_the_scale(
    judge: Judge, text: str, finish: Finish
) -> None:
    criteria = tuple(judge.rubric.criteria)
    reply = Reply(text=text, finish=finish)
    reading = read(judge, criteria, reply)
    assert set(reading.scores) == set(criteria)
    for name, found in reading.scores.items():
        assert (found.value is not None) == (found.outcome is Outcome.SCORED)
        if found.value is not None:
            scale = judge.rubric.criteria[name].scale
            assert scale.read(found.value) == found.value
        else:
            assert found.why
    assert read(judge, criteria, reply) == reading


@given(st.sampled_from(JUDGES), TEXTS)
@example(asked.judge_of(asked.FIVE), "four")
@example(asked.judge_of(asked.PAIR), "[[A>>B]]")
def test_a_span_lies_in_the_reply_and_holds_what_was_read(judge: Judge, text: str) -> None:
    reading = read(judge, tuple(judge.rubric.criteria), Reply(text=text))
    for name, found in reading.scores.items():
        if found.span is None:
            continue
        begin, end = found.span
        assert 0 <= begin < end <= len(text)
        if found.value is not None:
            there = without_reasoning(text, judged_texts(()))[
                begin:end
            ]  # marks of the end of a turn are no text
            assert _holds(judge.rubric.criteria[name].scale, there, found)


def _holds(scale: Scale, there: str, found: CriterionReading) -> bool:
    words = there.split()
    if words and words[0].lower() in NUMERALS:
        there = " ".join(
            [
                str(NUMERALS.index(word.lower())) if word.lower() in NUMERALS else word
                for word in words
            ]
        )
    try:
        return parse_value(scale, as_option(scale, ScorePlace(there, "")).raw) == found.value
    except NotAValue:
        return False


@given(st.sampled_from(JUDGES), TEXTS)
def test_showing_how_a_reply_is_read_never_raises(judge: Judge, text: str) -> None:
    assert list(steps(judge, tuple(judge.rubric.criteria), Reply(text=text)))


@given(st.text(max_size=300))
def test_cutting_a_trace_never_adds_anything(text: str) -> None:
    assert len(cut_trace(text).answer) <= len(text)
