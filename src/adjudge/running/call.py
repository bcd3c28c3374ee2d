"""One call: ask, read, and ask again where the reply cannot be used as it is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from adjudge.core.judge import Judge
from adjudge.core.prompt import Prompt
from adjudge.core.reason import Reason, reason_of
from adjudge.core.reply import NO_USAGE, Reply, Usage
from adjudge.core.score import SETTLED, Outcome
from adjudge.core.verdict import Call, Exchange, ExchangeKind
from adjudge.errors import ProviderError
from adjudge.reading import (
    CriterionReading,
    Reading,
    language_question,
    read_reply,
    repair_question,
    unreported_rules,
)

from .asking.budget import BudgetStopped
from .asking.client import ModelClient
from .reply_reader import ReplyReader, wrong_texts
from .weighing import weigh

_NOTHING_READ = Reading(scores={})


class Asked(NamedTuple):
    """One exchange; `question` is the text of a repair or a language question."""

    kind: ExchangeKind
    question: str
    reply: Reply


@dataclass(slots=True)
class Answer:
    """What one call came to: the reading that counts, and what it took to get it.

    `asked` are all exchanges, with all that came with the replies; `counted` is the place of the
    one that was read. `notes` go into the verdict's.
    """

    prompt: Prompt
    reading: Reading
    wrong: Mapping[str, str] = field(default_factory=dict)
    usage: Usage = NO_USAGE
    attempts: int = 0
    latency_ms: float = 0.0
    asked: list[Asked] = field(default_factory=list)
    counted: int = 0
    failure: Outcome | None = None
    error: Reason | None = None
    notes: list[Reason] = field(default_factory=list)

    def add(self, kind: ExchangeKind, reply: Reply, attempts: int = 0, question: str = "") -> None:
        """A reply came, after so many attempts."""
        self.asked.append(Asked(kind, question, reply))
        self.attempts += attempts
        self.usage += reply.usage
        self.latency_ms += reply.latency_ms

    def take(self, judge: Judge, kind: ExchangeKind, after: Reading) -> None:
        """Puts what the last exchange brought in the place of what was known before it.

        A repair counts where it scores no fewer criteria, and no fewer with all that was to be
        quoted. Of the reply to a language question only
        the texts count: the scores of the first one stand.
        """
        before = self.reading
        if kind == "language":
            self.reading = _with_texts_of(before, after, self.wrong)
        elif _usable(after) >= _usable(before):
            self.reading = replace(after, flags={**before.flags, **after.flags})
            self.counted = len(self.asked) - 1
        self.wrong = wrong_texts(judge.explaining(self.prompt.explain_in), self.reading)

    def begin_with(self, own: Answer) -> None:
        """Puts what was asked before this call in front of it."""
        self.asked[:0] = own.asked
        self.counted += len(own.asked)
        self.usage += own.usage
        self.attempts += own.attempts
        self.latency_ms += own.latency_ms

    def record(self) -> Call:
        return Call(
            criterion=self.prompt.criterion,
            order=self.prompt.order,
            turn=self.prompt.turn,
            exchanges=tuple(
                Exchange(
                    reply=reply.text,
                    kind=kind,
                    question=question,
                    finish=reply.finish,
                    refusal=reply.refusal,
                    version=reply.version,
                )
                for kind, question, reply in self.asked
            ),
            counted=self.counted,
            failure=self.failure,
            error=self.error,
        )


class Caller:
    """Makes the calls of one judge to one model, for as many rows as there are.

    `samples`: where an expected score lacks probabilities, samples may stand in for them.
    """

    def __init__(self, judge: Judge, client: ModelClient, *, samples: bool = False) -> None:
        self.judge, self.client, self.samples = judge, client, samples
        self._together = ReplyReader(judge)
        self._converses = client.model.capabilities.converses

    async def call(self, prompt: Prompt, key: str) -> Answer:
        """Asks at most three times: the question, one repair, one for the language where the model
        could not be bound to it."""
        answer = Answer(prompt, _NOTHING_READ)
        if not prompt.messages:
            return answer  # code has decided everything
        reply = await self._ask(answer, prompt, key, "question")
        if reply is None:
            return answer
        answer.reading, answer.wrong = await self._together.read(prompt, reply)
        if prompt.target is not None:
            return answer  # nothing was written that could be repaired
        if self._converses:
            await self._repair(answer, reply)
        # Where the reply could be in no other language, asking again would change nothing.
        bound = prompt.language_bound and self.client.model.capabilities.json_schema
        if answer.wrong and self._converses and not bound:
            await self._ask_for_language(answer)
        if self.judge.method == "expected":
            await weigh(self, answer)
        return answer

    async def commit(self, prompt: Prompt, key: str) -> Answer:
        """Asks what comes before the prompt; the failure of an item is in the answer."""
        answer = Answer(prompt, _NOTHING_READ)
        if prompt.first is None:
            return answer
        reply = await self._ask(answer, prompt.first.prompt, key, "first")
        if reply is not None and not reply.text.strip():
            refused = reply.refusal is not None or reply.finish == "refused"
            outcome = Outcome.REFUSED if refused else Outcome.UNREADABLE
            answer.failure, answer.error = outcome, Reason("first.empty")
        if answer.failure is not None:
            answer.reading = _failed(prompt, answer.failure, answer.error)
        return answer

    async def _ask(
        self, answer: Answer, prompt: Prompt, key: str, kind: ExchangeKind, question: str = ""
    ) -> Reply | None:
        """The reply, counted and kept; None after an error, which is then in the answer."""
        try:
            reply, attempts = await self.client.ask(prompt, key)
        except BudgetStopped as error:
            _fail(answer, prompt, Outcome.BUDGET_STOPPED, reason_of(error))
            return None
        except ProviderError as error:
            if error.fatal:
                raise
            answer.attempts += error.attempts
            too_long = error.status == 413
            outcome = Outcome.TOO_LONG if too_long else Outcome.PROVIDER_ERROR
            _fail(answer, prompt, outcome, reason_of(error))
            return None
        answer.add(kind, reply, attempts, question)
        return reply

    async def _again(self, answer: Answer, kind: ExchangeKind, question: str) -> None:
        prompt = answer.prompt.followed_by(answer.asked[-1].reply.text, question)
        reply = await self._ask(answer, prompt, self.client.key(prompt), kind, question)
        if reply is not None:
            answer.take(self.judge, kind, read_reply(self.judge, prompt, reply))

    async def _repair(self, answer: Answer, reply: Reply) -> None:
        """One question that shows the model what was wrong."""
        before, criteria = answer.reading, answer.prompt.criteria
        missing = unreported_rules(self.judge.rubric, criteria, before.scores, before.flags)
        question = repair_question(self.judge, before, missing)
        if question is not None and reply.text:
            await self._again(answer, "repair", question)

    async def _ask_for_language(self, answer: Answer) -> None:
        seen = next(iter(answer.wrong.values()))
        judge = self.judge.explaining(answer.prompt.explain_in)
        await self._again(answer, "language", language_question(judge, seen))


def failed_like(other: Answer, prompt: Prompt) -> Answer:
    """Of a further prompt about an item for which nothing could be asked."""
    reading = _failed(prompt, other.failure or Outcome.PROVIDER_ERROR, other.error)
    return Answer(prompt, reading, failure=other.failure, error=other.error)


def _failed(prompt: Prompt, outcome: Outcome, why: Reason | None) -> Reading:
    return Reading(
        scores=dict.fromkeys(prompt.criteria, CriterionReading(outcome=outcome, why=why))
    )


def _fail(answer: Answer, prompt: Prompt, outcome: Outcome, why: Reason) -> None:
    """No reply came. A failed second question leaves the first answer standing."""
    if not answer.asked:
        answer.reading = _failed(prompt, outcome, why)
        answer.failure, answer.error = outcome, why


def _usable(reading: Reading) -> tuple[int, int]:
    """How many criteria have been settled, and how many of them with all that was to be quoted."""
    settled = [score for score in reading.scores.values() if score.outcome in SETTLED]
    return len(settled), sum(not score.unsupported for score in settled)


def _with_texts_of(reading: Reading, other: Reading, places: Mapping[str, str]) -> Reading:
    """The reading with the texts at these places taken from another one, where that has them."""
    scores = {
        name: replace(score, explanation=other.scores[name].explanation)
        if f"scores.{name}" in places and other.scores[name].explanation
        else score
        for name, score in reading.scores.items()
    }
    newer = {name: text for name, text in other.feedback.items() if f"feedback.{name}" in places}
    return replace(reading, scores=scores, feedback={**reading.feedback, **newer})
