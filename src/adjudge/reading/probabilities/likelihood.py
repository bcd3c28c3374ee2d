"""The likelihood of a judged text: what its tokens' log-probabilities come to."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from statistics import fmean

from adjudge.core.judge import Variant
from adjudge.core.reason import Reason
from adjudge.core.reply import Reply
from adjudge.core.score import Outcome, Score

from ..readings import CriterionReading, Reading


def likelihood_reading(criteria: tuple[str, ...], reply: Reply) -> Reading:
    """The mean log-probability of the tokens, at most 0, for the one criterion of the call."""
    if reply.logprobs:
        score = CriterionReading(
            outcome=Outcome.SCORED, value=fmean(t.logprob for t in reply.logprobs)
        )
    else:
        score = CriterionReading(outcome=Outcome.UNREADABLE, why=Reason("likelihood.none"))
    return Reading(scores=dict.fromkeys(criteria, score))


def combine_parts(variant: Variant, parts: Mapping[str, CriterionReading]) -> CriterionReading:
    """What the parts of a variant come to; the first that failed stands for all."""
    if failed := next((score for score in parts.values() if score.value is None), None):
        return failed
    values = {part: float(score.value or 0.0) for part, score in parts.items()}
    gained = variant == "pmi"
    value = values["forward"] - values["alone"] if gained else fmean(values.values())
    first = next(iter(parts.values()))
    return replace(first, value=value)


def likelihood_score(score: CriterionReading, variant: Variant) -> Score:
    """No rule and no scale applies: the value is in natural log units per token.

    `unit` is the probability of a token in the geometric mean; what a source adds (pmi) has none.
    """
    if score.value is None:
        return Score(outcome=score.outcome, reason=score.why)
    value = float(score.value)
    unit = None if variant == "pmi" else math.exp(min(value, 0.0))
    return Score(outcome=Outcome.SCORED, value=value, raw=value, unit=unit)
