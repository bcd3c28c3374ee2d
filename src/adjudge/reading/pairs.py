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
    return replace(found, value=value, given=value)


def combined(pair: Pair, ab: Found, ba: Found) -> tuple[Found, str | None]:
    """The preference over both orders (`ba` already unswapped), and the mark when they disagree."""
    for order, found in (("ab", ab), ("ba", ba)):
        if found.outcome is not Outcome.SCORED:
            return replace(found, why=f"order {order}: {found.why}"), None
    if ab.value == ba.value:
        return ab, None
    explanation = f"[ab] {ab.explanation or ''}\n[ba] {ba.explanation or ''}"
    return (
        replace(ab, value=pair.tie, given=f"{ab.value}|{ba.value}", explanation=explanation),
        DISAGREE,
    )
