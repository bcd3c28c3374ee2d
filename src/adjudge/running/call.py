"""One call: ask, read, and ask again where the reply cannot be used as it is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from adjudge.core.judge import Judge
from adjudge.core.prompt import Prompt
from adjudge.core.reply import NO_USAGE, Reply, Usage
from adjudge.core.score import Outcome
from adjudge.core.verdict import Call
from adjudge.errors import ProviderError
from adjudge.reading.by_method import read_reply
from adjudge.reading.found import Found, Reading
from adjudge.reading.repair import language_question, repair_question
from adjudge.reading.rules import unreported

from .asking.asker import Asker
from .asking.budget import BudgetStopped
from .read_together import ReadTogether
from .weighing import weigh
from .wrong_texts import wrong_texts


@dataclass(slots=True)
class Answer:
    """What one call came to: the reading that counts, and what it took to get it.

    `whole` are the replies with all that came with their texts. `notes` go into the verdict's.
    """

    prompt: Prompt
    reading: Reading
    wrong: Mapping[str, str] = field(default_factory=dict)
    usage: Usage = NO_USAGE
    attempts: int = 0
    latency_ms: float = 0.0
    replies: list[str] = field(default_factory=list)
    questions: list[str] = field(default_factory=list)
    counted: int = 0
    finish: str = "stop"
    error: str | None = None
    whole: list[Reply] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def record(self) -> Call:
        return Call(
            criterion=self.prompt.criterion,
            order=self.prompt.order,
            replies=tuple(self.replies),
            questions=tuple(self.questions),
            counted=self.counted,
            finish=self.finish,
            error=self.error,
        )


class Caller:
    """Makes the calls of one judge to one model, for as many rows as there are.

    `samples`: where an expected score lacks probabilities, samples may stand in for them.
    """

    def __init__(self, judge: Judge, asker: Asker, *, samples: bool = False) -> None:
        self.judge, self.asker, self.samples = judge, asker, samples
        self._together = ReadTogether(judge)
        self._converses = asker.model.capabilities.converses

    async def call(self, prompt: Prompt, key: str) -> Answer:
        """Asks at most three times: the question, one repair, one for the language where the model
        could not be bound to it."""
        answer = Answer(prompt, Reading(scores={}))
        reply = await self._ask(answer, prompt, key)
        if reply is None:
            return answer
        answer.reading, answer.wrong = await self._together.read(prompt, reply)
        if prompt.target is not None:
            return answer  # nothing was written that could be mended
        if self._converses:
            await self._repair(answer, reply)
        if answer.wrong and self._converses and not self._bound(prompt):
            await self._ask_for_language(answer)
        if self.judge.method == "expected":
            await weigh(self, answer)
        return answer

    def _bound(self, prompt: Prompt) -> bool:
        """Whether the reply could be in no other language: asking again would change nothing."""
        return prompt.language_bound and self.asker.model.capabilities.json_schema

    async def _ask(self, answer: Answer, prompt: Prompt, key: str) -> Reply | None:
        """The reply, counted and kept; None after an error, which is then in the answer."""
        try:
            reply, attempts = await self.asker.ask(prompt, key)
        except BudgetStopped as error:
            _fail(answer, prompt, Outcome.BUDGET_STOPPED, str(error))
            return None
        except ProviderError as error:
            if error.fatal:
                raise
            answer.attempts += error.attempts
            too_long = error.status == 413
            outcome = Outcome.TOO_LONG if too_long else Outcome.PROVIDER_ERROR
            _fail(answer, prompt, outcome, str(error))
            return None
        answer.attempts += attempts
        answer.usage += reply.usage
        answer.latency_ms += reply.latency_ms
        answer.replies.append(reply.text)
        answer.whole.append(reply)
        answer.finish = reply.finish
        return reply

    async def _again(self, answer: Answer, question: str) -> Reading | None:
        prompt = answer.prompt.followed_by(answer.replies[-1], question)
        answer.questions.append(question)
        reply = await self._ask(answer, prompt, self.asker.key(prompt))
        if reply is None:
            answer.questions.pop()  # each question stands with the reply that it got
            return None
        return read_reply(self.judge, prompt, reply)

    async def _repair(self, answer: Answer, reply: Reply) -> None:
        """One question that shows the model what was wrong; the better reading counts."""
        before, criteria = answer.reading, answer.prompt.criteria
        missing = unreported(self.judge.rubric, criteria, before.scores, before.flags)
        question = repair_question(self.judge, before, missing)
        if question is None or not reply.text:
            return
        after = await self._again(answer, question)
        if after and _scored(after) >= _scored(before):
            answer.reading = replace(after, flags={**before.flags, **after.flags})
            answer.wrong = wrong_texts(self.judge, answer.reading)
            answer.counted = len(answer.replies) - 1

    async def _ask_for_language(self, answer: Answer) -> None:
        """One question for the right language; the scores of the first reply stand."""
        after = await self._again(
            answer, language_question(self.judge, next(iter(answer.wrong.values())))
        )
        if after is None:
            return
        answer.reading = _with_texts_of(answer.reading, after, answer.wrong)
        answer.wrong = wrong_texts(self.judge, answer.reading)


def _fail(answer: Answer, prompt: Prompt, outcome: Outcome, why: str) -> None:
    """No reply came. A failed second question leaves the first answer standing."""
    if not answer.replies:
        found = Found(outcome=outcome, why=why)
        answer.reading = Reading(scores=dict.fromkeys(prompt.criteria, found))
        answer.error = why


def _scored(reading: Reading) -> int:
    return sum(found.outcome is Outcome.SCORED for found in reading.scores.values())


def _with_texts_of(reading: Reading, other: Reading, places: Mapping[str, str]) -> Reading:
    """The reading with the texts at these places taken from another one, where that has them."""
    scores = {
        name: replace(found, explanation=other.scores[name].explanation)
        if f"scores.{name}" in places and other.scores[name].explanation
        else found
        for name, found in reading.scores.items()
    }
    newer = {name: text for name, text in other.feedback.items() if f"feedback.{name}" in places}
    return replace(reading, scores=scores, feedback={**reading.feedback, **newer})
