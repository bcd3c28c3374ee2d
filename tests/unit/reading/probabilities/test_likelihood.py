"""Log-probabilities become one figure; what is missing is never a number."""

from __future__ import annotations

import math

import pytest

from adjudge.core.reason import Reason
from adjudge.core.reply import Reply, TokenLogprob
from adjudge.core.score import Outcome
from adjudge.reading import (
    CriterionReading,
    combine_parts,
    likelihood_reading,
    likelihood_score,
)


def found(value: float) -> CriterionReading:
    return CriterionReading(outcome=Outcome.SCORED, value=value)


def test_the_mean_of_the_tokens() -> None:
    tokens = tuple(TokenLogprob("x", value, {}) for value in (-1.0, -2.0, -6.0))
    reading = likelihood_reading(("c",), Reply(text="", logprobs=tokens))
    assert reading.scores["c"].value == -3.0


def test_none_came() -> None:
    reading = likelihood_reading(("c",), Reply(text="x"))
    assert reading.scores["c"].outcome is Outcome.UNREADABLE
    score = likelihood_score(reading.scores["c"], "forward")
    assert (score.value, score.why) == (None, "no probabilities of the text came")


def test_what_the_parts_come_to() -> None:
    assert combine_parts("forward", {"forward": found(-2.0)}).value == -2.0
    assert combine_parts("pmi", {"forward": found(-2.0), "alone": found(-3.5)}).value == 1.5
    assert combine_parts("f", {"reference": found(-2.0), "to_reference": found(-3.0)}).value == -2.5
    assert combine_parts("source-f", {"forward": found(-2.0), "back": found(-3.0)}).value == -2.5


def test_a_part_that_failed_stands_for_all() -> None:
    failed = CriterionReading(outcome=Outcome.TOO_LONG, why=Reason.of("too long"))
    assert combine_parts("pmi", {"forward": found(-2.0), "alone": failed}) == failed


def test_a_score_without_a_scale() -> None:
    score = likelihood_score(found(-2.0), "forward")
    assert (score.value, score.raw, score.rule, score.label) == (-2.0, -2.0, None, None)
    assert score.unit == pytest.approx(math.exp(-2.0))
    assert likelihood_score(found(1.5), "pmi").unit is None
