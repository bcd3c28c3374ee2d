"""All scores by one judge and one model on one item and repeat, with where they came from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from .reason import Reason
from .reply import NO_USAGE, Finish, Usage
from .rubric import OVERALL
from .score import Outcome, OverallScore, Score

# question: the prompt itself · repair: the reply before could not be used · language: its texts
# were in the wrong language · sample: the prompt again, where a score rests on several replies ·
# first: what the judge wrote of its own before it saw the judged text
ExchangeKind = Literal["question", "repair", "language", "sample", "first"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange:
    """One question to the model and its reply.

    `question` is the text of a repair or a language question; the others ask the prompt. `refusal`
    is what the provider said about a reply that was refused, `version` what it calls the model.
    """

    reply: str
    kind: ExchangeKind = "question"
    question: str = ""
    finish: Finish = "stop"
    refusal: str | None = None
    version: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """All exchanges about one prompt, in the order in which they came.

    `turn` is the one of a conversation that it was about.
    `counted` is the place of the exchange that the scores were read from. Without any exchange,
    `failure` says what became of the call, and `error` why.
    """

    criterion: str | None = None
    order: str | None = None
    turn: int | None = None
    exchanges: tuple[Exchange, ...] = ()
    counted: int = 0
    failure: Outcome | None = None
    error: Reason | None = None

    @property
    def _conversation(self) -> list[Exchange]:
        apart = ("sample", "first")
        return [exchange for exchange in self.exchanges if exchange.kind not in apart]

    @property
    def replies(self) -> tuple[str, ...]:
        """The replies to the question and to what was asked about it; samples stand apart."""
        return tuple(exchange.reply for exchange in self._conversation)

    @property
    def questions(self) -> tuple[str, ...]:
        """What the model was asked again: the text before each reply but the first."""
        return tuple(e.question for e in self._conversation if e.kind != "question")

    @property
    def title(self) -> str:
        """What tells it from the others about an item."""
        turn = f"turn {self.turn}" if self.turn is not None else None
        return " ".join(filter(None, (self.criterion, self.order, turn)))

    @property
    def counted_reply(self) -> int:
        """The place of the counted exchange among the `replies`."""
        before = self.exchanges[: self.counted]
        return self.counted - sum(exchange.kind in ("sample", "first") for exchange in before)

    @property
    def own_text(self) -> str | None:
        """What the judge wrote before it saw the judged text; None where it was not asked to."""
        first = (exchange.reply for exchange in self.exchanges if exchange.kind == "first")
        return next(first, None)

    @property
    def finish(self) -> Finish:
        """That of the last of the `replies`."""
        return self._conversation[-1].finish if self._conversation else "stop"


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
    """`cuts` has an entry for each input that the model did not see in full. `notes` are what is
    unusual about the verdict without touching a score."""

    item: str
    judge: str
    fingerprint: str
    model: str
    outcome: Outcome
    scores: Mapping[str, Score]
    repeat: int = 0
    feedback: Mapping[str, str | tuple[str, ...]] = field(default_factory=dict)
    flags: Mapping[str, bool] = field(default_factory=dict)
    notes: tuple[Reason, ...] = ()
    usage: Usage = NO_USAGE
    attempts: int = 0
    latency_ms: float = 0.0
    calls: tuple[Call, ...] = ()
    cuts: Mapping[str, Cut] = field(default_factory=dict)
    overall: OverallScore | None = None

    @property
    def measures(self) -> Mapping[str, Score]:
        """All that has a figure: the scores, and the overall score as one of them."""
        if self.overall is None:
            return self.scores
        return {**self.scores, OVERALL: self.overall.as_score}

    @property
    def reply(self) -> str:
        """The raw text that was read; with several calls, each below a line that names it."""
        if len(self.calls) == 1:
            return _counted_reply(self.calls[0])
        return "\n\n".join(
            f"[{call.title}]\n{_counted_reply(call)}" for call in self.calls if call.exchanges
        )


def _counted_reply(call: Call) -> str:
    return call.exchanges[call.counted].reply if call.exchanges else ""
