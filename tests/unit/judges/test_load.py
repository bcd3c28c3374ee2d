from __future__ import annotations

from collections.abc import Callable
from importlib.resources import files

import pytest

from adjudge.core.judge import Judge
from adjudge.errors import DefinitionError
from adjudge.judges.load import load_text

Load = Callable[..., Judge]
SCALE = "{type: integer, min: 1, max: 5}"


@pytest.mark.parametrize("text", ["- a\n- b\n", "hello\n", "5\n"])
def test_a_judge_file_is_a_mapping(text: str) -> None:
    with pytest.raises(DefinitionError, match="line 1: a judge file is a mapping"):
        load_text(text, "p.yaml")


def test_the_smallest_file_gets_its_defaults() -> None:
    judge = load_text(
        "judge: short\nversion: 1\ntitle: Short?\nlanguage: en\nexplain_in: any\n"
        "inputs: {my_text: {}}\ncriteria: {very_short: {scale: {type: binary}}}\n",
        "p.yaml",
    )
    assert judge.inputs["my_text"].title == "My text"
    assert judge.inputs["my_text"].required
    assert judge.inputs["my_text"].judged  # nothing is marked, so nothing is trusted
    assert judge.rubric.criteria["very_short"].title == "Very short"
    assert (judge.ask, judge.reply, judge.verbatim, judge.pair) == ("together", "json", False, None)


def test_a_text_is_checked_once() -> None:
    """A run that has loaded its judges reads them again from the store, to show its scores."""
    text = "judge: once\nversion: 1\ntitle: Once?\nlanguage: en\nexplain_in: any\n"
    text += "inputs: {text: {}}\ncriteria: {good: {scale: {type: binary}}}\n"
    assert load_text(text, "p.yaml") is load_text(text, "from the store.yaml")


def test_the_file_that_new_writes_is_sound() -> None:
    text = files("adjudge.judges").joinpath("new.yaml").read_text("utf-8")
    assert load_text(text.replace("NAME", "mine"), "mine.yaml").name == "mine"


@pytest.mark.parametrize(
    ("scale", "limit", "read"),
    [
        (SCALE, "2", 2),
        ("{type: number, min: 0.0, max: 10.0}", "5", 5.0),
        ("{type: ordinal, levels: {1: bad, 2: fine, 3: good}}", "fine", 2),
        ("{type: binary}", "no", False),
    ],
)
def test_the_limit_of_a_rule_is_a_value_of_the_scale(
    load: Load, scale: str, limit: str, read: object
) -> None:
    judge = load((SCALE, scale), ("cap: {politeness: 2}", f"cap: {{politeness: {limit}}}"))
    assert judge.rubric.rules[0].cap == {"politeness": read}
    assert type(judge.rubric.rules[0].cap["politeness"]) is type(read)


def test_a_flag_without_a_criterion_belongs_to_the_first_that_it_bounds(load: Load) -> None:
    rule = load(("politeness.insult", "insult")).rubric.rules[0]
    assert (rule.flag, rule.criterion) == ("insult", "politeness")


def test_labels_and_options_lose_their_edges(load: Load) -> None:
    two = "{type: category, options: [' a ', b]}"
    rule = "rules:\n  - id: insult\n    flag: politeness.insult\n"
    rule += "    when: The reply insults the customer.\n    cap: {politeness: 2}\n"
    assert load((SCALE, two), (rule, "")).rubric.criteria["politeness"].scale.values() == ("a", "b")
