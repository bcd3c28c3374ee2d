"""What every provider offers to the rest of the program."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from adjudge.core.prompt import Prompt, Sampling
from adjudge.core.reply import Reply


@dataclass(frozen=True, slots=True, kw_only=True)
class Capabilities:
    """What a model can do.

    `json_schema`: replies can be bound to a schema. `logprobs`: token probabilities are returned.
    `converses`: a further question about a reply can be asked (a replay cannot answer one).
    `concurrency`: the most requests that make sense at once, None when the user decides.
    """

    json_schema: bool = True
    logprobs: bool = True
    converses: bool = True
    concurrency: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelOptions:
    """What the user may say about any model. `timeout` is in seconds for one request."""

    base_url: str | None = None
    timeout: float = 120.0


class Model(Protocol):
    """A model that answers. Open it, ask it, close it; asking may happen concurrently.

    `identity` tells apart what bears the same name (a server, the content of a file): two runs with
    the same identity ask the same.
    """

    name: str
    identity: str
    capabilities: Capabilities

    async def ask(self, prompt: Prompt, sampling: Sampling) -> Reply:
        """The reply, or ProviderError. Makes one request: retrying is the caller's business."""
        ...

    async def aclose(self) -> None: ...
