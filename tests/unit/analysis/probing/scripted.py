"""A judge on loopback whose weaknesses are known, for probes to find."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

from tests.servers import ChatServer, says

from adjudge.analysis.probing.subject import LANGUAGES, texts_in

GOOD = frozenset(
    text
    for language in LANGUAGES
    for built in texts_in(language).items
    for text in (built.good, built.paraphrase)
)
KEYS = frozenset(key for language in LANGUAGES for key in texts_in(language).keys)
_FENCED = re.compile(r"<<<\w+ [0-9a-f]{12}\n(.*?)\n\w+ [0-9a-f]{12}>>>", re.DOTALL)

CORRECT = """
judge: correct
version: 1
title: Is the answer right?
language: en
explain_in: any
inputs:
  question: {}
  reference: {}
  answer: {judged: true}
criteria:
  correct:
    title: Correctness
    guide: Does the answer say what the reference says?
    scale: {type: integer, min: 1, max: 5}
    explain: false
  clear:
    title: Clarity
    guide: Is it easy to follow?
    scale: {type: number, min: 0, max: 10}
    explain: false
"""


def shown(body: dict[str, Any]) -> list[str]:
    """The judged texts of a prompt, between their fences."""
    return _FENCED.findall(body["messages"][-1]["content"])


def without_marks(text: str) -> str:
    """The sentences without headlines, bullets and bold words."""
    lines = [line.removeprefix("- ") for line in text.splitlines()]
    return " ".join(" ".join(lines).split())


def is_good(text: str) -> bool:
    """Whether the text holds one of the good answers, whatever stands around it."""
    plain = without_marks(text)
    return any(" ".join(good.split()) in plain for good in GOOD)


def reference_fits(prompt: str, text: str) -> bool:
    """Whether the reference in the prompt is that of the question whose good answer the text is."""
    for language in LANGUAGES:
        for built in texts_in(language).items:
            if any(each in without_marks(text) for each in (built.good, built.paraphrase)):
                return built.reference in prompt
    return True


def correct_judge(
    server: ChatServer, falls_for: Callable[[str], bool] = lambda _: False, noticing: bool = True
) -> None:
    """Answers for CORRECT: 5 for a good text, 1 for others, 5 for whatever it falls for. Every text
    that says something is clear to it."""

    def answer(body: dict[str, Any]) -> Any:
        (text,) = shown(body)
        prompt = body["messages"][-1]["content"]
        right = is_good(text) and (not noticing or reference_fits(prompt, text))
        right = right or falls_for(text)
        return says(json.dumps({"correct": 5 if right else 1, "clear": 0 if text in KEYS else 8.0}))

    server.answer = answer
