"""A request's key: equal for equal requests, whichever run makes them."""

from __future__ import annotations

from hashlib import blake2b

import orjson

from adjudge.core.prompt import Prompt, Sampling
from adjudge.models.base import Model


def request_key(model: Model, prompt: Prompt, sampling: Sampling, scope: str) -> str:
    """64 hexadecimal digits over everything that shapes the reply.

    `scope` keeps the requests of a run apart that must not share replies with others.
    """
    request = (
        model.identity,
        prompt.messages,
        prompt.schema,
        sampling,
        prompt.sample,
        scope,
        # Left out where there is none: what was paid for before there were any stays good.
        *((prompt.target,) if prompt.target is not None else ()),
    )
    try:
        content = orjson.dumps(request, default=dict)
    except TypeError:  # half of a surrogate pair: such a prompt is refused later, with its reason
        content = repr(request).encode(errors="surrogatepass")
    return blake2b(content, digest_size=32).hexdigest()
