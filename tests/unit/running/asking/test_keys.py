from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from adjudge.core.prompt import Message, Prompt, Sampling
from adjudge.running.asking.keys import request_key

MODEL: Any = SimpleNamespace(identity="openai/m at here")
PROMPT = Prompt(messages=(Message("user", "안녕?"),), criteria=("c",), schema={"type": "object"})
SAMPLING = Sampling()


def key(model: Any = MODEL, prompt: Prompt = PROMPT, **more: Any) -> str:
    return request_key(model, prompt, more.get("sampling", SAMPLING), more.get("scope", ""))


def test_equal_requests() -> None:
    same = replace(PROMPT, item="another row", messages=(Message("user", "안녕?"),))
    assert key() == key(prompt=same)
    assert len(key()) == 64


@pytest.mark.parametrize(
    "other",
    [
        key(SimpleNamespace(identity="openai/m elsewhere")),
        key(prompt=replace(PROMPT, messages=(Message("user", "안녕!"),))),
        key(prompt=replace(PROMPT, messages=(Message("system", "안녕?"),))),
        key(prompt=replace(PROMPT, schema=None)),
        key(prompt=replace(PROMPT, sample=1)),
        key(sampling=Sampling(temperature=1.0)),
        key(sampling=Sampling(seed=1)),
        key(sampling=Sampling(max_tokens=7)),
        key(scope="run"),
    ],
)
def test_whatever_shapes_the_reply(other: str) -> None:
    assert other != key()


def test_half_a_surrogate_pair() -> None:
    odd = [replace(PROMPT, messages=(Message("user", text),)) for text in ("\ud800", "\udbff")]
    assert key(prompt=odd[0]) != key(prompt=odd[1])
