"""One statistic with its interval, or the reason why there is none."""

from __future__ import annotations

from collections.abc import Mapping
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
