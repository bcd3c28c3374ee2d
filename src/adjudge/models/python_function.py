"""A Python function as a model: from messages to text, async or not.

A function may have changed since yesterday though its name is the same. So its replies are kept for
other runs, and its runs go on, only where the user has named it (`function_model`); any other
function makes a new run each time.
"""

from __future__ import annotations

import asyncio
import inspect
import secrets
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

from adjudge.core.prompt import Prompt, Sampling
from adjudge.core.reason import Reason
from adjudge.core.reply import Reply
from adjudge.errors import AdjudgeError, ProviderError, UsageError

from .base import Capabilities, Model
from .prices import Price

Messages = Sequence[Mapping[str, str]]
Answer = str | Reply
AskFunction = Callable[[list[dict[str, str]]], Answer | Awaitable[Answer]]
_INTERFACE = ("name", "identity", "capabilities", "ask", "aclose")


class FunctionModel(Model):
    """Asks a function; what it raises becomes a `provider_error` of that row.

    A function that is not async is called in a thread.
    """

    def __init__(self, function: AskFunction, name: str | None = None) -> None:
        self.name = name or name_of(function)
        self.named = name is not None
        self.identity = f"function {name or f'{self.name} {secrets.token_hex(8)}'}"
        self.capabilities = Capabilities(
            json_schema=False, logprobs=False, seed=False, cached=self.named
        )
        self.price: Price | None = None
        self._function: Callable[..., Any] = function
        called = getattr(function, "__call__", function)  # noqa: B004 - an object's method
        self._is_async = any(map(inspect.iscoroutinefunction, (inspect.unwrap(function), called)))

    async def ask(self, prompt: Prompt, sampling: Sampling) -> Reply:  # noqa: ARG002 - its own
        messages = [{"role": m.role, "content": m.content} for m in prompt.messages]
        begun = time.perf_counter()
        try:
            if self._is_async:
                answer = await self._function(messages)
            else:
                answer = await asyncio.to_thread(self._function, messages)
                if inspect.isawaitable(answer):
                    answer = await answer
        except AdjudgeError:
            raise
        except Exception as error:  # of whatever kind: it is the user's code
            why = {"kind": type(error).__name__, "why": str(error)}
            raise ProviderError(Reason("model.raised", model=self.name, **why)) from error
        if isinstance(answer, Reply):
            return answer
        if not isinstance(answer, str):
            kind = type(answer).__name__
            raise ProviderError(Reason("model.not_text", model=self.name, kind=kind), fatal=True)
        return Reply(text=answer, latency_ms=(time.perf_counter() - begun) * 1000)

    async def aclose(self) -> None:
        """It holds nothing."""


def function_model(function: AskFunction, *, name: str) -> FunctionModel:
    """A function as a model with a name of its own, so that its replies are kept.

    function: from messages, `[{"role": "user", "content": "…"}, …]`, to text or a `Reply`.
    name: change it when the function's answers change: replies are kept under it.
    """
    if not name.strip():
        raise UsageError(Reason("model.blank_name"))
    return FunctionModel(function, name)


def model_from(model: object) -> Model:
    """An object with the provider interface, or a callable; UsageError for anything else."""
    if all(hasattr(model, part) for part in _INTERFACE):
        return model  # type: ignore[return-value] # as far as can be seen
    if callable(model):
        return FunctionModel(model)
    raise UsageError(Reason("model.no_model", kind=type(model).__name__))


def name_of(function: object) -> str:
    """What the function is called; of a partial one what is inside, of an object its class."""
    inner = getattr(function, "func", function)
    name = getattr(inner, "__name__", None) or type(inner).__name__
    return "lambda" if name == "<lambda>" else str(name)
