from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from tests.servers import ChatServer

import adjudge as package
from adjudge.core.verdict import Verdict
from adjudge.running.asking import retry

POLITENESS = """
judge: politeness
version: 1
title: Is the reply polite?
language: en
explain_in: en
inputs:
  answer: {judged: true}
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
"""

Judging = Callable[..., Verdict]


@pytest.fixture
def politeness(tmp_path: Path) -> str:
    """The path of a small judge with one criterion and one rule."""
    path = tmp_path / "politeness.yaml"
    path.write_text(POLITENESS)
    return str(path)


@pytest.fixture
def judging(
    server: ChatServer, politeness: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Judging:
    """Judges one item through the wire; by default with the small judge."""
    monkeypatch.setattr(retry, "_FIRST_WAIT", 0.001)
    store = str(tmp_path / "none.db")

    def judging(
        judge: str = politeness, item: Mapping[str, str] | None = None, **options: object
    ) -> Verdict:
        return package.judge(
            judge,
            item or {"answer": "Certainly, madam."},
            model="openai/m",
            base_url=server.base_url,
            store=store,
            **options,
        )

    return judging
