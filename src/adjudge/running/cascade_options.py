"""What a cascade of models promises."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from adjudge.errors import UsageError


@dataclass(frozen=True, slots=True, kw_only=True)
class CascadeOptions:
    """What is promised: items that are decided agree with people at a rate of `agree` or more,
    except in a share `delta` of all draws of labelled items. `within` is how far a score may be
    from people's to agree with them, in units of the scale; None is as in confidence.tolerance."""

    labels: str | Path
    agree: float = 0.9
    delta: float = 0.1
    within: float | None = None

    def __post_init__(self) -> None:
        for name in ("agree", "delta"):
            if not 0 < (given := getattr(self, name)) < 1:
                raise UsageError(f"--{name} {given:g}: name a share between 0 and 1, e.g. 0.9.")
        if self.within is not None and self.within < 0:
            raise UsageError(f"--within {self.within:g}: name a distance of 0 or more.")
