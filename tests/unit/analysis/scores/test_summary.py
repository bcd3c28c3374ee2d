from __future__ import annotations

import statistics

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.analysis.summed import summarise

from adjudge.analysis.scores import Summary
from adjudge.core.reply import Usage
from adjudge.core.score import SETTLED, Outcome, Score
from adjudge.core.verdict import Verdict
from adjudge.running.tally import tally_of

FAILURES = sorted(set(Outcome) - SETTLED)


def verdict(score: Score, **more: object) -> Verdict:
    parts = {"item": "1", "judge": "j", "fingerprint": "f", "model": "m", "attempts": 1}
    return Verdict(outcome=score.outcome, scores={"c": score}, **(parts | more))  # type: ignore[arg-type]


def of_scores(scores: list[Score]) -> Summary:
    """An item each."""
    return summarise("r", [verdict(each, item=str(n)) for n, each in enumerate(scores)])


def summary_of(values: list[float | None]) -> Summary:
    scores = [
        Score(outcome=Outcome.SCORED, value=value)
        if value is not None
        # raw tells what the model said off the scale; it must not slip into a mean
        else Score(outcome=FAILURES[at % len(FAILURES)], raw=1e6)
        for at, value in enumerate(values)
    ]
    return of_scores(scores)


@given(st.lists(st.none() | st.floats(-1e3, 1e3)))
def test_a_mean_is_over_the_scored_alone(values: list[float | None]) -> None:
    summary = summary_of(values)
    known = [value for value in values if value is not None]
    assert summary.unscored == len(values) - len(known)
    if not values:
        return
    (criterion,) = summary.criteria.values()
    assert (criterion.items, criterion.tally.scored) == (len(known), len(known))
    assert criterion.tally.unscored.total() == len(values) - len(known)
    assert criterion.mean == (pytest.approx(statistics.fmean(known)) if known else None)
    if len(known) > 1:
        assert criterion.sd == pytest.approx(statistics.stdev(known), abs=1e-4)
    else:
        assert criterion.sd is None


def test_what_does_not_apply_is_counted_apart() -> None:
    none = Score(outcome=Outcome.NOT_APPLICABLE)
    summary = of_scores([Score(outcome=Outcome.SCORED, value=3), none, none])
    (criterion,) = summary.criteria.values()
    assert (summary.unscored, criterion.items, criterion.unscored_items) == (0, 1, 0)
    assert (criterion.tally.not_applicable, criterion.tally.unscored.total()) == (2, 0)
    assert criterion.mean == 3


@pytest.mark.parametrize("outcome", [*FAILURES, Outcome.NOT_APPLICABLE])
def test_a_failure_is_never_a_number(outcome: Outcome) -> None:
    with pytest.raises(ValueError, match=str(outcome)):
        Score(outcome=outcome, value=0)


def test_a_score_needs_a_value() -> None:
    with pytest.raises(ValueError, match="scored"):
        Score(outcome=Outcome.SCORED)


def test_names_are_counted() -> None:
    scores = [Score(outcome=Outcome.SCORED, value=value) for value in ("a", "b", "a")]
    (criterion,) = of_scores(scores).criteria.values()
    assert criterion.shares == {"a": 2, "b": 1}
    assert criterion.mean is criterion.sd is None


def test_counts_rules_languages_and_spend() -> None:
    score = Score(
        outcome=Outcome.SCORED,
        value=2,
        rule="insult",
        explanation_outcome=Outcome.WRONG_LANGUAGE,
    )
    spent = Usage(input_tokens=3, output_tokens=2, cost_usd=0.5)
    summary = summarise("r", [verdict(score, usage=spent), verdict(score, usage=spent, model="n")])
    criterion = summary.criteria["j", "m", "c"]
    assert (criterion.tally.capped, criterion.tally.wrong_language) == (1, 1)
    assert summary.usage == Usage(input_tokens=6, output_tokens=4, cost_usd=1.0)
    assert summary.means() == {"j/m/c": 2.0, "j/n/c": 2.0}


def test_an_unknown_price_stays_unknown() -> None:
    score = Score(outcome=Outcome.SCORED, value=2)
    tally = tally_of("r", [verdict(score), verdict(score, usage=Usage(cost_usd=None))])
    assert tally.usage.cost_usd is None


def test_scores_that_rest_on_samples_are_counted() -> None:
    """They have a distribution, of which no probability was counted."""
    shares = {"2": 1.0}
    scores = [
        Score(outcome=Outcome.SCORED, value=2, distribution=shares, mass=mass)
        for mass in (None, 0.9, None)
    ]
    plain, failed = Score(outcome=Outcome.SCORED, value=2), Score(outcome=Outcome.UNREADABLE)
    (criterion,) = of_scores([*scores, plain, failed]).criteria.values()
    assert (criterion.tally.sampled, criterion.tally.scored) == (2, 4)
