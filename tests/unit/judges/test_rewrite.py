"""A judge with other texts: nothing else of it may change, and its file stays what it is."""

from __future__ import annotations

from dataclasses import replace

import pytest

from adjudge.core.judge import GradedExample
from adjudge.core.scale import Integer
from adjudge.errors import DefinitionError
from adjudge.judges.load import load_text
from adjudge.judges.rewrite import JudgeTexts, check_frame, rewritten, rewritten_file, texts_of

FILE = """\
# Ours since 2024.
judge: polite
version: 1
title: Is it polite?
language: en
explain_in: en
inputs:
  question: {required: true}
  answer: {required: true, judged: true}
criteria:
  politeness:
    title: Politeness   # as shown
    guide: >-
      Does the reply treat
      the customer with respect?
    scale: {type: integer, min: 1, max: 5}
    steps:
      - Read it.
      # then
      - Score it.
  short: {title: Short, guide: Is it short?, scale: {type: binary}}
  plain:
    title: Plain
    scale: {type: binary}
rules:
  - {id: insult, flag: politeness.insult, when: It insults., cap: {politeness: 2}}
"""


def test_only_the_lines_of_the_texts_change() -> None:
    texts = JudgeTexts(
        {
            "politeness": "A: rude word is 1.\nElse 5.",
            "short": 'Below "ten" words?',
            "plain": "New.",
        },
        {"politeness": ("Look: closely.",), "short": (), "plain": ("One.", "Two.")},
        (GradedExample(item={"question": "a", "answer": "b\nc: d"}, scores={"short": True}),),
    )
    text = rewritten_file(FILE, "polite.yaml", texts)
    made = load_text(text, "polite.yaml")
    own = made.rubric.criteria
    assert own["politeness"].guide == "A: rude word is 1.\nElse 5."
    assert own["politeness"].steps == ("Look: closely.",)
    assert own["short"].guide == 'Below "ten" words?'
    assert own["plain"].guide == "New."
    assert own["plain"].steps == ("One.", "Two.")
    assert made.examples[0].item["answer"] == "b\nc: d"
    for line in ("# Ours since 2024.", "    title: Politeness   # as shown", "rules:"):
        assert line in text.splitlines()


def test_texts_as_they_are_change_nothing() -> None:
    base = load_text(FILE, "polite.yaml")
    assert rewritten_file(FILE, "polite.yaml", texts_of(base, tuple(base.rubric.criteria))) == FILE


def test_long_guides_and_other_scripts_come_back_as_they_were() -> None:
    guide = "수수료가 틀리면 심각한 오류입니다: 항상 2점 이하로 줍니다. " * 12
    texts = JudgeTexts({"politeness": guide.strip()}, {"politeness": ("Đọc kỹ # câu trả lời.",)})
    made = load_text(rewritten_file(FILE, "polite.yaml", texts), "polite.yaml")
    assert made.rubric.criteria["politeness"].guide == guide.strip()
    assert made.rubric.criteria["politeness"].steps == ("Đọc kỹ # câu trả lời.",)


@pytest.mark.parametrize("what", ["scale", "rules", "reply", "inputs", "prompt"])
def test_the_frame_may_not_change(what: str) -> None:
    base = load_text(FILE, "polite.yaml")
    check_frame(base, rewritten(base, JudgeTexts({"plain": "Other."}, {"plain": ("Step.",)})))
    criteria = dict(base.rubric.criteria)
    criteria["politeness"] = replace(criteria["politeness"], scale=Integer(1, 4))
    inputs = {**base.inputs, "answer": replace(base.inputs["answer"], judged=False)}
    changed = {
        "scale": replace(base, rubric=replace(base.rubric, criteria=criteria)),
        "rules": replace(base, rubric=replace(base.rubric, rules=())),
        "reply": replace(base, reply="text"),
        "inputs": replace(base, inputs=inputs),
        "prompt": replace(base, prompt="{{ answer }}"),
    }
    with pytest.raises(DefinitionError, match="only guides, steps and examples"):
        check_frame(base, changed[what])


def test_shared_anchors_are_refused() -> None:
    text = FILE.replace("guide: Is it short?", "guide: &g Is it short?").replace(
        "    title: Plain\n", "    title: Plain\n    guide: *g\n"
    )
    with pytest.raises(DefinitionError, match="anchor"):
        rewritten_file(text, "p.yaml", JudgeTexts({"short": "New."}, {"short": ()}))
