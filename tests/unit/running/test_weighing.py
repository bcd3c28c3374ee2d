"""Expected scores in a run: from probabilities, or from samples where the user allows it."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from adjudge.core.item import Item
from adjudge.core.judge import Judge
from adjudge.core.prompt import Prompt, Sampling
from adjudge.core.reply import Reply, TokenLogprob, Usage
from adjudge.core.score import Outcome
from adjudge.core.verdict import Verdict
from adjudge.judges.load import load_text
from adjudge.judges.render import Renderer
from adjudge.models.base import Capabilities, Model
from adjudge.running.asking.asker import Asker
from adjudge.running.asking.budget import Ledger
from adjudge.running.asking.limits import Limits
from adjudge.running.asking.stop import Stop
from adjudge.running.call import Caller
from adjudge.running.one import judge_one
from adjudge.running.weighing import SAMPLES

FILE = """
judge: clarity
version: 1
title: Is it clear?
language: en
explain_in: any
reply: text
inputs:
  answer: {judged: true}
criteria:
  clarity:
    guide: Is it clear?
    scale: {type: integer, min: 1, max: 5}
    explain: false
"""


def judge() -> Judge:
    return replace(load_text(FILE, "x.yaml"), method="expected")


def weighed(shares: dict[str, float]) -> Reply:
    """Says the likeliest value; the others come as alternatives."""
    top = {value: math.log(share) for value, share in shares.items()}
    said = max(shares, key=lambda value: shares[value])
    tokens = (TokenLogprob("clarity:", 0.0, {}), TokenLogprob(" ", 0.0, {}))
    return Reply(
        text=f"clarity: {said}",
        logprobs=(*tokens, TokenLogprob(said, top[said], top)),
        usage=Usage(input_tokens=10, output_tokens=3),
    )


class Scripted(Model):
    name = identity = "test/m"

    def __init__(self, answer: Callable[[Prompt, Sampling], Reply]) -> None:
        self.capabilities = Capabilities(converses=False)
        self.answer = answer
        self.asked: list[Sampling] = []

    async def ask(self, prompt: Prompt, sampling: Sampling) -> Reply:
        self.asked.append(sampling)
        return self.answer(prompt, sampling)


def judged(model: Model, **more: Any) -> Verdict:
    async def run() -> Verdict:
        sampling = Sampling(top_logprobs=20)
        asker = Asker(model, sampling, Limits(4, Stop()), Ledger())
        prompts = Renderer(judge(), b"x").prompts(Item("1", {"answer": "Yes."}))
        return await judge_one(Caller(judge(), asker, **more), prompts)

    return asyncio.run(run())


def test_the_value_is_the_mean_over_what_it_might_have_said() -> None:
    model = Scripted(lambda *_: weighed({"4": 0.5, "5": 0.3, "1": 0.2}))
    score = judged(model).scores["clarity"]
    assert score.value == pytest.approx(0.5 * 4 + 0.3 * 5 + 0.2 * 1, abs=1e-9)
    assert score.confidence == pytest.approx(0.5)
    assert score.distribution == pytest.approx({"1": 0.2, "4": 0.5, "5": 0.3})
    assert len(model.asked) == 1


def test_without_probabilities_it_is_unreadable() -> None:
    model = Scripted(lambda *_: Reply(text="clarity: 4"))
    verdict = judged(model)
    score = verdict.scores["clarity"]
    assert (score.outcome, score.value) == (Outcome.UNREADABLE, None)
    assert "no probabilities" in str(score.why)
    assert len(model.asked) == 1


def test_samples_in_their_place_are_said() -> None:
    said = iter(["4", "4", "5", "4", "5", "4", "4", "4", "5", "5", "4"])
    model = Scripted(lambda *_: Reply(text=f"clarity: {next(said)}", usage=Usage(input_tokens=7)))
    verdict = judged(model, samples=True)
    score = verdict.scores["clarity"]
    assert score.value == pytest.approx(4.4)
    assert score.distribution == pytest.approx({"4": 0.6, "5": 0.4})
    (note,) = verdict.notes
    assert note.startswith(f"clarity is the mean of {SAMPLES} samples, since the model gave no")
    assert len(model.asked) == 1 + SAMPLES
    assert {each.temperature for each in model.asked[1:]} == {1.0}
    assert {each.top_logprobs for each in model.asked[1:]} == {0}
    assert verdict.usage.input_tokens == 7 * (1 + SAMPLES)


def test_too_few_readable_samples_are_no_score() -> None:
    said = iter(["clarity: 4", *["no"] * 6, *["clarity: 4"] * 4])
    model = Scripted(lambda *_: Reply(text=next(said)))
    assert judged(model, samples=True).scores["clarity"].outcome is Outcome.UNREADABLE


def test_a_little_covered_mass_is_not_enough() -> None:
    top = {"4": math.log(0.3), "Well": math.log(0.6)}
    reply = Reply(text="4", logprobs=(TokenLogprob("4", math.log(0.3), top),))
    score = judged(Scripted(lambda *_: reply)).scores["clarity"]
    assert score.outcome is Outcome.UNREADABLE
    assert "30%" in str(score.why)
