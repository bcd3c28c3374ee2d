"""Whatever breaks a run off, and however often: the end is that of a run that nothing broke off.

The model is a function of its prompt, so that two runs can be compared, and dies at the n-th
request of a session. An answer counts as given once `ask` has returned it.
"""

from __future__ import annotations

import asyncio
import json
import random
import re
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import adjudge
from adjudge.core.prompt import Prompt, Sampling
from adjudge.core.reply import Reply, Usage
from adjudge.errors import ProviderError
from adjudge.models.base import Capabilities, ModelOptions
from adjudge.models.prices import Price
from adjudge.running import plan
from adjudge.running.asking import retry

JUDGE = """
judge: pair
version: 1
title: Two criteria
language: en
explain_in: any
ask: each
inputs:
  answer: {judged: true}
criteria:
  clear: {title: C, guide: 'Is it clear?', scale: {type: integer, min: 1, max: 5}}
  kind: {title: K, guide: 'Is it kind?', scale: {type: integer, min: 1, max: 5}}
"""


class Killed(BaseException):
    """Nobody catches it, as nobody catches a power cut."""


@dataclass
class Model:
    """Answers by what it is asked. `dies_at` is the request that ends the session, counted from 1;
    `busy` are those that are refused for the time being."""

    dies_at: int | None = None
    how: type[BaseException] = RuntimeError
    busy: frozenset[int] = frozenset()
    requests: int = 0
    answered: Counter[str] = field(default_factory=Counter)

    name = "fake/m"
    identity = "fake/m at home"
    capabilities = Capabilities()
    price = Price(1.0, 10.0)
    batches = None

    async def ask(self, prompt: Prompt, sampling: Sampling) -> Reply:
        self.requests += 1
        number = self.requests
        if number == self.dies_at:
            raise self.how("the end")
        for _ in range(number % 3):
            await asyncio.sleep(0)
        if number in self.busy:
            raise ProviderError("busy", status=429, retryable=True)
        text = "\n".join(message.content for message in prompt.messages)
        row = re.findall(r"text number (\d+)", text)[0]
        # Every seventh row is badly answered at first, and is asked again.
        again = any(message.role == "assistant" for message in prompt.messages)
        bad = int(row) % 7 == 3 and not again
        criterion = "kind" if "Is it kind?" in text else "clear"
        score = 1 + (int(row) + len(criterion) + prompt.sample) % 5
        said = {"explanation": f"It is {score}.", "score": score, criterion: score}
        self.answered[f"{row}/{criterion}/{prompt.sample}/{again}"] += 1
        usage = Usage(input_tokens=100, output_tokens=10, cost_usd=0.0002)
        text = json.dumps({"explanation": "I forgot the score."} if bad else said)
        return Reply(text=text, usage=usage, latency_ms=1.0)

    async def aclose(self) -> None: ...


@contextmanager
def asked_of(model: Model) -> Iterator[None]:
    usual, wait = plan.open_model, retry._FIRST_WAIT

    def open_model(name: str, options: ModelOptions) -> Any:
        return model

    plan.open_model = open_model  # type: ignore[assignment]
    retry._FIRST_WAIT = 0.0001
    try:
        yield
    finally:
        plan.open_model, retry._FIRST_WAIT = usual, wait


