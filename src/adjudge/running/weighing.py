"""Expected scores: weighed by the probabilities of their tokens, or by samples in their place."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from adjudge.core.scale import Scale, Value
from adjudge.core.score import Outcome
from adjudge.errors import ProviderError
from adjudge.reading.distribution import Distribution
from adjudge.reading.expected import expected
from adjudge.reading.found import Found, Reading
from adjudge.reading.read import read

from .asking.budget import BudgetStopped

if TYPE_CHECKING:
    from .call import Answer, Caller

SAMPLES = 10


async def weigh(caller: Caller, answer: Answer) -> None:
    """Puts expected values in the place of those that were read.

    Where probabilities do not come, or too few, a value becomes `unreadable`; if the user allows
    it, the mean of samples stands in for it, and a note says so.
    """
    before = answer.reading
    reply = answer.whole[answer.counted]
    after = expected(caller.judge, answer.prompt.criteria, reply, before)
    missing = {
        name: found
        for name, found in after.scores.items()
        if found.value is None and before.scores[name].value is not None
    }
    if missing and caller.samples:
        readings = await _sampled(caller, answer)
        scales = {name: caller.judge.rubric.criteria[name].scale for name in missing}
        counted = {
            name: _by_count(scales[name], before.scores[name], readings, name) for name in missing
        }
        known = {name: found for name, found in counted.items() if found is not None}
        after = replace(after, scores={**after.scores, **known})
        for name in known:
            why = missing[name].why
            answer.notes.append(f"{name} is the mean of {SAMPLES} samples, since {why}")
    answer.reading = after


async def _sampled(caller: Caller, answer: Answer) -> list[Reading]:
    """What further replies to the same question say; those that fail are left out."""
    asker, prompt = caller.asker.by_chance(), answer.prompt
    readings = []
    for number in range(SAMPLES):
        sample = replace(prompt, sample=prompt.sample * SAMPLES + number)
        try:
            reply, attempts = await asker.ask(sample, asker.key(sample))
        except BudgetStopped:
            break
        except ProviderError as error:
            if error.fatal:
                raise
            answer.attempts += error.attempts
            continue
        answer.attempts += attempts
        answer.usage += reply.usage
        answer.latency_ms += reply.latency_ms
        readings.append(read(caller.judge, prompt.criteria, reply))
    return readings


def _by_count(scale: Scale, found: Found, readings: Sequence[Reading], name: str) -> Found | None:
    """None where fewer than half of the samples could be read."""
    values: list[Value] = []
    for reading in readings:
        value = reading.scores[name].value
        if value is not None:
            values.append(value)
    if 2 * len(values) < SAMPLES:
        return None
    shares = {value: count / len(values) for value, count in Counter(values).items()}
    weighed = Distribution(shares, len(values) / SAMPLES, found.value)
    return replace(
        found,
        outcome=Outcome.SCORED,
        value=weighed.value(scale),
        distribution={scale.write(value): share for value, share in shares.items()},
        confidence=weighed.confidence,
        mass=weighed.mass,
    )
