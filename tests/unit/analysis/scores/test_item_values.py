"""What is read in plain Python is what the arrays hold."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.unit.analysis.browsing.made import by_chance, store_with

from adjudge.analysis.gates import parse_gates
from adjudge.analysis.gates.conditions import gate_results
from adjudge.analysis.gates.figures import judge_run, lookup_in, plain_figure
from adjudge.analysis.scores import over_samples, read_scores, read_values


@pytest.mark.parametrize(("seed", "repeats"), [(1, 1), (2, 3), (5, 2)])
def test_both_ways_give_the_same_numbers(tmp_path: Path, seed: int, repeats: int) -> None:
    store, record = store_with(tmp_path, by_chance(seed, repeats=repeats))
    plain = {grader.name: grader for grader in read_values(record, store)}
    arrays = read_scores(record, store).graders
    assert [grader.name for grader in arrays] == list(plain)
    for grader in arrays:
        other = plain[grader.name]
        assert (grader.verdicts, grader.unscored) == (other.verdicts, other.unscored)
        for name, scores in grader.criteria.items():
            values = other.values(name)
            assert sorted(values.known) == sorted(scores.known.tolist())
            for figure in (
                *("mean", "sd", "names", "scores", "unscored", "named"),
                *("divided_items", "scored_items", "unscored_items"),
            ):
                assert getattr(values, figure) == getattr(scores, figure), (name, figure)
    store.close()


def test_gates_are_the_same_with_and_without_intervals(tmp_path: Path) -> None:
    store, record = store_with(tmp_path, by_chance(3, repeats=2))
    grader = read_values(record, store)[0]
    numeric = next(name for name, values in grader.criteria.items() if values.mean is not None)
    gates = parse_gates(
        [f"{numeric}.mean>=0", f"{numeric}.share(>=1)>=10%", "unscored<=90%", f"{numeric}.mean>=99"]
    )
    plain = gate_results(gates, lookup_in(read_values(record, store), plain_figure))
    with_interval = judge_run([*gates, *parse_gates([f"{numeric}.lower>=-99"])], record, store)
    ours = [(result.gate.text, result.passed, result.measured.value) for result in plain]
    theirs = [(result.gate.text, result.passed, result.measured.value) for result in with_interval]
    assert ours == theirs[: len(ours)]
    assert {result.passed for result in plain} == {True, False}
    store.close()


@pytest.mark.parametrize(
    ("samples", "names", "value"),
    [
        ([2.0], False, 2.0),
        ([2.0, 3.0], False, 2.5),
        ([0.1, 0.2, 0.3], False, 0.2),
        ([1.0, 1.0, 0.0], True, 1.0),
        ([1.0, 0.0], True, None),
        ([2.0, 1.0, 0.0], True, None),
    ],
)
def test_samples_of_an_item_become_one(
    samples: list[float], names: bool, value: float | None
) -> None:
    assert over_samples(samples, names=names) == value
