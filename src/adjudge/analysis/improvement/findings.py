"""What improving a judge came to: every candidate, and whether the best is shown to be better."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from adjudge.analysis.calibration.score_map import ScoreMap
from adjudge.core.reason import Reason
from adjudge.judges.rewrite import JudgeTexts

from .sample import BeforeAfter

# base: the judge as it was · rewrite: guides and steps written anew · examples: graded items shown
# · map: scores moved by a rising map · variant: guides, steps and examples of another file
Way = Literal["base", "variants", "rewrite", "examples", "map"]
WAYS: tuple[Way, ...] = ("variants", "rewrite", "examples", "map")


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """One judge that was tried. `number` counts from 0, the base; `parent` is the one it was made
    from. `note` tells it apart from others of its way: a file, a kind of choice, a diagnosis.

    `seen` counts the items that it judged; `agreement` is that with people over all items of the
    search, None where it did not judge all of them, and `before` what its parent had on the same
    items where both judged only some, as means of how near they were.
    """

    number: int
    way: Way
    parent: int | None
    texts: JudgeTexts
    note: str = ""
    seen: int = 0
    agreement: float | None = None
    near: float | None = None
    parent_near: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Improvement:
    """`candidates` are all that were tried, the base first; `chosen` is the number of the one that
    the search found best, and `compared` what it is worth on the items that the search never saw:
    None where nothing better than the base was found. `better` says that it is shown to be better;
    else `why` says why the old judge stays.

    `search` and `held_out` are the ids of the items in either part, `seed` what dealt them.
    `measures` has by criterion what counts as agreement. `text` is the new judge's file, `diff` how
    it differs from the old one's, `maps` the kept maps by criterion; `spent` is in USD, None where
    no price is known. `unused` counts the writer's replies without a guide that can be used: some
    quote an item.
    """

    judge: str
    model: str
    writer: str
    seed: int
    confidence: float
    measures: Mapping[str, str]
    groups: int
    search: tuple[str, ...]
    held_out: tuple[str, ...]
    candidates: tuple[Candidate, ...]
    chosen: int
    compared: BeforeAfter | None
    better: bool
    why: Reason | None
    text: str
    diff: str
    fingerprint: str
    maps: Mapping[str, ScoreMap] = field(default_factory=dict)
    calls: int = 0
    tokens: int = 0
    spent: float | None = None
    budget_used_up: bool = False
    unused: int = 0

    @property
    def best(self) -> Candidate:
        return self.candidates[self.chosen]


@dataclass(frozen=True, slots=True, kw_only=True)
class ImprovementForecast:
    """What improving would ask and cost at most; `spent` is None where a price is not known."""

    judge: str
    model: str
    writer: str
    items: int
    held_out: int
    judge_calls: int
    writer_calls: int
    tokens: int
    cost_usd: float | None
