"""Two runs side by side, with figures that can be worked out by hand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.unit.analysis.compared import Runs

import adjudge
from adjudge.analysis.comparison import Changes, Comparison, Difference
from adjudge.analysis.comparison.gates import comparison_gates, judge_comparison
from adjudge.errors import UsageError
from adjudge.reports.findings.comparison import comparison as composed
from adjudge.reports.renderers.terminal import as_text
from adjudge.reports.words import command_line
from adjudge.stores import open_store

TEN = [f"i{n}" for n in range(10)]


@pytest.fixture
def runs(tmp_path: Path) -> Runs:
    return Runs(tmp_path)


def compared(runs: Runs, a: str, b: str, **options: Any) -> Comparison:
    return adjudge.compare(a, b, store=runs.store, **options)


def rating(comparison: Comparison) -> Difference:
    found = comparison.criteria["rating"]
    assert isinstance(found, Difference)
    return found


def test_differences_are_b_minus_a(runs: Runs) -> None:
    a = runs.run(dict.fromkeys(TEN, 2))
    b = runs.run({name: 3 if n < 8 else 1 for n, name in enumerate(TEN)})
    found = rating(compared(runs, a, b))
    paired = found.paired
    assert (found.mean_a, found.mean_b) == (2.0, pytest.approx(2.6))
    assert paired.difference.value == pytest.approx(0.6)
    assert found.unit.value == pytest.approx(0.15)  # of a scale four wide
    assert (paired.wins, paired.ties, paired.losses) == (8, 0, 2)
    assert paired.difference.low < 0.6 < paired.difference.high
    assert found.bounds == (pytest.approx(0.6), pytest.approx(0.6))
    assert paired.p == pytest.approx(112 / 1024)  # 8 or more of one sign among 10, either way


def test_the_other_way_round_is_the_opposite(runs: Runs) -> None:
    a = runs.run({name: 1 + n % 5 for n, name in enumerate(TEN)})
    b = runs.run({name: 1 + n * n % 5 for n, name in enumerate(TEN)})
    one, other = rating(compared(runs, a, b)), rating(compared(runs, b, a))
    assert one.paired.difference.value == -other.paired.difference.value
    assert one.paired.p == other.paired.p
    assert (one.paired.wins, one.paired.losses) == (other.paired.losses, other.paired.wins)


def test_unscored_and_unshared_items_are_counted_and_bound(runs: Runs) -> None:
    a = runs.run({**dict.fromkeys(TEN, 3), "i0": None, "i1": None, "only-a": 5})
    b = runs.run({**dict.fromkeys(TEN, 3), "i1": None, "i2": None, "x": 1, "y": 1})
    comparison = compared(runs, a, b)
    section, found = comparison.sections[0], rating(comparison)
    assert (section.shared, section.only_a, section.only_b) == (10, 1, 2)
    assert (found.missing.a, found.missing.b, found.missing.both) == (1, 1, 1)
    assert found.paired.n == 7
    # i0: 3 - (1 to 5); i1: -4 to 4; i2: (1 to 5) - 3
    assert found.bounds == (pytest.approx(-0.8), pytest.approx(0.8))


def test_repeats_are_averaged_over_the_scored_ones(runs: Runs) -> None:
    a = runs.run({name: [2, 4, None] for name in TEN}, repeat=3)
    b = runs.run({name: [4, 4, 4] for name in TEN}, repeat=3)
    assert rating(compared(runs, a, b)).mean_a == 3.0


def test_other_scales_are_compared_on_0_to_1(runs: Runs) -> None:
    ten = runs.judge("ten", "{type: number, min: 0, max: 10}")
    a, b = runs.run(dict.fromkeys(TEN, 3)), runs.run(dict.fromkeys(TEN, 7.5), judge=ten)
    comparison = compared(runs, a, b)
    found = rating(comparison)
    assert found.rescaled
    assert found.span == (0.0, 1.0)
    assert found.paired.difference.value == pytest.approx(0.25)
    assert "the judge (good, then ten)" in map(str, comparison.sections[0].differs)


def test_names_change_and_have_no_mean(runs: Runs) -> None:
    a = runs.run(dict.fromkeys(TEN, (3, "fact")))
    b = runs.run({name: (3, "opinion" if n < 4 else "fact") for n, name in enumerate(TEN)})
    found = compared(runs, a, b).criteria["kind"]
    assert isinstance(found, Changes)
    assert (found.n, found.changed, found.share.value) == (10, 4, 0.4)
    assert found.moves == {("fact", "opinion"): 4}
    shares = {name: (one, other) for name, (one, other, _) in found.options.items()}
    assert shares == {"fact": (1.0, 0.6), "opinion": (0.0, 0.4), "other": (0.0, 0.0)}
    assert [mover.item for mover in found.movers] == ["i0", "i1", "i2", "i3"]


def test_movers_come_with_both_explanations(runs: Runs) -> None:
    a = runs.run(dict.fromkeys(TEN, 2))
    b = runs.run({**dict.fromkeys(TEN, 2), "i4": 3, "i7": 5, "i9": 1})
    movers = rating(compared(runs, a, b, movers=2)).movers
    assert [(each.item, each.a, each.b) for each in movers] == [("i7", 2.0, 5.0), ("i4", 2.0, 3.0)]
    assert (movers[0].why_a, movers[0].why_b) == ("I gave 2.", "I gave 5.")


def test_a_criterion_that_nobody_scored(runs: Runs) -> None:
    a, b = runs.run(dict.fromkeys(TEN)), runs.run(dict.fromkeys(TEN, 3))
    comparison = compared(runs, a, b, detect=1.0)
    found, kind = rating(comparison), comparison.criteria["kind"]
    assert (found.paired.n, found.paired.p, found.mean_a) == (0, None, None)
    assert found.bounds == (-2.0, 2.0)
    assert isinstance(kind, Changes)
    assert kind.share.value is None
    assert "no difference can be computed" in as_text(composed(comparison, command_line()))


def test_a_run_that_is_not_finished(runs: Runs) -> None:
    a, b = runs.run(dict.fromkeys(TEN, 2)), runs.run(dict.fromkeys(TEN, 3))
    store = open_store(runs.store)
    store.runs.end(b, "interrupted")
    store.close()
    cautions = compared(runs, a, b).sections[0].cautions
    assert tuple(map(str, cautions)) == (
        "Run B is not finished (interrupted): items may be missing.",
    )


class TestSlices:
    def test_each_value_of_a_column(self, runs: Runs) -> None:
        rows = {name: {"topic": "odd" if n % 2 else "even"} for n, name in enumerate(TEN)}
        rows["i9"] = {}
        a = runs.run(dict.fromkeys(TEN, 2), rows=rows)
        b = runs.run({name: 4 if n % 2 else 2 for n, name in enumerate(TEN)}, rows=rows)
        slices = rating(compared(runs, a, b, slices=("topic",))).slices
        shown = [(str(each.value), each.n, each.difference.value) for each in slices]
        assert shown == [("even", 5, 0.0), ("odd", 4, 2.0), ("(none)", 1, 2.0)]
        assert slices[1].p is None  # four pairs are too few for a test

    def test_many_looks_are_allowed_for(self, runs: Runs) -> None:
        many = [f"i{n}" for n in range(40)]
        rows = {name: {"topic": f"t{n % 4}"} for n, name in enumerate(many)}
        a = runs.run(dict.fromkeys(many, 2), rows=rows)
        b = runs.run({name: 3 if n % 4 == 0 else 2 for n, name in enumerate(many)}, rows=rows)
        comparison = compared(runs, a, b, slices=("topic",))
        first = next(each for each in rating(comparison).slices if each.value == "t0")
        assert first.p == pytest.approx(2 / 1024)
        assert first.adjusted == pytest.approx(2 / 1024 * 8)  # four slices of two criteria

    def test_a_column_with_too_many_values(self, runs: Runs) -> None:
        many = [f"i{n}" for n in range(60)]
        rows = {name: {"topic": name} for name in many}
        a, b = (runs.run(dict.fromkeys(many, each), rows=rows) for each in (2, 3))
        slices = rating(compared(runs, a, b, slices=("topic",))).slices
        assert len(slices) == 51
        assert (str(slices[-1].value), slices[-1].n) == ("(10 other values)", 10)

    def test_unknown_column(self, runs: Runs) -> None:
        a, b = runs.run({"i": 1}), runs.run({"i": 2})
        with pytest.raises(UsageError, match="column 'topik'; known: answer, question"):
            compared(runs, a, b, slices=("topik",))


def test_groups_make_the_interval_wider(runs: Runs) -> None:
    many = [f"i{n}" for n in range(40)]
    rows = {name: {"text": str(n // 4)} for n, name in enumerate(many)}
    a = runs.run(dict.fromkeys(many, 2), rows=rows)
    b = runs.run({name: 3 if n // 4 % 2 else 2 for n, name in enumerate(many)}, rows=rows)
    alone = rating(compared(runs, a, b)).paired.difference
    grouped = rating(compared(runs, a, b, group="text")).paired.difference
    assert grouped.high - grouped.low > 1.5 * (alone.high - alone.low)


def test_detect(runs: Runs) -> None:
    a = runs.run(dict.fromkeys(TEN, 2))
    b = runs.run({name: 3 if n % 2 else 1 for n, name in enumerate(TEN)})
    found = rating(compared(runs, a, b, detect=1.0)).detection
    assert found is not None
    assert found.power == pytest.approx(0.78, abs=0.02)  # a standard deviation of 1.05, 10 pairs
    assert found.pairs == 11
    constant = runs.run(dict.fromkeys(TEN, 3))
    none = rating(compared(runs, a, constant, detect=1.0)).detection
    assert none is not None
    assert none.pairs is None
    assert "no spread" in str(none.why)


class TestWhatDiffers:
    def test_answers(self, runs: Runs) -> None:
        a = runs.run(dict.fromkeys(TEN, 2))
        b = runs.run(dict.fromkeys(TEN, 3), rows={"i3": {"answer": "Another."}})
        section = compared(runs, a, b).sections[0]
        assert "the judged texts (in 1 of 10 items)" in map(str, section.differs)
        assert section.cautions == ()

    def test_ids_that_mean_something_else(self, runs: Runs) -> None:
        a = runs.run(dict.fromkeys(TEN, 2))
        other = {name: {"question": "Which?", "answer": "This."} for name in TEN}
        b = runs.run(dict.fromkeys(TEN, 3), rows=other)
        (caution,) = compared(runs, a, b).sections[0].cautions
        assert "In 10 of 10 pairs the inputs that are not judged differ" in str(caution)

    def test_wording(self, runs: Runs) -> None:
        a = runs.run(dict.fromkeys(TEN, 2))
        other = Path(runs.judge())
        other.write_text(other.read_text().replace("How good is it?", "How good is it, really?"))
        b = runs.run(dict.fromkeys(TEN, 2), judge=str(other))
        assert any("wording" in str(each) for each in compared(runs, a, b).sections[0].differs)


class TestSeveral:
    @pytest.fixture
    def panel(self, runs: Runs) -> str:
        """A run by two models, of which one is kinder."""
        runs.run(dict.fromkeys(TEN, 2))
        runs.run(dict.fromkeys(TEN, 4))
        models = [f"replay:{runs.folder / f'replies{n}.jsonl'}" for n in (1, 2)]
        run = adjudge.run(
            runs.folder / "data1.jsonl", judge=runs.judge(), model=models, store=runs.store
        )
        run.close()
        return run.id

    def test_two_models_of_one_run(self, runs: Runs, panel: str) -> None:
        one, other = (f"replay:{runs.folder / f'replies{n}.jsonl'}" for n in (1, 2))
        found = rating(compared(runs, panel, panel, model_a=one, model_b=other))
        assert found.paired.difference.value == 2.0

    def test_itself(self, runs: Runs, panel: str) -> None:
        with pytest.raises(UsageError, match="Both sides are the same verdicts"):
            compared(runs, panel, panel)

    def test_a_section_for_each_model(self, runs: Runs, panel: str) -> None:
        models = [f"replay:{runs.folder / f'replies{n}.jsonl'}" for n in (1, 2)]
        again = adjudge.run(
            runs.folder / "data1.jsonl",
            judge=runs.judge(),
            model=models,
            store=runs.store,
            fresh=True,
        )
        again.close()
        comparison = compared(runs, panel, again.id)
        assert [section.model_a for section in comparison.sections] == models
        with pytest.raises(UsageError, match=r"There are 2 judges and models; look at \.sections"):
            _ = comparison.criteria

    def test_which_model(self, runs: Runs, panel: str) -> None:
        with pytest.raises(UsageError, match=r"--model-a gpt: run .* has only good by replay"):
            compared(runs, panel, panel, model_a="gpt")
        single = runs.run(dict.fromkeys(TEN, 5))
        with pytest.raises(UsageError, match="share no judge and model"):
            compared(runs, panel, single)


class TestRefusals:
    def test_no_shared_item(self, runs: Runs) -> None:
        a, b = runs.run({"i": 1, "j": 2}), runs.run({"k": 2})
        with pytest.raises(UsageError, match=r"share no item: .* has 2 \(i, j\); .* has 1 \(k\)"):
            compared(runs, a, b)

    def test_no_such_criterion(self, runs: Runs) -> None:
        a, b = runs.run({"i": 1}), runs.run({"i": 2})
        with pytest.raises(UsageError, match="no criterion 'ratting'; it has rating, kind"):
            compared(runs, a, b, criteria=("rating=ratting",))

    def test_names_against_numbers(self, runs: Runs) -> None:
        a, b = runs.run({"i": 1}), runs.run({"i": 2})
        with pytest.raises(UsageError, match="a category scale in A, a integer scale in B"):
            compared(runs, a, b, criteria=("kind=rating",))

    @pytest.mark.parametrize(
        ("options", "message"),
        [({"detect": 0.0}, "--detect 0"), ({"movers": -1}, "--movers"), ({"rounds": 3}, "rounds")],
    )
    def test_options(self, runs: Runs, options: dict[str, Any], message: str) -> None:
        a, b = runs.run({"i": 1}), runs.run({"i": 2})
        with pytest.raises(UsageError, match=message):
            compared(runs, a, b, **options)


@pytest.mark.parametrize(
    ("gate", "passes"),
    [
        ("rating.difference>=0.5", True),
        ("rating.difference>=0.7", False),
        ("rating.lower>=0.7", False),
        ("rating.upper>=0.7", True),
        ("rating.difference.lower>=-1", True),
        ("rating.losses<=2", True),
        ("rating.wins>=9", False),
        ("rating.p<=0.05", False),
        ("kind.changed<=10%", True),
        ("kind.difference>=0", False),
        ("rating.unscored<=2%", True),
        ("unscored<=2%", True),
    ],
)
def test_gates(runs: Runs, gate: str, passes: bool) -> None:
    a = runs.run(dict.fromkeys(TEN, 2))
    b = runs.run({name: 3 if n < 8 else 1 for n, name in enumerate(TEN)})
    (judged,) = judge_comparison(comparison_gates([gate]), compared(runs, a, b))
    assert judged.passed is passes


def test_gates_about_nothing(runs: Runs) -> None:
    a, b = runs.run({"i": 1}), runs.run({"i": 2})
    found = compared(runs, a, b)
    for gate, message in (("raiting.difference>=0", "rating"), ("rating.mean>=3", "mean")):
        with pytest.raises(UsageError, match=message):
            judge_comparison(comparison_gates([gate]), found)
