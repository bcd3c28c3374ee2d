"""What a model sends back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from .reason import Reason

# stop: ended by itself · length: cut off at the token limit · refused: by the model or a filter
Finish = Literal["stop", "length", "refused"]


_DOUBTS = 8  # kept of a sum: those of a long run would fill pages


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """Tokens of one or several calls. `cost_usd` is None when the price is not known.

    `doubts` are the counts that the provider did not tell or cannot have meant, and what stands in
    their place.
    """

    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    cost_usd: float | None = 0.0
    doubts: tuple[Reason, ...] = ()

    def __add__(self, other: Usage) -> Usage:
        if self is NO_USAGE:
            return other
        unknown = self.cost_usd is None or other.cost_usd is None
        doubts = self.doubts
        if other.doubts:  # hardly ever
            doubts = tuple(dict.fromkeys(doubts + other.doubts))
        return Usage(
            input_tokens=self.input_tokens + other.input_tokens,
            output_tokens=self.output_tokens + other.output_tokens,
            cached_tokens=self.cached_tokens + other.cached_tokens,
            cost_usd=None if unknown else (self.cost_usd or 0.0) + (other.cost_usd or 0.0),
            doubts=doubts[:_DOUBTS],
        )


NO_USAGE = Usage()


@dataclass(frozen=True, slots=True)
class TokenLogprob:
    """A token of the reply, its natural log-probability, and the likeliest tokens in its place.

    Bytes that are no whole character are written like "\\xf0\\x9f", where the provider tells them.
    `piece` then has all bytes of the token, in hexadecimal: the text alone could be meant so.
    """

    token: str
    logprob: float
    top: Mapping[str, float]
    piece: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """`refusal` holds the provider's reason when `finish` is "refused".

    `pause` is how many seconds the provider wants no further request, where its headers say that a
    limit is used up. `version` is what the provider calls the model that answered.
    """

    text: str
    finish: Finish = "stop"
    usage: Usage = NO_USAGE
    logprobs: tuple[TokenLogprob, ...] | None = None
    refusal: str | None = None
    latency_ms: float = 0.0
    pause: float | None = None
    version: str = ""
