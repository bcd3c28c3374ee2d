"""The overall score: made in code, with bounds where a part is missing."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.core.rubric import Criterion, Overall, OverallKind, Requirement, Rubric, Threshold
from adjudge.core.scale import Binary, Integer, Number, Scale
from adjudge.core.score import Outcome, OverallScore, Score
from adjudge.reading import overall_score

FIVE, TEN = Integer(1, 5), Number(0.0, 10.0)
LOST = Score(outcome=Outcome.UNREADABLE)
NOTHING = Score(outcome=Outcome.NOT_APPLICABLE)


def criterion(
    name: str, scale: Scale = FIVE, weight: float = 1.0, required: Requirement | None = None
) -> Criterion:
    return Criterion(name=name, title=name, guide="", scale=scale, weight=weight, required=required)


def scored(scale: Scale, value: float) -> Score:
    return Score(outcome=Outcome.SCORED, value=value, raw=value, unit=scale.unit(value))


def made(
    kind: OverallKind,
    parts: list[tuple[Criterion, Score]],
    threshold: Threshold | None = None,
    over: tuple[str, ...] = (),
) -> OverallScore:
    names = over or tuple(part.name for part, _ in parts)
    rubric = Rubric(
        criteria={part.name: part for part, _ in parts},
        overall=Overall(kind=kind, over=names, threshold=threshold),
    )
    overall = overall_score(rubric, {part.name: score for part, score in parts})
    assert overall is not None
    return overall


def test_a_rubric_without_one_has_none() -> None:
    assert overall_score(Rubric(criteria={"a": criterion("a")}), {"a": scored(FIVE, 3)}) is None


def test_a_weighted_mean_of_one_scale_is_on_that_scale() -> None:
    parts = [(criterion("a", weight=2), scored(FIVE, 5)), (criterion("b"), scored(FIVE, 2))]
    overall = made("weighted_mean", parts, Threshold(">=", 3.5))
    assert (overall.value, overall.passed, overall.low, overall.high) == (4, True, 4, 4)
    assert overall.unit == pytest.approx(0.75)


def test_of_several_scales_the_units_are_taken() -> None:
    parts = [(criterion("a"), scored(FIVE, 5)), (criterion("b", TEN), scored(TEN, 5.0))]
    assert made("weighted_mean", parts).value == pytest.approx(0.75)
    assert made("sum", parts).value == pytest.approx(1.5)
    assert made("min", parts).value == pytest.approx(0.5)


def test_what_is_not_named_does_not_count() -> None:
    parts = [(criterion("a"), scored(FIVE, 5)), (criterion("b"), scored(FIVE, 1))]
    assert made("weighted_mean", parts, over=("a",)).value == 5


def test_faults_have_weights_below_0() -> None:
    yes, no = scored(Binary(), True), scored(Binary(), False)
    parts = [
        (criterion("a", Binary(), 5), yes),
        (criterion("b", Binary(), 3), no),
        (criterion("c", Binary(), -4), yes),
    ]
    assert made("weighted_mean", parts).value == pytest.approx((5 - 4) / 8)
    assert made("sum", parts).value == 1


def test_what_does_not_apply_is_left_out_with_its_weight() -> None:
    parts = [(criterion("a", weight=9), NOTHING), (criterion("b"), scored(FIVE, 2))]
    assert made("weighted_mean", parts).value == 2
    nothing = made("weighted_mean", [(criterion("a"), NOTHING)])
    assert (nothing.outcome, nothing.value, nothing.passed) == (Outcome.NOT_APPLICABLE, None, None)


def test_an_unscored_part_leaves_bounds() -> None:
    parts = [(criterion("a", weight=3), scored(FIVE, 4)), (criterion("b"), LOST)]
    overall = made("weighted_mean", parts)
    assert (overall.outcome, overall.value) == (Outcome.UNREADABLE, None)
    assert (overall.low, overall.high) == (3.25, 4.25)
    assert made("weighted_mean", parts, Threshold(">=", 3)).passed is True
    assert made("weighted_mean", parts, Threshold(">=", 4)).passed is None
    assert made("weighted_mean", parts, Threshold(">=", 4.5)).passed is False


def test_bounds_of_a_fault_are_the_other_way_round() -> None:
    parts = [
        (criterion("a", Binary(), 2), scored(Binary(), True)),
        (criterion("b", Binary(), -1), LOST),
    ]
    overall = made("weighted_mean", parts)
    assert (overall.low, overall.high) == (0.5, 1)


@given(
    st.sampled_from(["weighted_mean", "sum", "min", "all", "any"]),
    st.lists(
        st.tuples(st.integers(1, 5), st.sampled_from([-2.0, 1.0, 3.0])), min_size=2, max_size=5
    ),
    st.data(),
)
def test_bounds_hold_whatever_the_missing_part_is(
    kind: OverallKind, values: list[tuple[int, float]], data: st.DataObject
) -> None:
    if kind == "weighted_mean" and not any(weight > 0 for _, weight in values[:-1]):
        return
    parts = [
        (criterion(f"c{n}", weight=weight), scored(FIVE, value))
        for n, (value, weight) in enumerate(values)
    ]
    last, _ = parts[-1]
    whole = made(kind, parts)
    assert whole.low == whole.high == pytest.approx(float(whole.value or 0))
    without = made(kind, [*parts[:-1], (last, LOST)])
    assert without.low is not None
    assert without.high is not None
    assert without.low - 1e-9 <= float(whole.value or 0) <= without.high + 1e-9


def test_all_and_any_say_whether_parts_pass() -> None:
    good, bad = scored(FIVE, 4), scored(FIVE, 2)
    both = [(criterion("a"), good), (criterion("b"), bad)]
    assert made("all", both).value is False
    assert (made("any", both).value, made("any", both).passed) == (True, True)
    assert made("all", both, Threshold(">=", 2)).value is True  # the threshold is each part's
    assert made("any", [(criterion("a"), good), (criterion("b"), LOST)]).value is True
    assert made("all", [(criterion("a"), good), (criterion("b"), LOST)]).value is None


def test_a_required_part_that_fails_voids_the_whole() -> None:
    parts = [
        (criterion("a", required=Requirement()), scored(FIVE, 2)),
        (criterion("b"), scored(FIVE, 5)),
    ]
    overall = made("weighted_mean", parts, Threshold(">=", 3), over=("b",))
    assert (overall.outcome, overall.value, overall.passed) == (Outcome.VOID, None, False)
    assert overall.reason is not None
    assert overall.reason.fields["criterion"] == "a"
    parts[0] = (parts[0][0], scored(FIVE, 3))  # the upper half of the scale
    assert made("weighted_mean", parts).value == 4


def test_a_required_part_may_say_what_it_takes_and_cap_instead() -> None:
    needs = Requirement(threshold=Threshold(">=", 4), cap=2)
    parts = [(criterion("a", required=needs), scored(FIVE, 3)), (criterion("b"), scored(FIVE, 5))]
    overall = made("weighted_mean", parts, Threshold(">=", 3))
    assert (overall.value, overall.passed) == (2, False)
    parts[0] = (parts[0][0], scored(FIVE, 4))
    assert made("weighted_mean", parts).value == 4.5


def test_a_required_part_without_a_score_leaves_nothing_to_say() -> None:
    parts = [(criterion("a", required=Requirement()), LOST), (criterion("b"), scored(FIVE, 5))]
    overall = made("weighted_mean", parts, Threshold(">=", 1))
    assert (overall.outcome, overall.value, overall.passed) == (Outcome.UNREADABLE, None, None)
    assert (overall.low, overall.high) == (None, None)
    parts[0] = (parts[0][0], NOTHING)
    assert made("weighted_mean", parts).value == 5


def test_a_threshold_is_met_on_the_limit_but_for_rounding() -> None:
    assert Threshold(">=", 0.3).met(0.1 + 0.2)
    assert not Threshold(">", 0.3).met(0.1 + 0.2)
