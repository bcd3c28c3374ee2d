"""Whatever a model writes, reading neither fails nor invents a value."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from adjudge.core.reply import Reply
from adjudge.core.score import Outcome
from adjudge.judges import registry
from adjudge.judges.agent_trace import cut
from adjudge.reading.read import read

PIECES = st.sampled_from(
    ["{", "}", '"rating"', ":", " 3", "9", ",", "\n", "Score: 4", "**", "[[", "]]", "<think>",
     "</think>", "```json\n", "```", "accuracy", "tone: 7,5", "| tone | 7 |", "점수: 4점", "nan",
     "1e999", "null", "true", "I'm sorry", "\ud7ff", "Điểm", "-", "/10", "# Tone"]
)  # fmt: skip
TEXTS = st.one_of(st.text(max_size=300), st.lists(PIECES, max_size=30).map("".join))
JUDGES = [registry.get(name) for name in registry.names()]


@given(st.sampled_from(JUDGES), TEXTS, st.sampled_from(["stop", "length", "refused"]))
def test_reading_never_raises_and_stays_on_the_scale(judge, text, finish) -> None:  # type: ignore[no-untyped-def]
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


@given(st.text(max_size=300))
def test_cutting_a_trace_never_adds_anything(text: str) -> None:
    assert len(cut(text)) <= len(text)
