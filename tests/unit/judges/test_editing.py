"""Values of a judge file are changed in their place, and nothing else is."""

from __future__ import annotations

import pytest

from adjudge.errors import DefinitionError
from adjudge.judges import load_text, registry
from adjudge.judges.editing import added, changed, removed, values

FILE = """\
# Kept.
judge: shop
version: 3
title: Was it good?   # kept too
language: en
explain_in: en
inputs:
  question: {required: true}
  answer: {required: true, judged: true}
criteria:
  quality:
    guide: |
      How good?
      Very?

    scale: {type: ordinal, levels: {1: bad, 2: "so, so", 3: good}}
  tone:
    guide: Is it polite?
    scale: {type: binary}
rules:
  - id: rude
    flag: quality.rude
    when: It insults.
    cap: {quality: 2}
"""


@pytest.mark.parametrize("name", [*registry.names(worded=True), "ours"])
@pytest.mark.parametrize("new", ["one line", "3: [no] # {yes}", "two\nlines: here\n\n  indented"])
def test_one_value_is_changed_and_all_others_stay(name: str, new: str) -> None:
    text = FILE if name == "ours" else registry.source(name)[1]
    before = {value.address: value.text for value in values(text)}
    for address in list(before)[:: max(1, len(before) // 12)]:
        after = {value.address: value.text for value in values(changed(text, {address: new}))}
        assert after.pop(address).rstrip("\n") == new
        assert after == {key: value for key, value in before.items() if key != address}


def test_comments_and_the_rest_stay_as_they_were_written() -> None:
    new = changed(FILE, {"title": "Is it any good?", "criteria/quality/guide": "How good?\nHm?\n"})
    assert new == FILE.replace("Was it good?", "Is it any good?").replace("Very?", "Hm?")
    assert changed(FILE, {value.address: value.text for value in values(FILE)}) == FILE
    assert changed(FILE, {"no/such": "x"}) == FILE


@pytest.mark.parametrize("section", ["criteria", "rules", "examples"])
def test_an_entry_is_added_and_taken_away_again(section: str) -> None:
    more = added(added(FILE, section), section)
    before = {value.address for value in values(FILE)}
    new = [value for value in values(more) if value.address not in before]
    assert new
    assert all(value.path[0] == section for value in new)
    entry = "/".join(new[-1].address.split("/")[:2])
    less = removed(more, entry)
    assert len(values(less)) < len(values(more))
    if section == "criteria":
        load_text(more, "judge.yaml")
        assert [*load_text(removed(FILE, "criteria/tone"), "a").rubric.criteria] == ["quality"]


@pytest.mark.parametrize("name", [name for name in registry.names() if name != "preference"])
def test_an_example_that_is_added_has_what_the_judge_requires(name: str) -> None:
    """But for a judge of pairs, whose winner is no number."""
    judge = load_text(added(registry.source(name)[1], "examples"), "judge.yaml")
    assert len(judge.examples) == 1


def test_a_text_that_is_no_yaml_is_named_by_its_line() -> None:
    with pytest.raises(DefinitionError, match="line 2"):
        values("judge: a\n\tb: c\n")


def test_aliases_that_repeat_each_other_take_no_time() -> None:
    lines = ["a0: &a0 [x, x]"] + [f"a{n}: &a{n} [*a{n - 1}, *a{n - 1}]" for n in range(1, 40)]
    assert len(values("\n".join(lines))) == 2
