from __future__ import annotations

from collections.abc import Callable

import pytest

from adjudge.core.judge import Judge
from adjudge.core.reply import Finish, Reply
from adjudge.judges import registry
from adjudge.judges.load import load_text
from adjudge.reading import Reading
from adjudge.reading.read import read

POLITENESS = """
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
    scale: SCALE
rules:
  - id: insult
    flag: politeness.insult
    when: The reply insults the customer.
    cap: {politeness: CAP}
reply: text
prompt: "{{ question }} {{ answer }}"
"""


@pytest.fixture
def politeness() -> Judge:
    """The judge of the public format's own example."""
    text = POLITENESS.replace("SCALE", "{type: integer, min: 1, max: 5}").replace("CAP", "2")
    return load_text(text, "politeness.yaml")


@pytest.fixture
def read_as() -> Callable[..., Reading]:
    """Reads a text as the reply to all criteria of a built-in judge, or to some."""

    def go(judge: str, text: str, *criteria: str, finish: Finish = "stop") -> Reading:
        loaded = registry.get(judge)
        asked = criteria or tuple(loaded.rubric.criteria)
        return read(loaded, asked, Reply(text=text, finish=finish))

    return go
