"""Imports a prompt as the command does, with a stand-in for the detection of languages."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from adjudge.core.item import Item
from adjudge.core.judge import Judge
from adjudge.judges.importing import ImportedJudge, Options, import_prompt
from adjudge.judges.render import Renderer


def guess_language(text: str) -> str | None:
    """By telling letters: enough for the examples here."""
    for code, letters in (
        ("ko", "[가-힣]"),
        ("ja", "[ぁ-んァ-ヶ]"),
        ("zh", "[一-鿿]"),
        ("vi", "[ạảđơư]"),
    ):
        if re.search(letters, text):
            return code
    return "en"


@pytest.fixture
def take() -> Callable[..., ImportedJudge]:
    """Imports a text; keyword arguments are settings."""

    def take(text: str, /, harden: bool = False, **settings: str) -> ImportedJudge:
        options = Options(name="example", detect=guess_language, settings=settings, harden=harden)
        return import_prompt(text, options, "example.txt")

    return take


@pytest.fixture
def sent() -> Callable[..., list[str]]:
    """What a judge sends for the given texts, the messages of each call joined."""

    def sent(judge: Judge, **values: str) -> list[str]:
        prompts = Renderer(judge, b"secret").prompts(Item("1", values))
        return ["\n----\n".join(m.content for m in prompt.messages) for prompt in prompts]

    return sent
