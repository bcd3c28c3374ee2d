"""A prompt in our own wording imports back to the judge that it came from."""

from __future__ import annotations

from typing import Any

import yaml
from hypothesis import given
from hypothesis import strategies as st

from adjudge.core.item import Item
from adjudge.judges import Renderer, load_text
from adjudge.judges.importing import Options, import_prompt

WORDS = ["good", "bad", "mixed", "clear", "vague", "weak", "strong", "plain"]
labels = st.lists(st.sampled_from(WORDS), min_size=3, max_size=6, unique=True)
whole = st.builds(
    lambda low, high: {"type": "integer", "min": low, "max": high},
    st.sampled_from([0, 1]),
    st.integers(3, 100),
)
real = st.builds(
    lambda low, high: {"type": "number", "min": low, "max": high},
    st.sampled_from([0.0, 1.0]),
    st.integers(3, 100).map(float),
)
scales = st.one_of(
    whole,
    real,
    st.just({"type": "binary"}),
    labels.map(lambda words: {"type": "category", "options": words}),
    labels.map(lambda words: {"type": "ordinal", "levels": dict(enumerate(words, 1))}),
)


@given(scale=scales, language=st.sampled_from(["en", "ko", "vi"]))
def test_every_scale_comes_back(scale: dict[str, Any], language: str) -> None:
    document = {
        "judge": "own",
        "version": 1,
        "title": "t",
        "language": language,
        "explain_in": language,
        "inputs": {"question": {"title": "question"}, "answer": {"title": "a", "judged": True}},
        "criteria": {"clarity": {"title": "Clarity", "guide": "Is it so?", "scale": scale}},
        "reply": "json",
    }
    judge = load_text(yaml.safe_dump(document, allow_unicode=True, sort_keys=False), "own.yaml")
    item = Item("1", {"question": "{question}", "answer": "{answer}"})
    [prompt] = Renderer(judge, b"secret").prompts(item)
    text = "\n\n".join(message.content for message in prompt.messages)
    back = import_prompt(text, Options(name="own", detect=lambda _: language), "own.txt").judge
    assert back.rubric.criteria["clarity"].scale == judge.rubric.criteria["clarity"].scale
    assert list(back.rubric.criteria) == ["clarity"]
    assert (back.judged, list(back.inputs)) == (("answer",), ["question", "answer"])
    assert (back.language, back.reply) == (language, "json")
