"""One statistic with its interval, or the reason why there is none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from adjudge.core.reason import Reason


@dataclass(frozen=True, slots=True)
class Stat:
    """A value with the ends of its interval.

    Undefined is said with its reason, never 0: `value` is then None and `why` says it. A value
    whose interval cannot be had stands alone, `low` and `high` None, and `why` says that.
    """

    value: float | None
    low: float | None = None
    high: float | None = None
    why: Reason | None = None

    @classmethod
    def around(cls, value: float, reach: float) -> Stat:
        """The value with an interval that reaches as far to each side."""
        return cls(value, value - reach, value + reach)

    def scaled(self, low: float, high: float) -> Stat:
        """The same as a share of what lies between two values."""
        known = (self.value, self.low, self.high)
        shares = [None if end is None else (end - low) / (high - low) for end in known]
        return Stat(shares[0], shares[1], shares[2], self.why)

    def within(self, low: float, high: float) -> Stat:
        """The same with an interval that ends where the scale ends: the truth cannot lie beyond."""
        ends = [None if end is None else min(max(end, low), high) for end in (self.low, self.high)]
        return Stat(self.value, ends[0], ends[1], self.why)

    def as_dict(self) -> dict[str, float | str | None]:
        """The four fields by name, as the JSON output has them."""
        why = None if self.why is None else str(self.why)
        return {"value": self.value, "low": self.low, "high": self.high, "why": why}

    @classmethod
    def of(cls, kept: Mapping[str, Any]) -> Stat:
        """The statistic that was kept as JSON."""
        why = kept.get("why")
        return cls(kept["value"], kept["low"], kept["high"], why and Reason.of(why))


def undefined(why: Reason) -> Stat:
    """A statistic that does not exist for these data."""
    return Stat(None, why=why)


def without_interval(value: float, why: Reason) -> Stat:
    """A value that stands alone."""
    return Stat(value, why=Reason("no_interval", why=why))


def sum_of_known(values: Sequence[float | None]) -> float | None:
    """The sum; None where one of the values is not known."""
    known = [value for value in values if value is not None]
    return sum(known) if len(known) == len(values) else None
