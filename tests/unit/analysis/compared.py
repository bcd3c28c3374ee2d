"""Runs to be compared, made through the replay model."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from adjudge import api

JUDGE = """
judge: {name}
version: 1
title: Is it good?
language: en
explain_in: any
inputs:
  question: {{}}
  answer: {{judged: true}}
criteria:
  rating:
    title: Rating
    guide: How good is it?
    scale: {scale}
  kind:
    title: Kind
    guide: What is it?
    scale: {{type: category, options: [fact, opinion, other]}}
    explain: false
"""
FIVE = "{type: integer, min: 1, max: 5}"


class Runs:
    """Makes runs in one store, whose file is `store`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.store = str(folder / "adjudge.db")
        self._made = 0

    def judge(self, name: str = "good", scale: str = FIVE) -> str:
        path = self.folder / f"{name}.yaml"
        path.write_text(JUDGE.format(name=name, scale=scale))
        return str(path)

    def run(
        self,
        ratings: Mapping[str, Any],
        judge: str | None = None,
        rows: Mapping[str, Mapping[str, Any]] | None = None,
        **options: Any,
    ) -> str:
        """A run over items by id: a rating, (rating, kind), None for unreadable, or a list of
        samples; `rows` adds to the items."""
        self._made += 1
        data = self.folder / f"data{self._made}.jsonl"
        _write(
            data,
            [
                {"id": name, "question": f"{name}?", "answer": f"{name}."}
                | dict((rows or {}).get(name, {}))
                for name in ratings
            ],
        )
        replies = self.folder / f"replies{self._made}.jsonl"
        _write(
            replies,
            [{"item": name, "replies": _replies(given)} for name, given in ratings.items()],
        )
        result = api.run(
            data,
            judge=judge or self.judge(),
            model=f"replay:{replies}",
            store=self.store,
            **options,
        )
        result.close()
        return result.id


def _write(path: Path, rows: Sequence[object]) -> None:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))


def _replies(given: Any) -> list[str]:
    return [_reply(each) for each in (given if isinstance(given, list) else [given])]


def _reply(given: Any) -> str:
    if given is None:
        return "I would rather not."
    rating, kind = given if isinstance(given, tuple) else (given, "fact")
    said = {"explanation": f"I gave {rating}.", "score": rating}
    return json.dumps({"rating": said, "kind": kind})
