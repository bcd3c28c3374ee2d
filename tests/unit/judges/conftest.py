"""A small sound judge file, and ways to change it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from adjudge.core.judge import Judge
from adjudge.errors import DefinitionError
from adjudge.judges.load import load_text

POLITE = """\
judge: politeness
version: 1
title: Is the reply polite?
language: en
explain_in: en
inputs:
  question: {required: true}
  answer: {required: true, judged: true}
criteria:
  politeness:
    title: Politeness
    guide: Does the reply treat the customer with respect?
    scale: {type: integer, min: 1, max: 5}
rules:
  - id: insult
    flag: politeness.insult
    when: The reply insults the customer.
    cap: {politeness: 2}
reply: text
prompt: |
  Look at this.
  {{ question }}
  {{ answer }}
"""

Change = Callable[..., str]


@pytest.fixture
def changed() -> Change:
    """The file with every first text replaced by its second."""

    def change(*pairs: tuple[str, str]) -> str:
        text = POLITE
        for old, new in pairs:
            assert old in text, old
            text = text.replace(old, new)
        return text

    return change


@pytest.fixture
def load(changed: Change) -> Callable[..., Judge]:
    return lambda *pairs: load_text(changed(*pairs), "p.yaml")


@pytest.fixture
def refusal(changed: Change) -> Callable[..., str]:
    """What is said about the file so changed."""

    def refused(*pairs: tuple[str, str]) -> str:
        with pytest.raises(DefinitionError) as caught:
            load_text(changed(*pairs), "p.yaml")
        return str(caught.value)

    return refused
