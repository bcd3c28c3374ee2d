"""What the Messages API is asked: a prompt in its words, JSON as a tool or as a format."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from adjudge.core.prompt import Message, Prompt, Sampling
from adjudge.errors import ProviderError

from .ways import Forms, Ways

# The newer models take neither a forced tool nor a temperature, the older ones no format.
FORMS: Forms = {
    "json": ("tool", "format", None),
    "temperature": ("temperature", None),
}
_TOOL = "verdict"
# A format takes no bounds; the reader checks them in any case.
_BOUNDS = frozenset({"minimum", "maximum", "minItems", "maxItems", "minLength", "maxLength"})


def body_of(model: str, prompt: Prompt, sampling: Sampling, ways: Ways) -> dict[str, object]:
    body: dict[str, object] = {
        "model": model,
        "max_tokens": sampling.max_tokens,
        "messages": [_turn(turn) for turn in prompt.messages if turn.role != "system"],
    }
    system = [turn.content for turn in prompt.messages if turn.role == "system" and turn.content]
    if system:
        body["system"] = _cached(system)
    if sampling.temperature is not None and ways["temperature"]:
        body["temperature"] = _in_range(sampling.temperature)
    if prompt.schema is not None:
        body |= _binding(prompt.schema, ways["json"])
    return body


def _cached(texts: list[str]) -> list[dict[str, object]]:
    """The texts that are the same for all items of a judge, to be kept up to the last of them.

    The tool stands before them, and is kept with them.
    """
    blocks: list[dict[str, object]] = [{"type": "text", "text": text} for text in texts]
    blocks[-1]["cache_control"] = {"type": "ephemeral"}
    return blocks


def _turn(turn: Message) -> dict[str, str]:
    # The API refuses a turn without text, which a model's own earlier reply may be.
    return {"role": turn.role, "content": turn.content if turn.content.strip() else "(nothing)"}


def _in_range(temperature: float) -> float:
    if temperature > 1.0:
        raise ProviderError("Claude takes temperatures from 0 to 1: give a lower one", fatal=True)
    return temperature


def _binding(schema: Mapping[str, object], way: str | None) -> dict[str, object]:
    if way == "tool":
        tool = {"name": _TOOL, "description": "Reports the verdict.", "input_schema": schema}
        choice = {"type": "tool", "name": _TOOL, "disable_parallel_tool_use": True}
        return {"tools": [tool], "tool_choice": choice}
    if way == "format":
        form = {"type": "json_schema", "schema": _unbounded(schema)}
        return {"output_config": {"format": form}}
    return {}


def _unbounded(node: Any) -> Any:
    """A schema without bounds. A property of that name is none: its value is a mapping."""
    if isinstance(node, Mapping):
        return {
            name: _unbounded(value)
            for name, value in node.items()
            if name not in _BOUNDS or isinstance(value, Mapping)
        }
    return [_unbounded(value) for value in node] if isinstance(node, list | tuple) else node
