"""How one provider speaks the chat completions protocol: a value, not code.

What is known about a provider stands in its `Dialect`, in a module of its own; everything else asks
the dialect. A provider that nothing is known about takes the plain one, and its refusals are read:
a part of a request is sent in the best way that the server is not known to refuse, and a refusal
moves the part to its next way, for good.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from adjudge.core.prompt import Prompt, Sampling
from adjudge.core.reason import Reason

from ..base import sampling_fields
from ..http.complaints import Complaint
from ..http.failures import MODEL_NAME
from ..http_model import Forms, Ways

CHAT = "/chat/completions"


def api_root(base: str) -> str:
    """What the API is below; people also give the whole address."""
    return base.rstrip("/").removesuffix(CHAT).rstrip("/")


def server_root(base: str) -> str:
    """The same for servers that offer more than what is below /v1, with or without it."""
    return api_root(base).removesuffix("/v1")


@dataclass(frozen=True, slots=True)
class ContextAt:
    """Where a server reports how many tokens a prompt and its reply may have together.

    `path` is below the root; it leads to a list of models or to one object. `names` are the fields
    that may hold the number, with dots for what lies inside another.
    """

    path: str
    names: tuple[str, ...]

    def read(self, data: Any, model: str) -> int | None:
        """The number for this model, None where there is none."""
        listed = data.get("data", data) if isinstance(data, dict) else data
        if isinstance(listed, list):
            listed = next((entry for entry in listed if _inside(entry, "id") == model), None)
        sizes = (_inside(listed, name) for name in self.names)
        return next((size for size in sizes if isinstance(size, int) and size > 0), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialect:
    """What is known about a provider.

    `provider` begins the names of its models. `key` and `base` name environment variables;
    `default_base` is empty where everybody has an address of their own. `key_field` and `key_form`
    are the header that carries the key.

    `root` makes the address that all paths are below out of the base URL and the model's name;
    `chat` and `completions` are paths there, the latter None where it reports no probabilities of
    a text from outside.

    `forms` are those of each part of a request, best first. `always` goes into every request.
    `unnamed` finds the complaint that a part is not taken, where it does not say which.

    `own`: a server that the user runs; it needs no key, and nobody charges for its tokens.
    `tells_cost`: its usage says what a request cost, in USD. `batches`: it has the Batch API.
    `start`, `model_name` and `address` are for messages: how to start a server of one's own, what
    names the model there, and what a base URL looks like.
    """

    provider: str
    key: str
    base: str
    default_base: str = ""
    key_field: str = "Authorization"
    key_form: str = "Bearer {}"
    root: Callable[[str, str], str] = lambda base, _: api_root(base)
    chat: str = CHAT
    completions: str | None = None
    forms: Forms = field(default_factory=lambda: FORMS)
    always: Mapping[str, object] = field(default_factory=dict)
    unnamed: re.Pattern[str] | None = None
    context: ContextAt | None = None
    own: bool = False
    tells_cost: bool = False
    batches: bool = False
    start: str = ""
    model_name: Reason = MODEL_NAME
    address: str = ""


def _inside(entry: Any, name: str) -> Any:
    for part in name.split("."):
        entry = entry.get(part) if isinstance(entry, dict) else None
    return entry


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


# What a part is called in a complaint.
_NAMES: Mapping[str, re.Pattern[str]] = {
    "response_format": re.compile(
        r"response.format|json.schema|json_object|\bstrict\b|grammar|guided|structured.output",
        re.IGNORECASE,
    ),
    "logprobs": re.compile("logprobs", re.IGNORECASE),
    "limit": re.compile("max_(completion_)?tokens"),
    "temperature": re.compile("temperature", re.IGNORECASE),
    "seed": re.compile(r"\bseed\b", re.IGNORECASE),
}
# Any complaint that names these counts, as even a wrong value for them says nothing about the
# judging; about the others it has to say that they are not wanted.
_NAME_IS_ENOUGH = frozenset({"response_format", "logprobs"})
_UNWANTED = re.compile(
    r"unsupported|not.{0,12}support|unknown|unrecogni[sz]ed|unexpected|extra|forbidden|deprecated"
    r"|unavailable|not.{0,6}(permitted|allowed|available|enabled|recogni[sz]ed)|\bonly\b",
    re.IGNORECASE,
)


def needed_parts(prompt: Prompt, sampling: Sampling) -> dict[str, object]:
    """The parts that this request needs, each with its value."""
    wanted: dict[str, object] = {"limit": sampling.max_tokens, **sampling_fields(sampling)}
    if sampling.top_logprobs:
        wanted["logprobs"] = sampling.top_logprobs
    if prompt.schema is not None:
        wanted["response_format"] = prompt.schema
    return wanted


def body_fields(parts: Mapping[str, object], ways: Ways) -> dict[str, object]:
    """The fields of the body that stand for the parts, in these ways."""
    body: dict[str, object] = {}
    for part, value in parts.items():
        way = ways[part]
        if way is not None:
            write = _WRITERS.get(way)
            body |= write(value) if write else {way: value}
    return body


def refused_part(complaint: Complaint, parts: Collection[str]) -> str | None:
    """Which of the parts the server does not take; what it points at counts before what it says."""
    unwanted = bool(_UNWANTED.search(f"{complaint.code} {complaint.message}"))
    for where in (complaint.param, complaint.message):
        for part, names in _NAMES.items():
            counts = unwanted or part in _NAME_IS_ENOUGH
            if counts and part in parts and names.search(where):
                return part
    return None


def dispensable_part(parts: Collection[str], ways: Ways, forms: Forms) -> str | None:
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
