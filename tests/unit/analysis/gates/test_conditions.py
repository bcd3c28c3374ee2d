from __future__ import annotations

from collections.abc import Iterator

import pytest

from adjudge.analysis.gates import RUN_FIGURES, Gate, check_gates, check_scales, parse_gates
from adjudge.analysis.gates.conditions import CALIBRATION_FIGURES, Condition, Measured, gate_results
from adjudge.core.reason import Reason
from adjudge.core.scale import Binary, Category, Integer, Level, Ordinal
from adjudge.errors import UsageError


def gate(text: str) -> Gate:
    return parse_gates([text])[0]


@pytest.mark.parametrize(
    ("text", "criterion", "what", "part", "sign", "limit"),
    [
        ("rating.mean>=3.2", "rating", "mean", "value", ">=", 3.2),
        (" rating.mean >= 3.2 ", "rating", "mean", "value", ">=", 3.2),
        ("rating.mean≥3", "rating", "mean", "value", ">=", 3.0),
        ("rating.mean≤3", "rating", "mean", "value", "<=", 3.0),
        ("rating.n==60", "rating", "n", "value", "=", 60.0),
        ("rating.lower>3", "rating", "mean", "lower", ">", 3.0),
        ("rating.mean.lower>3", "rating", "mean", "lower", ">", 3.0),
        ("rating.upper<3", "rating", "mean", "upper", "<", 3.0),
        ("accuracy.corrected.lower>=7", "accuracy", "corrected", "lower", ">=", 7.0),
        ("unscored<=2%", "", "unscored", "value", "<=", 0.02),
        ("rating.unscored<=2%", "rating", "unscored", "value", "<=", 0.02),
        ("rating.bias>=-0.5", "rating", "bias", "value", ">=", -0.5),
        ("정확성.mean>=3", "정확성", "mean", "value", ">=", 3.0),
    ],
)
def test_what_is_read(
    text: str, criterion: str, what: str, part: str, sign: str, limit: float
) -> None:
    found = gate(text)
    assert (found.criterion, found.what, found.part) == (criterion, what, part)
    assert (found.sign, found.limit) == (sign, pytest.approx(limit))


@pytest.mark.parametrize(
    ("text", "condition", "limit"),
    [
        ("rating.share(>=3)>=80%", Condition(">=", 3.0, "3"), 0.8),
        ("rating.share( = 3 ) > 0.5", Condition("=", 3.0, "3"), 0.5),
        ("winner.share(=tie)<=20%", Condition("=", "tie", "tie"), 0.2),
        ("winner.share(==no answer)<=20%", Condition("=", "no answer", "no answer"), 0.2),
    ],
)
def test_shares(text: str, condition: Condition, limit: float) -> None:
    found = gate(text)
    assert (found.what, found.condition, found.limit) == ("share", condition, limit)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("rating.mean", "Put it in quotes"),  # what is left when the shell took the rest
        ("", "not a condition"),
        (">=3", "not a condition"),
        ("rating.mean>=", "not a condition"),
        ("rating.mean>=3>=4", "not a condition"),
        ("rating.mean>=three", "not a number"),
        ("rating.mean>=nan", "not a number"),
        ("rating.mean>=inf", "not a number"),
        ("rating..mean>=3", "not a figure"),
        ("rating.share>=3", "needs a condition"),
        ("rating.mean(>=3)>=3", "needs a condition"),
        ("rating.share(3)>=80%", "share(>=3)"),
        ("winner.share(>=tie)>=80%", "no order"),
        ("rating.share(>=3)>=80", "a share is 1 at the most; write 80%"),
        ("unscored<=2", "a share is 1 at the most; write 2%"),
    ],
)
def test_what_is_none(text: str, says: str) -> None:
    with pytest.raises(UsageError, match="--gate") as error:
        gate(text)
    assert says in str(error.value)


