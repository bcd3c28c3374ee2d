"""Statistics as people read them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from adjudge.stats.mean import Bounds
    from adjudge.stats.stat import Stat


def plain(stat: Stat) -> str:
    """A value with its interval: 0.62 [0.48, 0.74]; a dash where there is none."""
    return _with_interval(stat, "{:.2f}")


def signed(stat: Stat) -> str:
    """A difference with its interval: +0.30 [+0.12, +0.48]; a dash where there is none."""
    return _with_interval(stat, "{:+.2f}")


def signed_percent(stat: Stat) -> str:
    """A difference of shares with its interval: +12% [+5%, +24%]; a dash where there is none."""
    return _with_interval(stat, "{:+.0%}")


def percent(stat: Stat) -> str:
    """A share with its interval: 12% [5%, 24%]; a dash where there is none."""
    return _with_interval(stat, "{:.0%}")


def _with_interval(stat: Stat, form: str) -> str:
    if stat.value is None:
        return "–"
    if stat.low is None or stat.high is None:
        return form.format(stat.value)
    return f"{form} [{form}, {form}]".format(stat.value, stat.low, stat.high)


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


def usd(amount: float) -> str:
    """Dollars with the digits that matter."""
    if amount == 0:
        return "$0"
    return f"${amount:,.2f}" if amount >= 1 else f"${amount:.4f}"


def share(part: float, whole: float) -> str:
    """A share in percent; a dash of nothing. What is not 0 or all is never rounded to it."""
    if not whole:
        return "–"
    hundred = 100 * part / whole
    if 0 < hundred < 0.1:
        return "<0.1%"
    if 99.9 < hundred < 100:
        return ">99.9%"
    return f"{hundred:.0f}%" if hundred % 1 < 0.05 or hundred >= 10 else f"{hundred:.1f}%"


def number(value: float | str | None, form: str = ".2f") -> str:
    """A name as it is; a dash where there is nothing."""
    if value is None:
        return "–"
    return value if isinstance(value, str) else format(value, form)
