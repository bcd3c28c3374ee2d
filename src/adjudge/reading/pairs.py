"""Two answers shown in both orders → one preference.

A judge that names another winner once the answers change places has seen the place, not the answer:
that is a tie with its own mark.
"""

from __future__ import annotations

from dataclasses import replace

from adjudge.core.judge import Pair
from adjudge.core.reason import Reason
from adjudge.core.score import ORDERS_DISAGREE, Outcome

from .readings import CriterionReading


def unswapped(pair: Pair, score: CriterionReading) -> CriterionReading:
    """What a reply to the order "ba" says about the answers themselves."""
    first, second = pair.values
    swap = {first: second, second: first}
    if not isinstance(score.value, str):
        return score
    value = swap.get(score.value, score.value)
    shares = score.distribution
    if shares is not None:
        shares = {swap.get(name, name): share for name, share in shares.items()}
    return replace(score, value=value, raw=value, distribution=shares)


def combine_orders(
    pair: Pair, ab: CriterionReading, ba: CriterionReading
) -> tuple[CriterionReading, str | None]:
    """The preference over both orders (`ba` already unswapped), and the mark when they disagree."""
    for order, score in (("ab", ab), ("ba", ba)):
        if score.outcome is not Outcome.SCORED:
            return replace(score, why=Reason("reply.order", order=order, why=score.why)), None
    ab = _with_mean_of(ab, ba)
    if ab.value == ba.value:
        return ab, None
    explanation = f"[ab] {ab.explanation or ''}\n[ba] {ba.explanation or ''}"
    return (
        replace(ab, value=pair.tie, raw=f"{ab.value}|{ba.value}", explanation=explanation),
        ORDERS_DISAGREE,
    )


def _with_mean_of(ab: CriterionReading, ba: CriterionReading) -> CriterionReading:
    """The first with the mean of both distributions: the effect of the order cancels out in it.

    Its mass is the smaller one, and none where either comes from samples.
    """
    if ab.distribution is None or ba.distribution is None:
        return ab
    shares = {
        name: (ab.distribution.get(name, 0.0) + ba.distribution.get(name, 0.0)) / 2
        for name in [*ab.distribution, *ba.distribution]
    }
    masses = [score.mass for score in (ab, ba) if score.mass is not None]
    mass = min(masses) if len(masses) == 2 else None
    return replace(ab, distribution=shares, confidence=max(shares.values()), mass=mass)