class TestCheck:
    def test_known(self) -> None:
        gates = parse_gates(["rating.mean>=3", "unscored<=1%", "rating.lower>=2"])
        check_gates(gates, ["rating"], RUN_FIGURES)

    @pytest.mark.parametrize(
        ("text", "says"),
        [
            ("raitng.mean>=3", "there are rating, tone. Did you mean rating?"),
            ("rating.maen>=3", "Did you mean mean?"),
            ("rating.spearman>=0.4", "there is no figure 'spearman'"),
            ("mean>=3", "Write CRITERION.mean"),
            ("lower>=3", "Write CRITERION.mean"),
        ],
    )
    def test_unknown(self, text: str, says: str) -> None:
        with pytest.raises(UsageError) as error:
            check_gates(parse_gates([text]), ["rating", "tone"], RUN_FIGURES)
        assert says in str(error.value)

    def test_a_calibration_has_more_figures(self) -> None:
        gates = parse_gates(["rating.kappa.lower>=0.3", "rating.group_kendall>=0.3"])
        check_gates(gates, ["rating"], CALIBRATION_FIGURES)

    @pytest.mark.parametrize(
        ("text", "says"),
        [
            ("winner.mean>=3", "winner.share(=a)>=50%"),
            ("winner.corrected>=3", "names have no mean"),
            ("winner.share(=c)>=3%", "none of a, b"),
            ("winner.share(>=1)>=3%", "none of a, b"),
            ("level.share(=superb)>=3%", "superb"),
            ("polite.share(=perhaps)>=3%", "neither yes nor no"),
        ],
    )
    def test_a_scale_without_an_answer(self, text: str, says: str) -> None:
        level = Ordinal({1: Level("poor"), 2: Level("fine")})
        scales = [("winner", Category(("a", "b"))), ("level", level), ("polite", Binary())]
        with pytest.raises(UsageError) as error:
            check_scales(parse_gates([text]), scales)
        assert says in str(error.value)

    @pytest.mark.parametrize(
        ("text", "says"),
        [
            ("polite.share(=yes)>=80%", "a likelihood lies on no scale"),
            ("winner.share(=a)>=80%", "gate its mean, e.g. winner.mean>=-2"),
            ("winner.corrected>=3", "no order to map a likelihood to"),
        ],
    )
    def test_likelihoods_lie_on_no_scale(self, text: str, says: str) -> None:
        scales = [("winner", Category(("a", "b"))), ("polite", Binary())]
        with pytest.raises(UsageError) as error:
            check_scales(parse_gates([text]), scales, likelihoods=True)
        assert says in str(error.value)

    def test_likelihoods_have_a_mean(self) -> None:
        scales = [("winner", Category(("a", "b")))]
        check_scales(parse_gates(["winner.mean>=-2"]), scales, likelihoods=True)

    def test_names_may_be_numbers(self) -> None:
        check_scales(parse_gates(["side.share(=1)>=3%"]), [("side", Category(("1", "2")))])

    def test_a_scale_with_an_answer(self) -> None:
        texts = ["winner.share(=A)>=3%", "level.share(=Fine)>=3%", "rating.share(>=2.5)>=3%"]
        level = Ordinal({1: Level("poor"), 2: Level("fine")})
        scales = [("winner", Category(("a", "b"))), ("level", level), ("rating", Integer(1, 5))]
        check_scales(parse_gates(texts), scales)


class TestEvaluate:
    @pytest.mark.parametrize(
        ("text", "value", "passed"),
        [
            ("r.mean>=3", 3.0, True),
            ("r.mean>=3", 0.1 * 30, True),
            ("r.mean>=3", 3 - 1e-12, True),  # rounding, no shortfall
            ("r.mean>=3", 2.999, False),
            ("r.mean>3", 3.0, False),
            ("r.mean<=3", 3.0, True),
            ("r.mean<3", 3.0, False),
            ("r.mean=3", 3.0, True),
            ("r.mean=3", 3.1, False),
        ],
    )
    def test_limits(self, text: str, value: float, passed: bool) -> None:
        (judged,) = gate_results([gate(text)], lambda _: [Measured(value)])
        assert judged.passed is passed

    def test_how_far(self) -> None:
        (judged,) = gate_results([gate("r.mean>=3")], lambda _: [Measured(2.5)])
        assert judged.short_by == pytest.approx(0.5)

    def test_no_figure_fails_and_says_why(self) -> None:
        (judged,) = gate_results([gate("r.mean>=3")], lambda _: [Measured(None, "nobody knows")])
        assert not judged.passed
        assert str(judged.measured.why) == "nobody knows"

    def test_nothing_found_fails(self) -> None:
        (judged,) = gate_results([gate("r.mean>=3")], lambda _: [])
        assert not judged.passed

    def test_each_model_is_judged(self) -> None:
        def lookup(_: Gate) -> Iterator[Measured]:
            yield Measured(4.0, where=Reason("grader", judge="j", model="one"))
            yield Measured(2.0, where=Reason("grader", judge="j", model="two"))

        judged = gate_results([gate("r.mean>=3")], lookup)
        assert [(each.passed, str(each.measured.where)) for each in judged] == [
            (True, "j by one"),
            (False, "j by two"),
        ]
