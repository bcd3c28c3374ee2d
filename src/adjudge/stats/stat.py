"""One statistic with its interval, or the reason why there is none."""

from __future__ import annotations

from dataclasses import asdict, dataclass


@dataclass(frozen=True, slots=True)
class Stat:
    """A value with the ends of its interval.

    Undefined is said with its reason, never 0: `value` is then None and `why` says it. A value
    whose interval cannot be had stands alone, `low` and `high` None, and `why` says that.
    """

    value: float | None
    low: float | None = None
    high: float | None = None
    why: str | None = None

    def as_dict(self) -> dict[str, float | str | None]:
        """The four fields by name, as the JSON output has them."""
        return asdict(self)


def undefined(why: str) -> Stat:
    """A statistic that does not exist for these data."""
    return Stat(None, why=why)
