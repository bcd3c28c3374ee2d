"""All scores by one judge and one model on one item and repeat, with where they came from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from .reply import NO_USAGE, Usage
from .score import Outcome, Score


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One question to the model and its answers, in the order in which they came.

    `replies` has more than one text when the model was asked again; `questions` holds what it was
    asked then. `counted` is the reply that the scores were read from. `finish` is how the last
    reply ended; `error` is set when no answer came.
    """

    criterion: str | None = None
    order: str | None = None
    replies: tuple[str, ...] = ()
    questions: tuple[str, ...] = ()
    counted: int = 0
    finish: str = "stop"
    error: str | None = None


@dataclass(frozen=True, slots=True)
class CutPart:
    """Parts of one kind that were cut out of a text before it was judged, e.g. of an agent's trace.

    `count` is how many, `length` their characters in all, `begins` how the first one begins.
    """

    kind: str
    count: int
    length: int
    begins: str


@dataclass(frozen=True, slots=True)
class Cut:
    """What the model was shown of a text that it did not see in full: the head and the tail.

    All are numbers of characters; `left_out` stood between the two, and is 0 unless the text was
    too long. `parts` were cut out before, when the judge prepared the text.
    """

    head: int
    left_out: int
    tail: int
    parts: tuple[CutPart, ...] = ()

    @property
    def length(self) -> int:
        """All characters that the model did not see."""
        return self.left_out + sum(part.length for part in self.parts)


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """`cuts` has an entry for each input that the model did not see in full."""

    item: str
    judge: str
    fingerprint: str
    model: str
    outcome: Outcome
    scores: Mapping[str, Score]
    repeat: int = 0
    feedback: Mapping[str, str | tuple[str, ...]] = field(default_factory=dict)
    flags: Mapping[str, bool] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    usage: Usage = NO_USAGE
    attempts: int = 0
    latency_ms: float = 0.0
    calls: tuple[Call, ...] = ()
    cuts: Mapping[str, Cut] = field(default_factory=dict)

    @property
    def reply(self) -> str:
        """The raw text that was read; with several calls, each below a line that names it."""
        if len(self.calls) == 1:
            return self.calls[0].replies[self.calls[0].counted] if self.calls[0].replies else ""
        return "\n\n".join(
            f"[{' '.join(filter(None, (call.criterion, call.order)))}]\n"
            f"{call.replies[call.counted]}"
            for call in self.calls
            if call.replies
        )
