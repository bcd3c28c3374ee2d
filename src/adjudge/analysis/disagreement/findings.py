"""What was found about the differences between judges and people."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from adjudge.core.reason import Reason
from adjudge.core.scale import Scale, Value
from adjudge.core.score import Quotation
from adjudge.stats.stat import Stat

# cell: people gave one value and the judge another · slice: a value of a column · rule: the rule
# fired · explanation, text: a word in the judge's explanation, in a text of the item
PatternKind = Literal["cell", "slice", "rule", "explanation", "text"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Disagreement:
    """An item where judge and people differ. `difference` is judge minus people on the scale; None
    for names. `evidence` has what the judge quotes for its score. `raters` has what each rater
    gave, `comments` what raters wrote, `others` what the other judges and models of the run gave.
    `texts` are the item's own, by input."""

    item: str
    judge: Value
    people: Value
    difference: float | None
    rule: str | None
    explanation: str
    evidence: tuple[Quotation, ...]
    raters: Mapping[str, Value]
    comments: Mapping[str, str]
    others: Mapping[str, Value]
    texts: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Pattern:
    """What some of the labelled items have in common. `name` is a column, a rule, a word, or empty
    for a cell; `value` the column's value, or `people → judge` of a cell. `differ` of its `items`
    differ, and `differ_elsewhere` of the `items_elsewhere`. `bias` is the mean of judge minus
    people in it, None for names. `p` is one-sided (differences are not larger here than
    elsewhere), adjusted for all patterns of the same kind; None for cells, which are counts.
    `also` are
    patterns of the same kind with nearly the same items."""

    kind: PatternKind
    name: str
    value: str
    items: int
    differ: int
    items_elsewhere: int
    differ_elsewhere: int
    bias: float | None
    p: float | None
    also: tuple[str, ...] = ()

    @property
    def share(self) -> float:
        return self.differ / self.items if self.items else 0.0

    @property
    def share_elsewhere(self) -> float:
        return self.differ_elsewhere / self.items_elsewhere if self.items_elsewhere else 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class SuspectLabel:
    """A label that is likely a slip: other raters and the judges say something else. `with_judge`
    of the `judges` that scored the item are nearer to this judge than to the label."""

    item: str
    rater: str
    label: Value
    judge: Value | None
    other_raters: Mapping[str, Value]
    with_judge: int
    judges: int
    probability: float


@dataclass(frozen=True, slots=True, kw_only=True)
class SlipTrial:
    """What came of changing so many of these labels on purpose: `recovered` of them were listed. If
    one label in twenty were a slip, about `expected` slips would be listed."""

    changed: int
    recovered: int
    expected: float

    @property
    def recall(self) -> float:
        """The share of the changed labels that was listed, 0-1."""
        return self.recovered / self.changed if self.changed else 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class UnclearClause:
    """A clause of the rubric that a model named, as it stands there, with its question to people
    and the items that made it ask. `part` says what it is: guide, step, question of a checklist,
    rule, level, or a line of the prompt."""

    part: str
    clause: str
    question: str
    items: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ClauseQuestions:
    """What `model` made of so many `clauses` and items where judge and people differ (`shown`);
    `why` says why it named none."""

    model: str
    clauses: int
    shown: int
    unclear: tuple[UnclearClause, ...]
    why: Reason | None


@dataclass(frozen=True, slots=True, kw_only=True)
class CriterionDisagreements:
    """One criterion. `n` items have both a score and a label, `lost` a label and no score; people
    are divided on `split` others. `share` of the n differ. `worst` comes first; `patterns` are all
    of interest, the clearest first. `slip_trial` says how far `suspects` can be trusted,
    `no_suspects` why there are none to tell. `questions` are there where a model was asked about
    the rubric."""

    name: str
    scale: Scale
    n: int
    lost: int
    split: int
    differ: int
    share: Stat
    worst: tuple[Disagreement, ...]
    patterns: tuple[Pattern, ...]
    suspects: tuple[SuspectLabel, ...]
    slip_trial: SlipTrial | None
    no_suspects: Reason | None
    questions: ClauseQuestions | None = None


@dataclass(frozen=True, slots=True)
class GraderDisagreements:
    """One judge and model; `unlabelled` are the criteria without labels."""

    judge: str
    model: str
    criteria: Mapping[str, CriterionDisagreements]
    unlabelled: tuple[str, ...]

    @property
    def name(self) -> str:
        return f"{self.judge} by {self.model}"


@dataclass(frozen=True, slots=True)
class Disagreements:
    """A run beside people's labels, item by item."""

    run: str
    graders: tuple[GraderDisagreements, ...]
