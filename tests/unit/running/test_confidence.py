from __future__ import annotations

import pytest

from adjudge.core.scale import Binary, Category, Integer, Number, Scale, Value
from adjudge.core.score import Outcome, Score
from adjudge.core.verdict import Verdict
from adjudge.running.confidence import agrees, sure

FIVE, ANY, YES, WINNER = Integer(1, 5), Number(0.0, 10.0), Binary(), Category(("a", "b", "tie"))


def score(value: Value | None, confidence: float | None = None) -> Score:
    outcome = Outcome.UNREADABLE if value is None else Outcome.SCORED
    return Score(outcome=outcome, value=value, confidence=confidence)


def samples(*scores: Score, **more: tuple[Score, ...]) -> list[Verdict]:
    every = {"x": scores} | more
    return [
        Verdict(
            item="i",
            judge="j",
            fingerprint="",
            model="m",
            outcome=Outcome.SCORED,
            scores={name: given[n] for name, given in every.items()},
        )
        for n in range(len(scores))
    ]


@pytest.mark.parametrize(
    ("scale", "values", "value", "confidence"),
    [
        (FIVE, [4, 4, 2, 4, 4], 4, 0.8),
        (FIVE, [4, None, None, 4, 4], 4, 0.6),  # a failure does not say 4
        (WINNER, ["a", "tie", "a"], "a", 2 / 3),
        (YES, [True, True, False], True, 2 / 3),
        (ANY, [7.0, 7.4, 6.5, 9.0], 7.2, 0.75),  # within a tenth of the scale of the median
    ],
)
def test_by_repeats(
    scale: Scale, values: list[Value | None], value: Value, confidence: float
) -> None:
    found = sure(samples(*map(score, values)), {"x": scale}, None, by_repeats=True)
    assert found is not None
    assert found.values == {"x": value}
    assert found.confidence == pytest.approx(confidence)


def test_by_what_the_scores_tell() -> None:
    told = samples(score(4.2, 0.9), score(4.0, 0.7))
    found = sure(told, {"x": FIVE}, None, by_repeats=False)
    assert found is not None
    assert found.values == {"x": pytest.approx(4.1)}
    assert found.confidence == pytest.approx(0.8)


def test_one_sample_that_tells_nothing_is_not_sure() -> None:
    assert sure(samples(score(4)), {"x": FIVE}, None, by_repeats=False) is None


def test_the_least_sure_criterion_counts() -> None:
    both = samples(score(4), score(4), y=(score("a"), score("b")))
    found = sure(both, {"x": FIVE, "y": WINNER}, None, by_repeats=True)
    assert found is not None
    assert found.confidence == 0.5


def test_a_criterion_without_a_score_leaves_it_unknown() -> None:
    both = samples(score(4), y=(score(None),))
    assert sure(both, {"x": FIVE, "y": WINNER}, None, by_repeats=True) is None
    assert sure(both, {"x": FIVE}, None, by_repeats=True) is not None


@pytest.mark.parametrize(
    ("scale", "value", "people", "within", "expected"),
    [
        (FIVE, 4, 4.0, None, True),
        (FIVE, 4, 3.5, None, True),  # two raters say 3 and 4
        (FIVE, 4, 3.0, None, False),
        (FIVE, 4, 3.0, 1.0, True),
        (FIVE, 4, 3.5, 0.0, False),
        (ANY, 6.9, 6.0, None, True),
        (ANY, 7.1, 6.0, None, False),
        (YES, True, 1.0, None, True),
        (YES, True, 2 / 3, None, True),
        (YES, True, 0.5, None, False),
        (WINNER, "a", "a", 1.0, True),
        (WINNER, "a", "b", 1.0, False),
    ],
)
def test_agrees(
    scale: Scale, value: Value, people: float | str, within: float | None, expected: bool
) -> None:
    assert agrees(value, people, scale, within) is expected
