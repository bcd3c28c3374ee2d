"""A check finds out by asking, also what a server takes and then ignores."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from adjudge.core.prompt import Prompt, Sampling
from adjudge.core.reply import Reply, TokenLogprob, Usage
from adjudge.errors import ProviderError
from adjudge.models.base import Capabilities, Likelihoods, Model
from adjudge.models.embedded import EmbeddedModel
from adjudge.models.prices import Price
from adjudge.running.asking import retry
from adjudge.running.check import Check, check_capabilities

Answers = Callable[[Prompt, Sampling], Reply]


def obedient(prompt: Prompt, sampling: Sampling) -> Reply:
    """Does all that is asked of it."""
    wanted = {"verdict": "plum", "greeting": "123-456"}
    text = "Hello" if prompt.schema is None else json.dumps(wanted)
    if sampling.seed is not None:
        text = str(1000 + sampling.seed)
    tokens = (
        (TokenLogprob(text, -0.1, {text: -0.1, "Hi": -2.5}),) if sampling.top_logprobs else None
    )
    return Reply(text=text, logprobs=tokens, usage=Usage(input_tokens=10, output_tokens=2))


class Likely(Likelihoods):
    async def of(self, given: str, text: str) -> Reply:
        return Reply(text="", logprobs=(TokenLogprob(text, -1.5, {}),))


@dataclass
class Scripted(Model):
    answers: Answers = obedient
    asked: list[tuple[Prompt, Sampling]] = field(default_factory=list)
    name = identity = "test/model"

    def __post_init__(self) -> None:
        self.capabilities = Capabilities()
        self.price = Price(1.0, 2.0)
        self.likelihoods = Likely()
        self.ways = {"json": "tool"}

    async def ask(self, prompt: Prompt, sampling: Sampling) -> Reply:
        self.asked.append((prompt, sampling))
        return self.answers(prompt, sampling)

    async def context_size(self) -> int | None:
        return 4096


@pytest.fixture(autouse=True)
def no_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retry, "_FIRST_WAIT", 0.001)


def checked(model: Model) -> Check:
    return asyncio.run(check_capabilities(model))


def test_a_model_that_can_do_everything() -> None:
    model = Scripted()
    result = checked(model)
    found = result.findings
    assert (found.json_schema, found.logprobs, found.likelihood, found.seed) == (True,) * 4
    assert found.patterns is True
    assert found.context == 4096
    assert found.ways == {"json": "tool"}
    assert result.calls == len(model.asked) + 1 == 8
    assert (result.usage.input_tokens, result.usage.output_tokens) == (70, 14)
    assert result.price == Price(1.0, 2.0)


def test_a_schema_that_is_taken_and_ignored_is_found_out() -> None:
    def ignores(prompt: Prompt, sampling: Sampling) -> Reply:
        return Reply(text="Hello") if prompt.schema else obedient(prompt, sampling)

    found = checked(Scripted(ignores))
    assert found.findings.json_schema is False
    assert "not followed" in found.said["JSON schema"]


def test_patterns_that_are_taken_and_ignored_are_found_out() -> None:
    def ignores(prompt: Prompt, sampling: Sampling) -> Reply:
        if prompt.schema and "pattern" in json.dumps(prompt.schema):
            return Reply(text='{"greeting": "Hello"}')
        return obedient(prompt, sampling)

    found = checked(Scripted(ignores))
    assert (found.findings.json_schema, found.findings.patterns) == (True, False)
    assert "not followed" in found.said["patterns"]


def test_a_server_that_refuses_patterns_keeps_its_schemas() -> None:
    model = Scripted()

    def refuses(prompt: Prompt, sampling: Sampling) -> Reply:
        if prompt.schema and "pattern" in json.dumps(prompt.schema):
            model.capabilities = replace(model.capabilities, json_schema=False)
            model.ways = {"json": None}
            return Reply(text="Hello")
        return obedient(prompt, sampling)

    model.answers = refuses
    found = checked(model)
    assert (found.findings.json_schema, found.findings.patterns) == (True, False)
    assert found.findings.ways == {"json": "tool"}
    assert model.capabilities.json_schema


def test_probabilities_that_do_not_come() -> None:
    found = checked(Scripted(lambda prompt, sampling: Reply(text="Hello")))
    assert found.findings.logprobs is False
    assert "did not come" in found.said["logprobs"]


@pytest.mark.parametrize(
    ("replies", "seed", "said"),
    [(["5", "6", "7"], False, "two replies"), (["5", "5", "5"], None, "the same reply too")],
)
def test_seeds_that_do_nothing(replies: list[str], seed: bool | None, said: str) -> None:
    left = iter(replies)

    def draws(prompt: Prompt, sampling: Sampling) -> Reply:
        return Reply(text=next(left)) if sampling.seed is not None else obedient(prompt, sampling)

    found = checked(Scripted(draws))
    assert found.findings.seed is seed
    assert said in found.said["seed"]


def test_what_is_not_offered_is_not_tried() -> None:
    model = Scripted()
    model.capabilities = Capabilities(logprobs=False, seed=False)
    model.likelihoods = None
    found = checked(model)
    assert (found.findings.logprobs, found.findings.likelihood, found.findings.seed) == (None,) * 3
    assert found.said["likelihood"] == found.said["seed"] == "no: not offered"
    assert len(model.asked) == 3


def test_a_capability_that_is_lost_on_the_way() -> None:
    model = Scripted()

    def refuses(prompt: Prompt, sampling: Sampling) -> Reply:
        if prompt.schema:
            model.capabilities = Capabilities(json_schema=False)
            model.ways = {"json": None}
        return obedient(prompt, sampling)

    model.answers = refuses
    found = checked(model).findings
    assert found.json_schema is False
    assert found.ways == {"json": None}


def test_one_look_that_fails_leaves_the_others() -> None:
    def fails(prompt: Prompt, sampling: Sampling) -> Reply:
        if sampling.top_logprobs:
            raise ProviderError("out of breath", retryable=True)
        return obedient(prompt, sampling)

    found = checked(Scripted(fails))
    assert found.findings.logprobs is None
    assert found.said["logprobs"].startswith("not known: out of breath")
    assert found.findings.seed is True


def test_a_model_that_does_not_answer_has_no_findings() -> None:
    def fails(prompt: Prompt, sampling: Sampling) -> Reply:
        raise ProviderError("nobody there")

    with pytest.raises(ProviderError, match="nobody there"):
        checked(Scripted(fails))


def test_a_reply_that_was_cut_says_nothing_about_schemas() -> None:
    def cut(prompt: Prompt, sampling: Sampling) -> Reply:
        return Reply(text='{"ver', finish="length") if prompt.schema else obedient(prompt, sampling)

    found = checked(Scripted(cut))
    assert found.findings.json_schema is None
    assert "length" in found.said["JSON schema"]


def test_the_embedded_model(smollm: Path) -> None:
    found = checked(EmbeddedModel(str(smollm), 100.0)).findings
    assert (found.json_schema, found.logprobs, found.seed) == (True, True, True)
    assert found.context == 8192


def test_a_passing_failure_is_waited_out() -> None:
    failed: list[int] = []

    def hiccups(prompt: Prompt, sampling: Sampling) -> Reply:
        if len(failed) % 2 == 0:
            failed.append(1)
            raise ProviderError("slow down", retryable=True, retry_after=0.001)
        failed.append(0)
        return obedient(prompt, sampling)

    found = checked(Scripted(hiccups))
    assert found.findings.json_schema is True
    assert found.calls == 2 * 7 + 1


def test_a_seed_that_is_refused() -> None:
    model = Scripted()

    def refuses(prompt: Prompt, sampling: Sampling) -> Reply:
        if sampling.seed is not None:
            model.capabilities = Capabilities(seed=False)
        return Reply(text="7") if sampling.seed is not None else obedient(prompt, sampling)

    model.answers = refuses
    found = checked(model)
    assert found.findings.seed is False
    assert found.said["seed"] == "no: the server refuses a seed"


def test_empty_replies_are_no_answer() -> None:
    with pytest.raises(ProviderError, match="empty reply"):
        checked(Scripted(lambda *_: Reply(text="")))
