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
from adjudge.errors import ProviderError
from adjudge.judges.load import load_text
from adjudge.judges.render import Renderer
from adjudge.models.base import Capabilities, Model
from adjudge.running.asking.budget import BudgetStopped, Ledger
from adjudge.running.asking.client import ModelClient
from adjudge.running.asking.limits import Limits
from adjudge.running.asking.stop import Stop
from adjudge.running.call import Caller
from adjudge.running.one import judge_item
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


PROBABLE = Sampling(top_logprobs=20)


def judged(model: Model, sampling: Sampling = PROBABLE, **more: Any) -> Verdict:
    async def run() -> Verdict:
        client = ModelClient(model, sampling, Limits(4, Stop()), Ledger())
        prompts = Renderer(judge(), b"x").prompts(Item("1", {"answer": "Yes."}))
        return await judge_item(Caller(judge(), client, **more), prompts)

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
    usage = Usage(input_tokens=7, output_tokens=1)
    model = Scripted(lambda *_: Reply(text=f"clarity: {next(said)}", usage=usage))
    verdict = judged(model, samples=True)
    score = verdict.scores["clarity"]
    assert score.value == pytest.approx(4.4)
    assert score.distribution == pytest.approx({"4": 0.6, "5": 0.4})
    (note,) = map(str, verdict.notes)
    assert note == (
        f"clarity rests on {SAMPLES} samples, since the model gave no probabilities of its tokens"
    )
    assert score.mass is None  # no probability was counted
    assert len(model.asked) == 1 + SAMPLES
    assert {each.temperature for each in model.asked[1:]} == {1.0}
    assert {each.top_logprobs for each in model.asked[1:]} == {0}
    assert verdict.usage.input_tokens == 7 * (1 + SAMPLES)


def test_what_could_not_be_read_is_counted() -> None:
    said = iter(["clarity: 4", *["no"] * 3, *["clarity: 4"] * 7])
    verdict = judged(Scripted(lambda *_: Reply(text=next(said))), samples=True)
    assert verdict.scores["clarity"].value == 4
    assert str(verdict.notes[0]).startswith("clarity rests on 7 of 10 samples, since ")
    (call,) = verdict.calls
    assert [each.kind for each in call.exchanges] == ["question", *["sample"] * SAMPLES]
    assert [each.reply for each in call.exchanges].count("no") == 3
    assert (call.replies, verdict.reply) == (("clarity: 4",), "clarity: 4")  # what pages show


def test_where_no_probabilities_were_asked_for_none_are_missed() -> None:
    model = Scripted(lambda *_: Reply(text="clarity: 4"))
    verdict = judged(model, Sampling(top_logprobs=0), samples=True)
    assert tuple(map(str, verdict.notes)) == (
        f"clarity rests on {SAMPLES} samples, since no probabilities were asked for",
    )


def test_too_few_readable_samples_are_no_score() -> None:
    said = iter(["clarity: 4", *["no"] * 6, *["clarity: 4"] * 4])
    score = judged(Scripted(lambda *_: Reply(text=next(said))), samples=True).scores["clarity"]
    assert (score.outcome, score.raw) == (Outcome.UNREADABLE, 4)
    assert str(score.why) == (
        "the model gave no probabilities of its tokens; of 10 samples instead only 4 could be read"
    )


@pytest.mark.parametrize(
    ("error", "outcome"),
    [
        (ProviderError("the server is down"), Outcome.PROVIDER_ERROR),
        (BudgetStopped("the budget is used up"), Outcome.BUDGET_STOPPED),
    ],
)
def test_samples_that_do_not_come_are_asked_for_again(error: Exception, outcome: Outcome) -> None:
    """A verdict that lacks an answer is no verdict for good."""

    def answer(_: Prompt, sampling: Sampling) -> Reply:
        if not sampling.top_logprobs:
            raise error
        return Reply(text="clarity: 4")

    score = judged(Scripted(answer), samples=True).scores["clarity"]
    assert (score.outcome, score.raw) == (outcome, 4)
    assert str(score.why).endswith(f"of 10 samples instead only 0 could be read ({error})")


# A value that the tokens cover 30% of.
LITTLE = {"4": math.log(0.3), "Well": math.log(0.6)}


def little_covered(_: Prompt, sampling: Sampling) -> Reply:
    tokens = (TokenLogprob("4", LITTLE["4"], LITTLE),)
    return Reply(text="4", logprobs=tokens if sampling.top_logprobs else None)


def test_a_little_covered_mass_is_not_enough() -> None:
    score = judged(Scripted(little_covered)).scores["clarity"]
    assert (score.outcome, score.value, score.raw) == (Outcome.UNREADABLE, None, 4)
    assert "cover only 30%" in str(score.why)
    assert score.mass == pytest.approx(0.3)


def test_with_a_little_covered_mass_samples_are_taken() -> None:
    model = Scripted(little_covered)
    verdict = judged(model, samples=True)
    score = verdict.scores["clarity"]
    assert (score.value, score.distribution, score.mass) == (4, {"4": 1.0}, None)
    (note,) = map(str, verdict.notes)
    assert note.startswith("clarity rests on 10 samples, since the probabilities")
    assert "cover only 30%" in note
    assert len(model.asked) == 1 + SAMPLES


def test_with_a_little_covered_mass_and_no_samples_both_are_said() -> None:
    def answer(prompt: Prompt, sampling: Sampling) -> Reply:
        return little_covered(prompt, sampling) if sampling.top_logprobs else Reply(text="Well")

    score = judged(Scripted(answer), samples=True).scores["clarity"]
    assert score.outcome is Outcome.UNREADABLE
    assert "cover only 30%" in str(score.why)
    assert "of 10 samples instead only 0 could be read" in str(score.why)
    assert score.mass == pytest.approx(0.3)
