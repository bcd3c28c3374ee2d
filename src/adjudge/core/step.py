"""A step of an agent's trace, and how its values are read whatever tool recorded them."""

from __future__ import annotations

import ast
import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Literal

StepKind = Literal["tool", "model", "message", "other"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """`arguments` are a tool's, `output` is what came back or was said. `cost` is in USD.

    `call` is the id by which a result finds its call. `origin` marks what a model's own record says
    beside the steps: a call that it `asked` for, or what it was shown (`history`). The same call or
    message may be recorded as a step too.
    """

    kind: StepKind
    name: str
    arguments: object = None
    output: str = ""
    error: str = ""
    cost: float | None = None
    tokens: int = 0
    call: str = field(default="", compare=False)
    origin: Literal["", "asked", "history"] = field(default="", compare=False)

    @property
    def text(self) -> str:
        """As a prompt shows it."""
        rows = [f"{self.kind}: {self.name}" if self.name else self.kind]
        if self.arguments not in (None, "", {}):
            rows.append(f"arguments: {as_text(self.arguments)}")
        rows += [f"output: {self.output}"] * bool(self.output)
        rows += [f"error: {self.error}"] * bool(self.error)
        return "\n".join(rows)


ARGUMENTS = ("arguments", "args", "input", "tool_input", "action_input", "parameters")
OUTPUTS = ("output", "result", "observation", "response", "content", "text", "thought")


def as_text(value: object) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def opened(value: object) -> object:
    """A text that is JSON, as what it stands for."""
    if isinstance(value, str) and value.lstrip()[:1] in ("[", "{"):
        with suppress(ValueError, RecursionError):
            return json.loads(value)
    return value


def opened_arguments(value: object) -> object:
    """The same; LangChain's tracers also write them as Python does."""
    content = opened(value)
    if isinstance(content, str) and content[:1] == "{" and len(content) < 100_000:
        with suppress(ValueError, SyntaxError, MemoryError, RecursionError):
            return ast.literal_eval(content)
    return content


def first(value: Mapping[str, Any], names: Sequence[str]) -> Any:
    return next((value[name] for name in names if value.get(name) not in (None, "")), None)


def number(value: object) -> float | None:
    with suppress(TypeError, ValueError):
        return None if isinstance(value, bool) else float(value)  # type: ignore[arg-type]
    return None


def tokens_in(usage: object) -> int:
    """Input and output together, under the names that APIs have for them."""
    if not isinstance(usage, Mapping):
        return 0
    read = first(usage, ("input_tokens", "prompt_tokens"))
    written = first(usage, ("output_tokens", "completion_tokens"))
    return int((number(read) or 0) + (number(written) or 0))


def error_text(value: object) -> str:
    if isinstance(value, Mapping):
        return as_text(value.get("message") or dict(value))
    return "" if value in (None, False, "") else as_text(value)
