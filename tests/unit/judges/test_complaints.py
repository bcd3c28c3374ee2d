"""Every wrong file is answered with file, line, key and remedy, all before anything is spent."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from adjudge.errors import DefinitionError
from adjudge.judges.load import load_text

Refusal = Callable[..., str]

SCALE = "{type: integer, min: 1, max: 5}"
PROMPT = "prompt: |\n  Look at this.\n  {{ question }}\n  {{ answer }}\n"

# (what is replaced, by what) → the beginning of a line of the message, and words of the remedy
WRONG: list[tuple[str, str, str, str]] = [
    # keys
    ("criteria:", "criterias:", "p.yaml, line 9, criterias: unknown key.", "mean `criteria`?"),
    ("guide:", "giude:", "p.yaml, line 12, criteria.politeness.giude: unknown", "`guide`?"),
    ("max: 5", "maxx: 5", "p.yaml, line 13, criteria.politeness.scale.maxx:", "`max`?"),
    ("cap:", "capp:", "p.yaml, line 18, rules.0.capp: unknown key", "`cap`?"),
    ("judge: politeness\n", "", "p.yaml, line 1: the key `judge` is missing.", "Add `judge: …`"),
    (f"    scale: {SCALE}\n", "", "p.yaml, line 10, criteria.politeness: the key `scale`", "Add"),
    # names
    ("judge: politeness", "judge: Politeness", "p.yaml, line 1, judge:", "small letters"),
    ("judge: politeness", "judge: 12", "p.yaml, line 1, judge: must be a text", "quotes"),
    ("  question: {", "  my-question: {", "p.yaml, line 7, inputs.my-question:", "small letters"),
    ("flag: politeness.insult", "flag: a.b.c", "p.yaml, line 16, rules.0.flag:", "one dot"),
    # languages and versions
    ("language: en", "language: English", "p.yaml, line 4, language:", "write e.g. en, ko, vi"),
    ("explain_in: en", "explain_in: klingon", "p.yaml, line 5, explain_in: must be", "or any"),
    ("version: 1", "version: 1.0", "p.yaml, line 2, version: must be a whole number", "quotes"),
    ("version: 1", "version:", "p.yaml, line 2, version: must be", "but there is nothing"),
    ("version: 1", "version: true", "p.yaml, line 2, version: must be", "not True"),
    # scales
    ("type: integer, ", "", "p.yaml, line 13, criteria.politeness.scale:", "add `type:` ordinal"),
    ("type: integer", "type: int", "p.yaml, line 13, criteria.politeness.scale: 'int'", "integer"),
    ("min: 1, max: 5", "min: 5, max: 1", "p.yaml, line 13, criteria.politeness.scale:", "less"),
    ("min: 1,", "min: one,", "p.yaml, line 13, criteria.politeness.scale.min:", "whole number"),
    ("max: 5}", "max: 5.5}", "p.yaml, line 13, criteria.politeness.scale.max:", "not 5.5"),
    (
        SCALE,
        "1-5",
        "p.yaml, line 13, criteria.politeness.scale:",
        "{type: integer, min: 1, max: 5}",
    ),
    (SCALE, "", "p.yaml, line 13, criteria.politeness.scale:", "but there is nothing"),
    (SCALE, "{type: ordinal, levels: {1: bad}}", "p.yaml, line 13, criteria", "at least two"),
    (SCALE, "{type: ordinal, levels: [bad, good]}", "p.yaml, line 13, criteria", "a mapping"),
    (SCALE, "{type: ordinal, levels: {one: a, 2: b}}", "p.yaml, line 13", "whole number"),
    (SCALE, "{type: ordinal, levels: {1: bad, 2: Bad}}", "p.yaml, line 13", "give each its own"),
    (SCALE, "{type: ordinal, levels: {1: 2, 2: b}}", "p.yaml, line 13", "numbers need quotes"),
    (SCALE, "{type: ordinal, levels: {1: '2', 2: b}}", "p.yaml, line 13", "use a word"),
    (SCALE, "{type: category, options: [a]}", "p.yaml, line 13", "at least 2 entries"),
    (SCALE, "{type: category, options: [a, A]}", "p.yaml, line 13", "name each differently"),
    (SCALE, "{type: category, options: [true, no]}", "p.yaml, line 13", "put it into quotes"),
    (SCALE, '{type: category, options: ["a\\nb", c]}', "p.yaml, line 13", "on one line"),
    (SCALE, "{type: number, min: 0, max: .inf}", "p.yaml, line 13", "must be a number"),
    (SCALE, "{type: number, min: 0, max: 1.0e999}", "p.yaml, line 13", "a finite number"),
    # kinds of values
    ("question: {required: true}", "question:", "p.yaml, line 7, inputs.question:", "`{}`"),
    ("{required: true}", "{required: yes}", "p.yaml, line 7, inputs.question.required:", "true or"),
    ("{required: true}", "{columns: a}", "p.yaml, line 7, inputs.question.columns:", "a list"),
    ("cap: {politeness: 2}", "cap: 2", "p.yaml, line 18, rules.0.cap:", "a mapping"),
    ("cap: {politeness: 2}", "cap: {politeness: [2]}", "p.yaml, line 18", "a value of the scale"),
    ("    guide:", "    steps: do it\n    guide:", "p.yaml, line 12", "one `- …` per line"),
    ("    guide:", "    explain: 5\n    guide:", "p.yaml, line 12", "feedback section"),
    ("reply: text", "reply: xml", "p.yaml, line 19, reply: must be json or text", "not 'xml'"),
    ("reply: text", "ask: eech", "p.yaml, line 19, ask: must be", "Did you mean `each`?"),
    ("when: The reply", "when: # The reply", "p.yaml, line 17, rules.0.when:", "begins a comment"),
    ("title: Is the reply polite?", "title: '  '", "p.yaml, line 3, title:", "must not be blank"),
    (PROMPT, "prompt: ''\n", "p.yaml, line 20, prompt:", "must not be empty"),
    (PROMPT, "prompt: 5\n", "p.yaml, line 20, prompt: must be a text", "quotes"),
    ("title: Is", 'title: "\\ud800" #', "p.yaml, line 3, title:", "half of a character"),
    ("    cap: {politeness: 2}\n", "", "p.yaml, line 15, rules.0:", "add e.g. `cap:"),
    (
        "reply: text",
        "feedback:\n  tips: {least: 2}",
        "p.yaml, line 20, feedback.tips:",
        "list: true",
    ),
    (
        "reply: text",
        "feedback:\n  tips: {list: true, least: 4, most: 2}",
        "p.yaml, line 20, feedback.tips:",
        "is more than",
    ),
]


@pytest.mark.parametrize(("old", "new", "place", "remedy"), WRONG)
def test_a_wrong_file_is_told_where_and_what_to_do(
    refusal: Refusal, old: str, new: str, place: str, remedy: str
) -> None:
    said = [line for line in refusal((old, new)).splitlines() if line.startswith(place)]
    assert said, refusal((old, new))
    assert remedy in said[0]
    assert not said[0].endswith("..")


def test_one_problem_is_told_once(refusal: Refusal) -> None:
    assert len(refusal(("version: 1", "version: [1]")).splitlines()) == 1
    assert len(refusal(("explain_in: en", "explain_in: Korean")).splitlines()) == 1


def test_all_problems_are_told_at_once(refusal: Refusal) -> None:
    said = refusal(
        ("version: 1", "version: 1.5"), ("guide:", "giude:"), ("reply: text", "reply: x")
    )
    assert [line.split(":")[0] for line in said.splitlines()] == [
        "p.yaml, line 2, version",
        "p.yaml, line 12, criteria.politeness.giude",
        "p.yaml, line 19, reply",
    ]


def test_a_long_value_is_shortened(refusal: Refusal) -> None:
    said = refusal(("version: 1", f"version: [{', '.join(['1'] * 500)}]"))
    assert len(said) < 150


def test_an_error_knows_its_code_place_and_remedy(changed: Callable[..., str]) -> None:
    with pytest.raises(DefinitionError) as caught:
        load_text(changed(("    scale: " + SCALE + "\n", "")), "p.yaml")
    error = caught.value
    assert error.code == "judge.key_missing"
    assert error.place == {"file": "p.yaml", "line": 10, "key": "criteria.politeness"}
    assert error.remedy == "Add `scale: …`."


@pytest.mark.parametrize(
    ("form", "said"),
    [
        ("required: 5", 'must be true, a condition such as ">= 3"'),
        ("checklist: 7", "must be a list of questions"),
        ("checklist: [{points: 3}]", "must be a question"),
        ("checklist: [{text: Is it, points: 0}]", "points must not be 0"),
        ("checklist: {score: sum}", "must be a list of questions"),
        ("evidence: {from: [nobody]}", "there is no input 'nobody'"),
        ("evidence: {form: [answer]}", "from"),
        ("rubric: {from: x, score: sum}", "how far the points reach"),
        ("claims: {against: [nobody]}", "there is no input 'nobody'"),
        ("weight: x", "must be a number"),
        ("required: true", "is about the overall score"),
    ],
)
def test_a_form_that_is_wrong_is_told(refusal: Refusal, form: str, said: str) -> None:
    scale = "    scale: {type: integer, min: 1, max: 5}\n"
    kept = "" if form.startswith(("checklist", "rubric", "claims")) else scale
    lines = refusal((scale, f"{kept}    {form}\n")).splitlines()
    assert any("criteria.politeness" in line and said in line for line in lines), lines
