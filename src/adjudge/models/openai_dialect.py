"""How one provider speaks the chat completions protocol: a value, not code.

What is known about a provider stands in its `Dialect`, in a module of its own; everything else asks
the dialect. A provider that nothing is known about takes the plain one, and its refusals are read.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from .openai_fields import FORMS
from .ways import Forms

CHAT = "/chat/completions"


def below(base: str) -> str:
    """What the API is below; people also give the whole address."""
    return base.rstrip("/").removesuffix(CHAT).rstrip("/")


def beside_v1(base: str) -> str:
    """The same for servers that offer more than what is below /v1, with or without it."""
    return below(base).removesuffix("/v1")


@dataclass(frozen=True, slots=True)
class ContextAt:
    """Where a server tells how many tokens a prompt and its reply may have together.

    `path` is below the root; it leads to a list of models or to one object. `names` are the fields
    that may hold the number, with dots for what lies inside another.
    """

    path: str
    names: tuple[str, ...]

    def read(self, told: Any, model: str) -> int | None:
        """The number that is told about this model, None where there is none."""
        listed = told.get("data", told) if isinstance(told, dict) else told
        if isinstance(listed, list):
            listed = next((each for each in listed if _id_of(each) == model), None)
        found = (_inside(listed, name) for name in self.names)
        return next((size for size in found if isinstance(size, int) and size > 0), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialect:
    """What is known about a provider.

    `provider` begins the names of its models. `key` and `base` name environment variables;
    `default_base` is empty where everybody has an address of their own. `key_field` and `key_form`
    are the header that carries the key.

    `root` makes the address that all paths are below out of the base URL and the model's name;
    `chat` and `completions` are paths there, the latter None where it tells no probabilities of a
    text that is given.

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
    root: Callable[[str, str], str] = lambda base, _: below(base)
    chat: str = CHAT
    completions: str | None = None
    forms: Forms = field(default_factory=lambda: FORMS)
    always: Mapping[str, object] = field(default_factory=dict)
    unnamed: re.Pattern[str] | None = None
    context: ContextAt | None = None
    own: bool = False
    tells_cost: bool = False
    batches: bool = False
    start: str = "start it"
    model_name: str = "the model's name"
    address: str = ""


def _id_of(entry: Any) -> Any:
    return entry.get("id") if isinstance(entry, dict) else None


def _inside(entry: Any, name: str) -> Any:
    for part in name.split("."):
        entry = entry.get(part) if isinstance(entry, dict) else None
    return entry
