"""What every provider offers to the rest of the program."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal, Protocol

from adjudge.core.prompt import Profile, Prompt, Sampling
from adjudge.core.reason import Reason
from adjudge.core.reply import Reply
from adjudge.errors import ProviderError

from .prices import Price


@dataclass(frozen=True, slots=True, kw_only=True)
class Capabilities:
    """What a model can do.

    `json_schema`: replies can be bound to a schema, and with `patterns` the texts in it to a
    regular expression. `small`: grades better with help that a large model does not need.
    `logprobs`: token probabilities are returned. `seed`: sampling can be seeded. `context`: the
    most tokens that a prompt and its reply may have together, None when that is not known.
    `converses`: a further question about a reply can be asked (a replay cannot answer one).
    `bytes_per_token`: how many bytes of plain and of other text make one token, rather too few than
    too many.
    `concurrency`: the most requests that make sense at once, None when the user decides.
    `cached`: replies are worth keeping, since asking again costs something.
    """

    json_schema: bool = True
    patterns: bool = False
    small: bool = False
    logprobs: bool = True
    seed: bool = True
    context: int | None = None
    bytes_per_token: tuple[float, float] = (3.5, 2.5)
    converses: bool = True
    concurrency: int | None = None
    cached: bool = True

    @property
    def profile(self) -> Profile:
        """How prompts are made for a model that can do this."""
        return Profile(
            bind_language=self.json_schema and self.patterns,
            flags_first=self.small,
            facts=self.small,
            check=self.small,
        )


def sampling_fields(sampling: Sampling) -> dict[str, object]:
    """Temperature and seed, by the names that most servers have for them, where they are set."""
    fields = {"temperature": sampling.temperature, "seed": sampling.seed}
    return {name: value for name, value in fields.items() if value is not None}


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelOptions:
    """What the user may say about any model.

    `timeout` is in seconds for one request. `price` goes before the published one. `offline`: it
    will not be asked, so that no key is needed.
    """

    base_url: str | None = None
    timeout: float = 120.0
    price: Price | None = None
    offline: bool = False


@dataclass(frozen=True, slots=True)
class GenerationProgress:
    """How far a model is with a reply, in tokens; `call` counts its replies from 1.

    `read` of the `prompt` has been read, what was known before included, and `written` so far.
    """

    call: int
    prompt: int
    read: int
    written: int


@dataclass(frozen=True, slots=True)
class BatchState:
    """How far a batch is.

    `ended`: its results can be had. `failed`: nothing will come; `why` says so. `done` and `total`
    count requests, where they are known.
    """

    status: Literal["running", "ended", "failed"]
    done: int = 0
    total: int = 0
    why: Reason | str = ""


class ProviderBatches(Protocol):
    """Many requests in one go, answered within a day at a lower price.

    `most_requests` and `most_bytes` bound what one batch may hold. All methods that send something
    raise ProviderError; retrying is the caller's business.
    """

    most_requests: int
    most_bytes: int

    def line(self, key: str, prompt: Prompt, sampling: Sampling) -> bytes:
        """One request, encoded. `key` is 64 hexadecimal digits and comes back with the result."""
        ...

    async def submit(self, lines: Sequence[bytes], label: str) -> str:
        """The id of a new batch; `label` is kept with it where the provider can."""
        ...

    async def find(self, label: str) -> str | None:
        """The id of a batch that was submitted with this label.

        For a crash between submitting and noting the id. None when there is none, or when the
        provider keeps no labels.
        """
        ...

    async def state(self, batch: str) -> BatchState: ...

    def results(self, batch: str) -> AsyncIterator[tuple[str, Reply | ProviderError]]:
        """Key and reply, or what went wrong with that one request, as they are read."""
        ...


class Likelihoods(Protocol):
    """The model's probabilities of a text from outside, not of one that it wrote."""

    async def of(self, prefix: str, text: str) -> Reply:
        """A reply without text, whose `logprobs` are those of `text` as it follows `prefix`.

        No chat template is put around them. ProviderError when the server does not tell; never a
        guess in the place of a probability.
        """
        ...


class Model(Protocol):
    """A model that answers. Open it, ask it, close it; asking may happen concurrently.

    A provider's class derives from this one, and so has what is optional in the plainest form.

    `identity` differs where only the name is the same (another server, another content of a file):
    two runs with the same identity ask the same. `price` is None when it is not known. `batches`
    and `likelihoods` are None when the model offers no such thing. `ways` says in which of several
    forms a part of a request is sent, None for not at all; a provider that finds out by asking
    changes it, and takes what was found on another day.
    `on_progress` is called as tokens come, from any thread, by models that report them.
    """

    name: str
    identity: str
    capabilities: Capabilities
    price: Price | None = None
    batches: ProviderBatches | None = None
    likelihoods: Likelihoods | None = None
    ways: Mapping[str, str | None] = MappingProxyType({})
    on_progress: Callable[[GenerationProgress], None] | None = None

    async def ask(self, prompt: Prompt, sampling: Sampling) -> Reply:
        """The reply, or ProviderError. Makes one request: retrying is the caller's business."""
        ...

    async def context_size(self) -> int | None:
        """The context in tokens as the server reports it, None where it does not.

        At most one request, which costs nothing. ProviderError when the server cannot be reached.
        """
        return self.capabilities.context

    async def aclose(self) -> None:
        """Frees what it holds."""
