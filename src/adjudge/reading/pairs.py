"""Two answers shown in both orders → one preference.

A judge that names another winner once the answers change places has seen the place, not the answer:
that is a tie with its own mark.
"""

from __future__ import annotations

from dataclasses import replace

from adjudge.core.judge import Pair
from adjudge.core.score import Outcome

from .found import Found

DISAGREE = "orders-disagree"


def unswapped(pair: Pair, found: Found) -> Found:
    """What a reply to the order "ba" says about the answers themselves."""
    first, second = pair.values
    swap = {first: second, second: first}
    if not isinstance(found.value, str):
        return found
    value = swap.get(found.value, found.value)
    shares = found.distribution
    if shares is not None:
        shares = {swap.get(name, name): share for name, share in shares.items()}
    return replace(found, value=value, given=value, distribution=shares)


def combined(pair: Pair, ab: Found, ba: Found) -> tuple[Found, str | None]:
    """The preference over both orders (`ba` already unswapped), and the mark when they disagree."""
    for order, found in (("ab", ab), ("ba", ba)):
        if found.outcome is not Outcome.SCORED:
            return replace(found, why=f"order {order}: {found.why}"), None
    ab = _with_mean_of(ab, ba)
    if ab.value == ba.value:
        return ab, None
    explanation = f"[ab] {ab.explanation or ''}\n[ba] {ba.explanation or ''}"
    return (
        replace(ab, value=pair.tie, given=f"{ab.value}|{ba.value}", explanation=explanation),
        DISAGREE,
    )


def _with_mean_of(ab: Found, ba: Found) -> Found:
    """The first with the mean of both distributions: what the places do cancels out in it.

    Its mass is the smaller one, and none where samples stand in for either.
    """
    if ab.distribution is None or ba.distribution is None:
        return ab
    shares = {
        name: (ab.distribution.get(name, 0.0) + ba.distribution.get(name, 0.0)) / 2
        for name in [*ab.distribution, *ba.distribution]
    }
    masses = [each.mass for each in (ab, ba) if each.mass is not None]
    mass = min(masses) if len(masses) == 2 else None
    return replace(ab, distribution=shares, confidence=max(shares.values()), mass=mass)
