"""The expected score: a reply's values weighed by the probabilities of the tokens that wrote them.

After G-Eval (Liu et al. 2023, https://arxiv.org/abs/2303.16634): the sum over the values of the
scale of each value times its probability, which tells apart what a judge would all call a 4.
"""

from __future__ import annotations

from dataclasses import replace

from adjudge.core.judge import Judge
from adjudge.core.reply import Reply
from adjudge.core.scale import Scale
from adjudge.core.score import Outcome

from .distribution import distribution
from .found import Found, Reading
from .score_tokens import score_tokens

# Below this, more than half of what the model might have said is unknown: no mean of the rest.
LEAST_MASS = 0.5


def expected(
    judge: Judge,
    criteria: tuple[str, ...],
    reply: Reply,
    reading: Reading,
    least_mass: float = LEAST_MASS,
) -> Reading:
    """The reading with every value that was read in this reply replaced by the expected one.

    A value that cannot be weighed is `unreadable` and says why: it is never silently the one that
    the text gives, which stays in `given`. What was not scored is left as it is. `least_mass` (0-1)
    is the least share of probability that must be known.
    """
    scores = dict(reading.scores)
    for name in criteria:
        found = scores.get(name)
        if found is not None and found.outcome is Outcome.SCORED:
            scale = judge.rubric.criteria[name].scale
            scores[name] = _weighed(scale, reply, found, least_mass)
    return replace(reading, scores=scores)


def _weighed(scale: Scale, reply: Reply, found: Found, least_mass: float) -> Found:
    if not reply.logprobs:
        return _unknown(found, "the model gave no probabilities of its tokens")
    if found.span is None or found.value is None:
        return _unknown(found, "it cannot be told where in the reply the value stands")
    tokens = score_tokens(scale, found.value, reply, found.span)
    if tokens is None:
        return _unknown(found, f"no tokens can be told that write {_shown(reply, found.span)}")
    weighed = distribution(scale, tokens)
    if weighed.sampled not in {None, found.value}:
        return _unknown(found, f"the tokens of {_shown(reply, found.span)} mean another value")
    if not weighed.shares or weighed.mass < least_mass:
        return _unknown(
            found,
            f"the probabilities of the score's tokens cover only {weighed.mass:.0%} of what the "
            f"model might have written there, {least_mass:.0%} are needed",
            weighed.mass,
        )
    return replace(
        found,
        value=weighed.value(scale),
        distribution={scale.write(value): share for value, share in weighed.shares.items()},
        confidence=weighed.confidence,
        mass=weighed.mass,
    )


def _unknown(found: Found, why: str, mass: float | None = None) -> Found:
    return replace(found, outcome=Outcome.UNREADABLE, value=None, why=why, mass=mass)


def _shown(reply: Reply, span: tuple[int, int]) -> str:
    text = reply.text[slice(*span)]
    return repr(text if len(text) <= 30 else f"{text[:29]}…")
