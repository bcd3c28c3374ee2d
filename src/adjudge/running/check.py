"""Tiny calls that find out what a model can do, before a run depends on it."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, TypeVar

import orjson

from adjudge.core.prompt import Message, Prompt, Sampling
from adjudge.core.reason import Reason
from adjudge.core.reply import NO_USAGE, Reply, Usage
from adjudge.errors import ProviderError
from adjudge.models import Capabilities, Model, Price
from adjudge.models.model_checks import ModelCheck

from .asking.retry import with_retries
from .asking.stop import Stop

T = TypeVar("T")

# Enough for models that reason before they answer; the others stop after a few.
_TOKENS = 512
# The schema wants something else than the question does: only one that binds gets its way.
_SCHEMA = {
    "type": "object",
    "properties": {"verdict": {"type": "string", "enum": ["plum", "quince"]}},
    "required": ["verdict"],
    "additionalProperties": False,
}
# The same for a text: no greeting is made of digits.
_PATTERN = "^[0-9]{3}-[0-9]{3}$"
_PATTERN_SCHEMA = {
    "type": "object",
    "properties": {"greeting": {"type": "string", "pattern": _PATTERN}},
    "required": ["greeting"],
    "additionalProperties": False,
}
_QUESTION = "Greet me in one word."
_DRAW = "Write one random whole number between 1 and 1000000 and nothing else."
_GIVEN, _TEXT = "The capital of France is", " Paris."


@dataclass(frozen=True, slots=True)
class Check:
    """What was found, the same in words by what was looked at, and what it took."""

    findings: ModelCheck
    said: Mapping[str, str]
    price: Price | None
    usage: Usage
    calls: int


async def check_capabilities(model: Model) -> Check:
    """Asks some eight times. ProviderError when not even a plain question is answered."""
    look = _Look(model)
    await look.plain()
    abilities: dict[str, Any] = {
        "json_schema": await look.json_schema(),
        "patterns": await look.patterns(),
        "logprobs": await look.logprobs(),
        "likelihood": await look.likelihood(),
        "seed": await look.seed(),
        "context": await look.context(),
    }
    date = datetime.now(UTC).date().isoformat()
    # The ways last: the calls may have changed them.
    findings = ModelCheck(identity=model.identity, date=date, ways=dict(model.ways), **abilities)
    return Check(findings, look.said, model.price, look.usage, look.calls)


class _Look:
    def __init__(self, model: Model) -> None:
        self._model = model
        self.said: dict[str, str] = {}
        self.usage, self.calls = NO_USAGE, 0
        self._stop = Stop()

    def _can(self) -> Capabilities:
        return self._model.capabilities  # as of now: a call may have changed it

    async def plain(self) -> None:
        reply = await self._ask(_QUESTION, Sampling(max_tokens=_TOKENS))
        if not reply.text.strip():
            end = reply.refusal or reply.finish
            raise ProviderError(Reason("check.empty_reply", model=self._model.name, end=end))
        self.said["answers"] = f"yes, in {reply.latency_ms / 1000:.1f} s"

    async def json_schema(self) -> bool | None:
        prompt = Prompt(messages=(Message("user", _QUESTION),), criteria=(), schema=_SCHEMA)

        async def bound() -> tuple[bool | None, str]:
            reply = await self._counted(prompt, Sampling(max_tokens=_TOKENS))
            if not self._can().json_schema:
                return False, "no: the server refuses a schema; replies are asked for in words"
            if reply.finish != "stop":
                return None, f"not known: the reply ended with {reply.finish!r}"
            if _reported(reply.text, "verdict") in ("plum", "quince"):
                return True, "yes"
            return False, "no: the schema was taken and not followed; replies are read as they come"

        return await self._found("JSON schema", bound)

    async def patterns(self) -> bool | None:
        prompt = Prompt(messages=(Message("user", _QUESTION),), criteria=(), schema=_PATTERN_SCHEMA)

        async def bound() -> tuple[bool | None, str]:
            if not self._can().json_schema:
                return False, "no: there is no schema that could hold them"
            before = self._model.capabilities, self._model.ways
            try:
                reply = await self._counted(prompt, Sampling(max_tokens=_TOKENS))
            except ProviderError as error:
                if error.retryable:
                    raise
                return False, "no: the server refuses them"
            if not self._can().json_schema:
                # It refused this schema, not every one.
                self._model.ways = before[1]
                self._model.capabilities = before[0]
                return False, "no: the server refuses them"
            if reply.finish != "stop":
                return None, f"not known: the reply ended with {reply.finish!r}"
            if re.search(_PATTERN, _reported(reply.text, "greeting")):
                return True, "yes: explanations are bound to their language"
            return False, "no: taken and not followed; the language is asked for and checked"

        return await self._found("patterns", bound)

    async def logprobs(self) -> bool | None:
        async def told() -> tuple[bool | None, str]:
            if not self._can().logprobs:
                return None, "no: not offered"
            reply = await self._ask(_QUESTION, Sampling(max_tokens=_TOKENS, top_logprobs=5))
            if not reply.logprobs and not self._can().logprobs:
                return False, "no: the server refuses to return them"
            if not reply.logprobs:
                return False, "no: they were asked for and did not come"
            most = max(len(token.top) for token in reply.logprobs)
            return True, f"yes, with {most} alternatives per token of 5 asked for"

        return await self._found("logprobs", told)

    async def likelihood(self) -> bool | None:
        async def told() -> tuple[bool | None, str]:
            if self._model.likelihoods is None:
                return None, "no: not offered"
            of = self._model.likelihoods.of
            try:
                reply, attempts = await with_retries(lambda: of(_GIVEN, _TEXT), self._stop)
            except ProviderError as error:
                self.calls += error.attempts
                if error.retryable:
                    raise
                return False, f"no: {error}"
            self.calls += attempts
            self.usage += reply.usage
            tokens = reply.logprobs or ()
            total = sum(token.logprob for token in tokens)
            return True, f"yes: {total:.2f} for {_TEXT!r} in {len(tokens)} tokens"

        return await self._found("likelihood", told)

    async def seed(self) -> bool | None:
        async def repeats() -> tuple[bool | None, str]:
            if not self._can().seed:
                return None, "no: not offered"
            first, again, other = [
                (await self._ask(_DRAW, Sampling(temperature=1.0, max_tokens=_TOKENS, seed=n))).text
                for n in (1, 1, 2)
            ]
            if not self._can().seed:
                return False, "no: the server refuses a seed"
            if first != again:
                return False, "no: the same seed gave two replies"
            if first == other:
                return None, "not known: other seeds gave the same reply too"
            return True, "yes: the same seed gave the same reply"

        return await self._found("seed", repeats)

    async def context(self) -> int | None:
        async def told() -> tuple[int | None, str]:
            tokens = await self._model.context_size() or self._can().context
            return (
                tokens,
                f"{tokens:,} tokens" if tokens else "not known: the server does not report it",
            )

        return await self._found("context", told)

    async def _found(
        self, what: str, look: Callable[[], Awaitable[tuple[T | None, str]]]
    ) -> T | None:
        """A failure of one look leaves that one open, and the others continue."""
        try:
            ability, said = await look()
        except ProviderError as error:
            ability, said = None, f"not known: {error}"
        self.said[what] = said
        return ability

    async def _ask(self, text: str, sampling: Sampling) -> Reply:
        return await self._counted(Prompt(messages=(Message("user", text),), criteria=()), sampling)

    async def _counted(self, prompt: Prompt, sampling: Sampling) -> Reply:
        reply, attempts = await with_retries(lambda: self._model.ask(prompt, sampling), self._stop)
        self.calls += attempts
        self.usage += reply.usage
        return reply


def _reported(text: str, name: str) -> str:
    """What an object in JSON has under the name; "" where the text is no such object."""
    try:
        said = orjson.loads(text)
    except ValueError:
        return ""
    return str(said.get(name, "")) if isinstance(said, dict) else ""
