"""A reply written as the prompt asks reads back to exactly the value that was meant."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.core.judge import Judge
from adjudge.core.reply import Reply
from adjudge.core.scale import (
    Binary,
    Category,
    Integer,
    Level,
    NotAValue,
    Number,
    Ordinal,
    Scale,
    Value,
)
from adjudge.core.score import Outcome
from adjudge.judges.load import load_text
from adjudge.judges.reply_form import schema
from adjudge.reading.read import read

WORDS = st.text(
    st.characters(categories=["Ll", "Lu", "Lo"], max_codepoint=0xD7FF), min_size=2, max_size=12
).filter(lambda word: word == word.strip() and word.casefold() not in {"yes", "no"})


def ordinals() -> st.SearchStrategy[Scale]:
    numbers = st.lists(st.integers(-20, 20), min_size=2, max_size=7, unique=True)
    return numbers.flatmap(
        lambda found: st.lists(
            WORDS, min_size=len(found), max_size=len(found), unique_by=str.casefold
        ).map(lambda names: Ordinal(dict(zip(found, map(Level, names), strict=True))))
    )


def ranges(make: Callable[[Any, Any], Scale], numbers: Any) -> st.SearchStrategy[Scale]:
    ends = st.tuples(numbers, numbers).filter(lambda pair: pair[0] < pair[1])
    return ends.map(lambda pair: make(*pair))


SCALES = st.one_of(
    ordinals(),
    ranges(Integer, st.integers(-1000, 1000)),
    ranges(Number, st.floats(-1000, 1000)),
    st.just(Binary()),
    st.lists(WORDS, min_size=2, max_size=6, unique_by=str.casefold).map(
        lambda names: Category(tuple(names))
    ),
)


@st.composite
def scale_and_value(draw: st.DrawFn) -> tuple[Scale, Value]:
    scale = draw(SCALES)
    values = scale.values()
    if values is not None:
        return scale, draw(st.sampled_from(values))
    if isinstance(scale, Number):
        return scale, draw(st.floats(scale.min, scale.max))
    assert isinstance(scale, Integer)
    return scale, draw(st.integers(scale.min, scale.max))


def judge_with(scale: Scale, reply: str, language: str, criteria: tuple[str, ...]) -> Judge:
    """A judge of the public format; the scale is put in afterwards, as an object."""
    text = f"""
judge: law
version: 1
title: T
language: {language}
explain_in: any
inputs: {{answer: {{judged: true}}}}
criteria:
"""
    for name in criteria:
        text += f"  {name}: {{title: Title of {name}, scale: {{type: binary}}}}\n"
    text += (
        f"rules:\n  - {{id: r, flag: {criteria[0]}.bad, when: w, floor: {{{criteria[0]}: no}}}}\n"
    )
    judge = load_text(text + f"reply: {reply}\n", "law.yaml")
    for criterion in judge.rubric.criteria.values():
        object.__setattr__(criterion, "scale", scale)
    return judge


def written_json(judge: Judge, criteria: tuple[str, ...], value: Value) -> str:
    """The reply that the schema describes, with the value in every score's place."""

    def fill(shape: Any, name: str) -> Any:
        if shape["type"] == "object":
            return {key: fill(inner, key) for key, inner in shape["properties"].items()}
        if name == "explanation":
            return "Because 3 of 4 points are met: 2 out of 5."
        return False if name == "bad" else value

    shape = schema(judge, criteria)
    assert shape is not None
    return json.dumps(fill(shape, ""), ensure_ascii=False)


def written_text(judge: Judge, criteria: tuple[str, ...], value: Value) -> str:
    phrases = judge.wording.phrases
    rows = []
    for name in criteria:
        criterion = judge.rubric.criteria[name]
        if len(criteria) > 1:
            rows.append(f"### {criterion.title}")
        rows.append(f"{phrases['explanation_label']}: Because 3 of 4 points are met.")
        rows += [f"{rule.flag}: no" for rule in judge.rubric.flags_of((name,))]
        rows.append(f"{phrases['score_label']}: {criterion.scale.write(value)}")
    return "\n".join(rows)


@given(scale_and_value())
def test_what_a_scale_writes_it_reads(pair: tuple[Scale, Value]) -> None:
    scale, value = pair
    assert scale.read(scale.write(value)) == value
    assert scale.read(value) == value


@pytest.mark.parametrize("language", ["en", "ko", "vi"])
@pytest.mark.parametrize("criteria", [("one",), ("one", "two", "three")])
@pytest.mark.parametrize(("form", "write"), [("json", written_json), ("text", written_text)])
def test_a_reply_as_asked_for_reads_back(
    form: str, write: Callable[..., str], criteria: tuple[str, ...], language: str
) -> None:
    @given(scale_and_value())
    def law(pair: tuple[Scale, Value]) -> None:
        scale, value = pair
        judge = judge_with(scale, form, language, criteria)
        reading = read(judge, criteria, Reply(text=write(judge, criteria, value)))
        for name in criteria:
            found = reading.scores[name]
            assert (found.outcome, found.value) == (Outcome.SCORED, value), found
            assert type(found.value) is type(value)
        assert reading.flags == {"bad": False}

    law()


@given(scale_and_value(), st.floats(0.01, 1000))
def test_beyond_the_ends_nothing_is_read(pair: tuple[Scale, Value], beyond: float) -> None:
    scale, _ = pair
    if isinstance(scale, Number | Integer):
        for number in (scale.max + beyond, scale.min - beyond):
            with pytest.raises(NotAValue):
                scale.read(number)