@dataclass(frozen=True)
class Setting:
    """A run: which texts the rows hold (some may be the same), and how it is made."""

    texts: tuple[int, ...]
    repeat: int
    concurrency: int
    no_cache: bool

    def write(self, folder: Path) -> None:
        rows = [{"id": f"r{at}", "answer": f"text number {n}"} for at, n in enumerate(self.texts)]
        (folder / "data.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
        (folder / "pair.yaml").write_text(JUDGE)

    def run(self, folder: Path, model: Model, store: str) -> adjudge.Run:
        with asked_of(model):
            return adjudge.run(
                folder / "data.jsonl",
                judge=str(folder / "pair.yaml"),
                model="fake/m",
                repeat=self.repeat,
                concurrency=self.concurrency,
                no_cache=self.no_cache,
                store=str(folder / store),
            )


def told(run: adjudge.Run) -> list[dict[str, Any]]:
    """The verdict rows but for what tells when something was asked."""
    rows = run.to_dicts()
    run.close()
    for row in rows:
        for name in ("run", "attempts", "latency_ms", "usage"):
            row.pop(name)
    return rows


def rows_of(store: Path) -> int:
    kept = adjudge.open_run(store=str(store))
    count = sum(1 for _ in kept.verdicts())
    kept.close()
    return count


hows = st.sampled_from([RuntimeError, asyncio.CancelledError, Killed])
worlds = st.builds(
    Setting,
    texts=st.lists(st.integers(0, 30), min_size=1, max_size=25).map(tuple),
    repeat=st.integers(1, 2),
    concurrency=st.integers(1, 8),
    no_cache=st.booleans(),
)


@settings(max_examples=20)
@given(
    world=worlds,
    ends=st.lists(st.tuples(st.integers(1, 60), hows), max_size=4),
    busy=st.frozensets(st.integers(1, 80), max_size=6),
)
def test_however_it_is_broken_off(
    world: Setting, ends: list[tuple[int, type[BaseException]]], busy: frozenset[int]
) -> None:
    """One verdict a row, those of an uninterrupted run; every request is answered once in all."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        world.write(folder)
        whole = Model()
        expected = told(world.run(folder, whole, "whole.db"))
        assert len(expected) == len(world.texts) * world.repeat
        assert set(whole.answered.values()) == {1}
        answered: Counter[str] = Counter()
        for dies_at, how in ends:
            model = Model(dies_at, how, busy)
            try:
                world.run(folder, model, "part.db").close()
            except BaseException as error:
                if not isinstance(error, RuntimeError | asyncio.CancelledError | Killed):
                    raise
            answered += model.answered
        last = Model(busy=busy)
        assert told(world.run(folder, last, "part.db")) == expected
        answered += last.answered
        assert answered == whole.answered


@settings(max_examples=10)
@given(world=worlds)
def test_again_asks_nothing(world: Setting) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        world.write(folder)
        first = told(world.run(folder, Model(), "store.db"))
        again = Model()
        assert told(world.run(folder, again, "store.db")) == first
        assert again.requests == 0


@pytest.mark.parametrize("seed", range(3))
def test_row_by_row(seed: int, tmp_path: Path) -> None:
    """Every session gets a few requests further; no session makes what is there less."""
    dice = random.Random(seed)  # noqa: S311 - no secret
    world = Setting(tuple(range(25)), 1, dice.randint(1, 6), no_cache=False)
    world.write(tmp_path)
    there, answered, sessions = 0, 0, 0
    while there < 25:
        sessions += 1
        assert sessions < 100
        model = Model(dies_at=dice.randint(2, 9))
        with suppress(RuntimeError):
            world.run(tmp_path, model, "store.db").close()
        answered += sum(model.answered.values())
        now = rows_of(tmp_path / "store.db")
        assert now >= there
        there = now
    assert answered == 2 * 25 + 2 * len([n for n in range(25) if n % 7 == 3])


@settings(max_examples=15)
@given(
    texts=st.lists(st.integers(0, 30), min_size=1, max_size=30).map(tuple),
    budgets=st.lists(st.integers(1, 40_000), min_size=1, max_size=4),
    concurrency=st.integers(1, 8),
)
def test_no_budget_is_ever_exceeded(
    texts: tuple[int, ...], budgets: list[int], concurrency: int
) -> None:
    """By what the model counted, over all sessions; and what was stopped can be gone on with."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        world = Setting(texts, 1, concurrency, no_cache=False)
        world.write(folder)
        model = Model()
        for budget in sorted(budgets):
            with asked_of(model):
                run = adjudge.run(
                    folder / "data.jsonl",
                    judge=str(folder / "pair.yaml"),
                    model="fake/m",
                    concurrency=concurrency,
                    max_tokens=50,
                    budget=f"{budget}tok",
                    store=str(folder / "store.db"),
                )
            spent = 110 * sum(model.answered.values())
            assert spent <= budget
            assert run.record.tokens == spent
            stopped = run.summary.outcomes["budget_stopped"]
            assert not stopped or run.record.state == "stopped"
            assert run.summary.verdicts == len(texts)
            run.close()
        assert set(model.answered.values()) <= {1}
