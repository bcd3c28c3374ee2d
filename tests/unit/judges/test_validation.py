from __future__ import annotations

from collections.abc import Callable

import pytest

Refusal = Callable[..., str]
SCALE = "{type: integer, min: 1, max: 5}"
RULES = (
    "rules:\n  - id: insult\n    flag: politeness.insult\n"
    "    when: The reply insults the customer.\n    cap: {politeness: 2}\n"
)

WRONG: list[tuple[str, str, str, str]] = [
    # names that a reply or a prompt could not tell apart
    ("reply: text", "feedback:\n  politeness: {}", "feedback.politeness:", "rename one of them"),
    ("reply: text", "feedback:\n  explanation: {}", "feedback.explanation:", "rename it"),
    ("  politeness:\n", "  explanation:\n", "criteria.explanation:", "rename it"),
    ("reply: text", "feedback:\n  tips: {title: politeness}", "feedback.tips.title:", "its own"),
    ("reply: text", "feedback:\n  insult: {}", "rules.0.flag: the name 'insult'", "something else"),
    ("question: {", "criteria: {", "inputs.criteria:", "rename it"),
    ("question: {", "self: {", "inputs.self:", "rename it"),
    ("question: {", "if: {", "inputs.if:", "rename it"),
    ("{required: true}", "{columns: [answer]}", "inputs.question.columns.0:", "feeds answer"),
    # rules
    ("politeness.insult", "polite.insult", "rules.0.flag:", "(criteria: politeness)"),
    ("politeness.insult", "politeness", "rules.0.flag:", "is taken"),
    ("politeness.insult", "explanation", "rules.0.flag:", "is taken"),
    ("politeness.insult", "score", "rules.0.flag:", "is taken"),
    ("cap: {politeness: 2}", "cap: {polite: 2}", "rules.0.cap.polite:", "(criteria: politeness)"),
    ("cap: {politeness: 2}", "cap: {politeness: 9}", "rules.0.cap.politeness:", "outside 1 to 5"),
    ("cap: {politeness: 2}", "floor: {politeness: 2.5}", "rules.0.floor.politeness:", "between"),
    ("cap: {politeness: 2}", "cap: {politeness: two}", "rules.0.cap.politeness:", "not a number"),
    (SCALE, "{type: category, options: [a, '2']}", "rules.0.cap.politeness:", "has no order"),
    # other references
    (
        "    guide:",
        "    explain: tips\n    guide:",
        "criteria.politeness.explain:",
        "(sections: none)",
    ),
    (
        "reply: text",
        "prepare: [{input: a, do: agent_trace}]",
        "prepare.0.input:",
        "(inputs: question",
    ),
    ("reply: text", "prepare: [{input: answer, do: trace}]", "prepare.0.do:", "`agent_trace`?"),
    (
        "reply: text",
        "pair: {inputs: [a, answer], values: [a, b], tie: t}",
        "pair.inputs.0:",
        "inputs",
    ),
    (
        "reply: text",
        "pair: {inputs: [answer, answer], values: [a, b], tie: t}",
        "pair.inputs:",
        "name both",
    ),
    (
        "reply: text",
        "pair: {inputs: [question, answer], values: [a, b], tie: a}",
        "pair.values:",
        "must differ",
    ),
    (
        "reply: text",
        "pair: {inputs: [question, answer], values: [a, b], tie: tie}",
        "criteria.politeness.scale:",
        "options a, b, tie",
    ),
    # templates, without rendering
    ("prompt: |", "system: 'Q {{ question }}'\nprompt: |", "system: shows question", "`prompt`"),
    ("prompt: |", "system: '{{ inputs }}'\nprompt: |", "system: shows inputs", "`prompt`"),
]


@pytest.mark.parametrize(("old", "new", "place", "remedy"), WRONG)
def test_parts_that_do_not_fit_together_are_refused(
    refusal: Refusal, old: str, new: str, place: str, remedy: str
) -> None:
    said = [line for line in refusal((old, new)).splitlines() if f", {place}" in line]
    assert said, refusal((old, new))
    assert said[0].startswith("p.yaml, line ")
    assert remedy in said[0]


def test_rules_need_ids_and_flags_of_their_own(refusal: Refusal) -> None:
    said = refusal((RULES, RULES + RULES.removeprefix("rules:\n")))
    assert "line 19, rules.1.id: another rule is called 'insult'" in said
    assert "line 20, rules.1.flag: the name 'insult' is taken" in said


def test_verbatim_needs_a_prompt(refusal: Refusal) -> None:
    prompt = "prompt: |\n  Look at this.\n  {{ question }}\n  {{ answer }}\n"
    assert "line 20, verbatim: there is no `prompt`" in refusal((prompt, "verbatim: true\n"))
