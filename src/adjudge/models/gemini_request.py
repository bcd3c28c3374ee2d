"""What generateContent is asked: a prompt in its words, a schema in one of its two dialects."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from adjudge.core.prompt import Message, Prompt, Sampling

from .ways import Forms, Ways

# Older models take only the API's own dialect of schemas, the oldest JSON without any.
FORMS: Forms = {
    "json": ("json_schema", "schema", "json", None),
    "logprobs": ("logprobs", None),
    "temperature": ("temperature", None),
    "seed": ("seed", None),
}
_ROLES = {"user": "user", "assistant": "model"}
_MOST_LOGPROBS = 20


def body_of(prompt: Prompt, sampling: Sampling, ways: Ways) -> dict[str, Any]:
    system = [turn.content for turn in prompt.messages if turn.role == "system" and turn.content]
    body: dict[str, Any] = {
        "contents": [_content(turn) for turn in prompt.messages if turn.role != "system"],
        "generationConfig": _config(prompt, sampling, ways),
    }
    if system:
        body["systemInstruction"] = {"parts": [{"text": text} for text in system]}
    return body


def _content(turn: Message) -> dict[str, object]:
    # The API refuses a part without text, which a model's own earlier reply may be.
    text = turn.content if turn.content.strip() else "(nothing)"
    return {"role": _ROLES[turn.role], "parts": [{"text": text}]}


def _config(prompt: Prompt, sampling: Sampling, ways: Ways) -> dict[str, object]:
    config: dict[str, object] = {"maxOutputTokens": sampling.max_tokens}
    if sampling.temperature is not None and ways["temperature"]:
        config["temperature"] = sampling.temperature
    if sampling.seed is not None and ways["seed"]:
        config["seed"] = sampling.seed
    if sampling.top_logprobs and ways["logprobs"]:
        config["responseLogprobs"] = True
        config["logprobs"] = min(sampling.top_logprobs, _MOST_LOGPROBS)
    if prompt.schema is not None and ways["json"]:
        config["responseMimeType"] = "application/json"
        if ways["json"] == "json_schema":
            config["responseJsonSchema"] = prompt.schema
        elif ways["json"] == "schema":
            config["responseSchema"] = in_own_dialect(prompt.schema)
    return config


def in_own_dialect(schema: Mapping[str, Any]) -> dict[str, Any]:
    """The schema as a Schema object of the API.

    Its types are in capitals, its enums hold texts only (a list of numbers becomes their least and
    greatest), it knows no additionalProperties, and the order of properties has to be said. The
    length of lists is left out: many such bounds are refused, without a word about which.
    """
    own: dict[str, Any] = {"type": schema["type"].upper()}
    values = schema.get("enum")
    if values and own["type"] == "STRING":
        own |= {"format": "enum", "enum": values}
    elif values:
        own |= {"minimum": min(values), "maximum": max(values)}
    own |= {name: schema[name] for name in ("minimum", "maximum", "required") if name in schema}
    if "items" in schema:
        own["items"] = in_own_dialect(schema["items"])
    if "properties" in schema:
        parts = schema["properties"]
        own["properties"] = {name: in_own_dialect(part) for name, part in parts.items()}
        own["propertyOrdering"] = list(parts)
    return own
