"""Statistics as people read them."""

from __future__ import annotations

from adjudge.stats.bounds import Bounds
from adjudge.stats.stat import Stat


def plain(stat: Stat, digits: int = 2) -> str:
    """A value with its interval: 0.62 [0.48, 0.74]; a dash where there is none."""
    if stat.value is None:
        return "–"
    value = f"{stat.value:.{digits}f}"
    if stat.low is None or stat.high is None:
        return value
    return f"{value} [{stat.low:.{digits}f}, {stat.high:.{digits}f}]"


def signed(stat: Stat, digits: int = 2) -> str:
    """A difference with its interval: +0.30 [+0.12, +0.48]; a dash where there is none."""
    if stat.value is None:
        return "–"
    value = f"{stat.value:+.{digits}f}"
    if stat.low is None or stat.high is None:
        return value
    return f"{value} [{stat.low:+.{digits}f}, {stat.high:+.{digits}f}]"


def percent(stat: Stat) -> str:
    """A share with its interval: 12% [5%, 24%]."""
    if stat.value is None:
        return "–"
    if stat.low is None or stat.high is None:
        return f"{stat.value:.0%}"
    return f"{stat.value:.0%} [{stat.low:.0%}, {stat.high:.0%}]"


def worst_best(bounds: Bounds | None) -> str:
    """Where a mean would lie were all that is unscored worst or best: 2.82–3.02."""
    if bounds is None or bounds.worst is None or bounds.best is None:
        return "–"
    return f"{bounds.worst:.2f}–{bounds.best:.2f}"


def p_value(p: float | None) -> str:
    """0.032, and <0.001 below that."""
    if p is None:
        return "–"
    return "<0.001" if p < 0.001 else f"{p:.3f}"


def number(value: float | str | None, digits: int = 2) -> str:
    """A name as it is; a dash where there is nothing."""
    if value is None:
        return "–"
    return value if isinstance(value, str) else f"{value:.{digits}f}"
