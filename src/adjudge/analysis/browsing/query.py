"""What somebody wants to see of a run's items."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from adjudge.errors import UsageError

Sort = Literal["position", "score", "disagreement", "confidence", "latency", "cost"]
SORTS: tuple[Sort, ...] = get_args(Sort)
UNSCORED = "unscored"  # any outcome but scored
ANY_RULE = "any"
LARGEST_PAGE = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """Filters hold all together; each holds for an item where it does for any of its verdicts by
    the chosen `judge` and `model`. Left out, a filter lets everything through.

    `low`, `high` and `value` are on the criterion's scale, the mean over an item's scored repeats;
    `value` is a name, "yes", "no", a number, a label, or "(divided)" for items whose samples name
    two values equally often. `outcome` is the criterion's where one is chosen, else the verdict's;
    `disagreement` is the least, on 0-1. Items that lack what is sorted by come last. Pages count
    from 1.
    """

    search: str = ""
    judge: str | None = None
    model: str | None = None
    criterion: str | None = None
    low: float | None = None
    high: float | None = None
    value: str | None = None
    outcome: str | None = None
    rule: str | None = None
    disagreement: float | None = None
    sort: Sort = "position"
    down: bool = False
    page: int = 1
    size: int = 50

    def __post_init__(self) -> None:
        if self.sort not in SORTS:
            raise UsageError(f"sort={self.sort}: items are sorted by one of {', '.join(SORTS)}.")
        if self.page < 1:
            raise UsageError(f"page={self.page}: pages count from 1.")
        if not 1 <= self.size <= LARGEST_PAGE:
            raise UsageError(f"size={self.size}: a page has 1 to {LARGEST_PAGE} items.")
        if self.low is not None and self.high is not None and self.low > self.high:
            raise UsageError(f"low={self.low:g} is above high={self.high:g}; no item lies there.")

    @property
    def about_scores(self) -> bool:
        return self.by_score or self.sort == "score"

    @property
    def by_score(self) -> bool:
        """Whether items are filtered by a score."""
        return any(each is not None for each in (self.low, self.high, self.value))
