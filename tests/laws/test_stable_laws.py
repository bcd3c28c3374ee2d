"""Stopping where the majority is certain, however often a run is broken off.

The model gives each row and sample what a drawn table says, so that runs can be compared.
"""

from __future__ import annotations

import json
import re
import tempfile
from collections import Counter
from contextlib import suppress
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

import adjudge
from adjudge.core.prompt import Prompt, Sampling
from adjudge.core.reply import Reply
from adjudge.models.base import Capabilities, ModelOptions
from adjudge.running import plan

JUDGE = """
judge: clear
version: 1
title: Clear?
language: en
explain_in: any
inputs:
  answer: {judged: true}
criteria:
  clear: {title: C, guide: 'Is it clear?', scale: {type: integer, min: 1, max: 3}, explain: false}
"""
SAMPLES = 5
# None is a reply that cannot be read; it is not asked about again, for the model does not converse.
tables = st.lists(
    st.lists(st.sampled_from([1, 2, None]), min_size=SAMPLES, max_size=SAMPLES),
    min_size=1,
    max_size=8,
)


class Model:
    name = "fake/m"
    identity = "fake/m at home"
    capabilities = Capabilities(converses=False)
    price = batches = likelihoods = None

    def __init__(self, table: list[list[int | None]], dies_at: int | None = None) -> None:
        self.table, self.left = table, dies_at
        self.answered: Counter[tuple[int, int]] = Counter()

    async def ask(self, prompt: Prompt, sampling: Sampling) -> Reply:
        if self.left is not None:
            self.left -= 1
            if self.left < 0:
                raise RuntimeError("the end")
        row = int(re.findall(r"text number (\d+)", prompt.messages[-1].content)[0])
        self.answered[row, prompt.sample] += 1
        value = self.table[row][prompt.sample]
        return Reply(text="nothing" if value is None else json.dumps({"clear": value}))

    async def aclose(self) -> None: ...


def judged(folder: Path, model: Model, store: str, *, stop: bool) -> dict[str, list[Any]]:
    """The values of each row, in the order of the samples."""
    usual = plan.open_model

    def open_model(name: str, options: ModelOptions) -> Any:
        return model

    plan.open_model = open_model  # type: ignore[assignment]
    try:
        run = adjudge.run(
            folder / "data.jsonl",
            judge=str(folder / "clear.yaml"),
            model="fake/m",
            repeat=SAMPLES,
            stop_when_stable=stop,
            store=str(folder / store),
        )
    finally:
        plan.open_model = usual
    found: dict[str, list[Any]] = {}
    for verdict in run.verdicts():
        found.setdefault(verdict.item, []).append(verdict.scores["clear"].value)
    run.close()
    return found


def leaders(values: list[Any]) -> list[Any]:
    counts = Counter(value for value in values if value is not None)
    return sorted(value for value, n in counts.items() if n == max(counts.values()))


@settings(max_examples=25, deadline=None)
@given(table=tables, ends=st.lists(st.integers(0, 20), max_size=3))
def test_what_most_say_is_what_most_of_all_would_say(
    table: list[list[int | None]], ends: list[int]
) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        rows = [{"id": str(n), "answer": f"text number {n}"} for n in range(len(table))]
        (folder / "data.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
        (folder / "clear.yaml").write_text(JUDGE)
        whole = judged(folder, Model(table), "whole.db", stop=False)
        alone = Model(table)
        early = judged(folder, alone, "early.db", stop=True)
        for item, values in early.items():
            assert values == whole[item][: len(values)]
            assert leaders(values) == leaders(whole[item])
        answered: Counter[tuple[int, int]] = Counter()
        for dies_at in ends:
            model = Model(table, dies_at)
            with suppress(RuntimeError):
                judged(folder, model, "part.db", stop=True)
            answered += model.answered
        last = Model(table)
        assert judged(folder, last, "part.db", stop=True) == early
        assert answered + last.answered == alone.answered
