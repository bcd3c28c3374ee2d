"""Expected scores: weighed by the probabilities of their tokens, or by samples in their place."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from adjudge.core.prompt import Prompt
from adjudge.core.reason import Reason, reason_of
from adjudge.core.scale import Scale, Value
from adjudge.core.score import Outcome
from adjudge.errors import ProviderError
from adjudge.reading import CriterionReading, Distribution, Reading, expected_reading, read_reply

from .asking.budget import BudgetStopped

if TYPE_CHECKING:
    from .call import Answer, Caller

SAMPLES = 10
_NOT_ASKED_FOR = Reason("expected.not_asked")


async def weigh(caller: Caller, answer: Answer) -> None:
    """Puts expected values in the place of those that were read.

    Where probabilities do not come, or too few, a value becomes `unreadable`; if the user allows
    it, samples stand in for them, and a note says so. If these fail too, the score says both.
    """
    before = answer.reading
    reply = answer.asked[answer.counted].reply
    after = expected_reading(caller.judge, answer.prompt.criteria, reply, before)
    missing = {
        name: score
        for name, score in after.scores.items()
        if score.value is None and before.scores[name].value is not None
    }
    if missing and caller.samples:
        instead = await _instead(caller, answer, missing)
        after = replace(after, scores={**after.scores, **instead})
    answer.reading = after


async def _instead(
    caller: Caller, answer: Answer, missing: Mapping[str, CriterionReading]
) -> dict[str, CriterionReading]:
    """What samples make of the values that could not be weighed."""
    samples = await _sampled(caller, answer)
    readings = {}
    for name, lacking in missing.items():
        values = samples.values(name)
        why = lacking.why if caller.client.sampling.top_logprobs else _NOT_ASKED_FOR
        if 2 * len(values) < SAMPLES:
            readings[name] = samples.failed(replace(lacking, why=why), len(values))
            continue
        scale = caller.judge.rubric.criteria[name].scale
        readings[name] = _by_count(scale, answer.reading.scores[name], values)
        answer.notes.append(
            Reason("note.samples", criterion=name, n=len(values), why=why)
            if len(values) == SAMPLES
            else Reason("note.some_samples", criterion=name, n=len(values), all=SAMPLES, why=why)
        )
    return readings


def samples_of(prompt: Prompt) -> list[Prompt]:
    """The questions that are asked where the reply to this one cannot be weighed."""
    first = prompt.sample * SAMPLES
    return [replace(prompt, sample=number) for number in range(first, first + SAMPLES)]


@dataclass(slots=True)
class _Samples:
    """What further replies to the same question say; `error` is why one of them did not come."""

    readings: list[Reading] = field(default_factory=list)
    outcome: Outcome = Outcome.UNREADABLE
    error: Reason | None = None

    def values(self, name: str) -> list[Value]:
        values = (reading.scores[name].value for reading in self.readings)
        return [value for value in values if value is not None]

    def failed(self, lacking: CriterionReading, readable: int) -> CriterionReading:
        """Where fewer than half could be read. What did not come may do so when asked again."""
        missing = SAMPLES - len(self.readings)
        why = Reason("expected.few_samples", why=lacking.why, all=SAMPLES, n=readable)
        if 2 * (readable + missing) < SAMPLES:
            return replace(lacking, why=why)
        failed = Reason("expected.failed_samples", why=why, error=self.error)
        return replace(lacking, outcome=self.outcome, why=failed)


async def _sampled(caller: Caller, answer: Answer) -> _Samples:
    client, samples = caller.client.sampler(), _Samples()
    for sample in samples_of(answer.prompt):
        try:
            reply, attempts = await client.ask(sample, client.key(sample))
        except BudgetStopped as error:
            samples.outcome, samples.error = Outcome.BUDGET_STOPPED, reason_of(error)
            break
        except ProviderError as error:
            if error.fatal:
                raise
            answer.attempts += error.attempts
            samples.outcome, samples.error = Outcome.PROVIDER_ERROR, reason_of(error)
            continue
        answer.add("sample", reply, attempts)
        samples.readings.append(read_reply(caller.judge, sample, reply))
    return samples


def _by_count(scale: Scale, score: CriterionReading, values: Sequence[Value]) -> CriterionReading:
    """The shares of the values in the place of probabilities, of which none is counted."""
    shares = {value: count / len(values) for value, count in Counter(values).items()}
    weighed = Distribution(shares, 0.0, score.value)
    return replace(
        score,
        outcome=Outcome.SCORED,
        value=weighed.value(scale),
        distribution={scale.write(value): share for value, share in shares.items()},
        confidence=weighed.confidence,
        mass=None,
    )
