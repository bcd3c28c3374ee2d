"""A prompt in our own wording imports back to the judge that it came from."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

import adjudge.judges
from adjudge.core.item import Item
from adjudge.core.judge import Judge
from adjudge.judges import Renderer, load_text
from adjudge.judges.importing import Options, import_prompt

WORDING = Path(adjudge.judges.__file__).with_name("wording")
LANGUAGES = sorted(file.stem for file in WORDING.glob("*.yaml"))

WORDS = ["good", "bad", "mixed", "clear", "vague", "weak", "strong", "plain"]
labels = st.lists(st.sampled_from(WORDS), min_size=3, max_size=6, unique=True)
whole = st.builds(
    lambda low, high: {"type": "integer", "min": low, "max": high},
    st.sampled_from([-3, 0, 1]),
    st.integers(3, 100),
)
real = st.builds(
    lambda low, high: {"type": "number", "min": low, "max": high},
    st.sampled_from([-1.0, 0.0, 1.0]),
    st.integers(3, 100).map(float),
)
lowest = st.sampled_from([-2, 0, 1])
ordinal = st.builds(
    lambda words, low: {"type": "ordinal", "levels": dict(enumerate(words, low))}, labels, lowest
)
with_meanings = st.builds(
    lambda words, low: {
        "type": "ordinal",
        "levels": {
            value: {"label": word, "meaning": f"it reads {word} to us"}
            for value, word in enumerate(words, low)
        },
    },
    labels,
    lowest,
)
scales = st.one_of(
    whole,
    real,
    st.just({"type": "binary"}),
    labels.map(lambda words: {"type": "category", "options": words}),
    ordinal,
    with_meanings,
)
TITLES = {"clarity": "Clarity", "tone": "Tone", "depth": "Depth"}
FEEDBACK = {"strengths": {"title": "Strengths", "list": True}, "outlook": {"title": "Outlook"}}


def judge_of(language: str, criteria: dict[str, Any], **more: Any) -> Judge:
    document = {
        "judge": "own",
        "version": 1,
        "title": "t",
        "language": language,
        "explain_in": language,
        "inputs": {"question": {"title": "question"}, "answer": {"title": "a", "judged": True}},
        "criteria": {
            name: {"title": TITLES[name], "guide": "Is it so?", "scale": scale}
            for name, scale in criteria.items()
        },
        **more,
    }
    return load_text(yaml.safe_dump(document, allow_unicode=True, sort_keys=False), "own.yaml")


def back(judge: Judge) -> Judge:
    """The judge that the prompt of a judge imports to."""
    item = Item("1", {"question": "{question}", "answer": "{answer}"})
    [prompt] = Renderer(judge, b"secret").prompts(item)
    text = "\n\n".join(message.content for message in prompt.messages)
    options = Options(name="own", detect=lambda _: judge.language)
    return import_prompt(text, options, "own.txt").judge


def scales_of(judge: Judge) -> dict[str, Any]:
    return {name: criterion.scale for name, criterion in judge.rubric.criteria.items()}


def test_our_wording_speaks_three_languages_at_least() -> None:
    assert {"en", "ko", "vi"} <= set(LANGUAGES)


@given(scale=scales, language=st.sampled_from(LANGUAGES), reply=st.sampled_from(["json", "text"]))
def test_every_scale_comes_back(scale: dict[str, Any], language: str, reply: str) -> None:
    judge = judge_of(language, {"clarity": scale}, reply=reply)
    again = back(judge)
    assert list(scales_of(again).values()) == [judge.rubric.criteria["clarity"].scale]
    assert (again.judged, list(again.inputs)) == (("answer",), ["question", "answer"])
    assert (again.language, again.reply) == (language, reply)


@settings(max_examples=60)
@given(
    criteria=st.dictionaries(st.sampled_from(list(TITLES)), scales, min_size=2, max_size=3),
    language=st.sampled_from(LANGUAGES),
    sections=st.booleans(),
    ruled=st.booleans(),
    reply=st.sampled_from(["json", "text"]),
)
def test_several_criteria_with_feedback_and_rules_come_back(
    criteria: dict[str, Any], language: str, sections: bool, ruled: bool, reply: str
) -> None:
    more: dict[str, Any] = {"reply": reply}
    if sections:
        more["feedback"] = FEEDBACK
    first, scale = next(iter(criteria.items()))
    if ruled and scale["type"] in {"integer", "number"}:
        cap = {first: scale["max"] - 1}
        rule = {"id": "r", "flag": f"{first}.off", "when": "It is off.", "cap": cap}
        more["rules"] = [rule]
    judge = judge_of(language, criteria, **more)
    again = back(judge)
    assert scales_of(again) == scales_of(judge)
    assert again.reply == reply
    if reply == "json":
        assert list(again.feedback) == (list(FEEDBACK) if sections else [])
