"""The parts of a chat completions request that servers differ on, and in which ways.

A part is sent in the best way that the server is not known to refuse. A refusal is read from what
the server says: that moves the part to its next way, for good.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from adjudge.core.prompt import Prompt, Sampling

from .complaints import Complaint
from .ways import Forms, Ways

# What a server is asked for that nothing is known about: best first, None for leaving the part
# out. The token limit is never left out: without it a reply may cost any amount.
FORMS: Forms = MappingProxyType(
    {
        "response_format": ("strict", "json_schema", "json_object", None),
        "logprobs": ("logprobs", None),
        "limit": ("max_completion_tokens", "max_tokens"),
        "temperature": ("temperature", None),
        "seed": ("seed", None),
    }
)
# The ways that give what was asked for; of the formats those that bind a reply to a schema, and not
# to JSON alone.
CAPABLE = frozenset(
    {"strict", "json_schema", "object_schema", "guided", "logprobs", "logprobs_count", "seed"}
)

# What goes first where a server says that it does not take something, but not what.
_DISPENSABLE = ("seed", "logprobs", "response_format", "temperature", "limit")


@dataclass(frozen=True, slots=True)
class _Signs:
    """How a complaint about a part is recognised.

    `names` finds it in an error. `alone`: any complaint that names it counts, as even a wrong value
    for it says nothing about the judging; else the complaint has to say that it is not wanted.
    """

    names: re.Pattern[str]
    alone: bool = False


_SIGNS: Mapping[str, _Signs] = {
    "response_format": _Signs(
        re.compile(
            r"response.format|json.schema|json_object|\bstrict\b|grammar|guided|structured.output",
            re.IGNORECASE,
        ),
        alone=True,
    ),
    "logprobs": _Signs(re.compile("logprobs", re.IGNORECASE), alone=True),
    "limit": _Signs(re.compile("max_(completion_)?tokens")),
    "temperature": _Signs(re.compile("temperature", re.IGNORECASE)),
    "seed": _Signs(re.compile(r"\bseed\b", re.IGNORECASE)),
}
_UNWANTED = re.compile(
    r"unsupported|not.{0,12}support|unknown|unrecogni[sz]ed|unexpected|extra|forbidden|deprecated"
    r"|unavailable|not.{0,6}(permitted|allowed|available|enabled|recogni[sz]ed)|\bonly\b",
    re.IGNORECASE,
)


def asked_for(prompt: Prompt, sampling: Sampling) -> dict[str, object]:
    """The parts that this request needs, each with its value."""
    wanted: dict[str, object] = {"limit": sampling.max_tokens}
    if sampling.temperature is not None:
        wanted["temperature"] = sampling.temperature
    if sampling.seed is not None:
        wanted["seed"] = sampling.seed
    if sampling.top_logprobs:
        wanted["logprobs"] = sampling.top_logprobs
    if prompt.schema is not None:
        wanted["response_format"] = prompt.schema
    return wanted


def written(parts: Mapping[str, object], ways: Ways) -> dict[str, object]:
    """The fields of the body that stand for the parts, in these ways."""
    body: dict[str, object] = {}
    for part, value in parts.items():
        way = ways[part]
        if way is not None:
            write = _WRITERS.get(way)
            body |= write(value) if write else {way: value}
    return body


def refused(told: Complaint, parts: Collection[str]) -> str | None:
    """Which of the parts the server does not take; what it points at counts before what it says."""
    unwanted = bool(_UNWANTED.search(f"{told.code} {told.message}"))
    for where in (told.param, told.message):
        for part, signs in _SIGNS.items():
            if part in parts and signs.names.search(where) and (signs.alone or unwanted):
                return part
    return None


def dispensable(parts: Collection[str], ways: Ways, forms: Forms) -> str | None:
    """Which of the parts to change where the server does not say which one it refuses."""
    movable = (part for part in _DISPENSABLE if part in parts and ways[part] != forms[part][-1])
    return next(movable, None)


def _named(schema: object, **more: object) -> dict[str, object]:
    return {
        "response_format": {
            "type": "json_schema",
            "json_schema": {"name": "verdict", "schema": schema} | more,
        }
    }


# What a way puts into the body; a way that is not here is the name of the field itself.
_WRITERS: Mapping[str, Callable[[object], dict[str, object]]] = {
    "strict": lambda schema: _named(schema, strict=True),
    "json_schema": _named,
    "object_schema": lambda schema: {"response_format": {"type": "json_object", "schema": schema}},
    "json_object": lambda _: {"response_format": {"type": "json_object"}},
    # Servers of this kind ignore the name that their version does not know.
    "guided": lambda schema: {"guided_json": schema, "structured_outputs": {"json": schema}},
    "logprobs": lambda count: {"logprobs": True, "top_logprobs": count},
    "logprobs_count": lambda count: {"logprobs": count},
}
