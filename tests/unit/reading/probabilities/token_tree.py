"""A model that is known to the last token, and the replies that it gives.

Its ways of writing a value are token sequences with their probabilities; each ends with the token
that ends the value. A reply shows all that could have stood at each of its tokens.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from adjudge.core.reply import Reply, TokenLogprob
from adjudge.reading import CriterionReading, expected_reading
from adjudge.reading.read import read

from ..asked import judge_of

Ways = Mapping[tuple[str, ...], float]


def reply_of(ways: Ways, sampled: Sequence[str], before: Sequence[str] = ()) -> Reply:
    """The reply that took the sampled way, behind tokens that were certain."""
    tokens = [TokenLogprob(token, 0.0, {token: 0.0}) for token in before]
    for at, token in enumerate(sampled):
        options = _next(ways, tuple(sampled[:at]))
        top = {each: math.log(p) for each, p in options.items() if p > 0}
        tokens.append(TokenLogprob(token, top[token], top))
    return Reply(text="".join(each.token for each in tokens), logprobs=tuple(tokens))


def _next(ways: Ways, path: tuple[str, ...]) -> dict[str, float]:
    options: dict[str, float] = {}
    for way, probability in ways.items():
        if way[: len(path)] == path and len(way) > len(path):
            options[way[len(path)]] = options.get(way[len(path)], 0.0) + probability
    total = math.fsum(options.values())
    return {token: p / total for token, p in options.items()}


def weighed(
    scale: str, reply: Reply, *, form: str = "json", least_mass: float = 0.0
) -> CriterionReading:
    """What becomes of the one criterion that a reply was asked for."""
    judge, criteria = judge_of(scale, form=form), ("quality",)
    reading = read(judge, criteria, reply)
    return expected_reading(judge, criteria, reply, reading, least_mass).scores["quality"]
