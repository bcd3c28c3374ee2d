"""Laws of gates and of labels."""

from __future__ import annotations

import random

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from adjudge.analysis.gates import parse_gates
from adjudge.analysis.gates.conditions import CALIBRATION_FIGURES
from adjudge.core.label import Label
from adjudge.core.scale import Integer
from adjudge.stats.people import people_of

LIMITS = st.floats(-1000, 1000).map(lambda value: round(value, 3))
NAMES = st.from_regex(r"[a-z_가-힣]{1,12}", fullmatch=True)
# Those whose limit may be any number: a share is 1 at the most.
FIGURES = st.sampled_from(
    [each for each in CALIBRATION_FIGURES if each not in ("share", "pass", "unscored")]
)
SIGNS = st.sampled_from([">=", "<=", ">", "<", "="])


@given(NAMES, FIGURES, st.sampled_from(["", ".lower", ".upper"]), SIGNS, LIMITS)
def test_a_gate_reads_as_it_was_written(
    name: str, figure: str, part: str, sign: str, limit: float
) -> None:
    (gate,) = parse_gates([f"{name}.{figure}{part} {sign} {limit}"])
    assert (gate.criterion, gate.what, gate.sign, gate.limit) == (name, figure, sign, limit)
    assert gate.part == (part[1:] or "value")


@given(LIMITS, LIMITS)
def test_of_two_opposite_gates_exactly_one_passes(value: float, limit: float) -> None:
    for one, other in ((">=", "<"), ("<=", ">")):
        gates = parse_gates([f"r.mean{one}{limit}", f"r.mean{other}{limit}"])
        assert sum(gate.passes(value) for gate in gates) == 1


@given(LIMITS)
def test_percent_is_a_hundredth(limit: float) -> None:
    percent, plain = parse_gates([f"r.mean>={limit}%", f"r.mean>={limit / 100!r}"])
    assert np.isclose(percent.limit, plain.limit)


LABELS = st.dictionaries(
    st.tuples(st.integers(0, 9), st.sampled_from("xyz")), st.integers(1, 5), min_size=1
)


@given(LABELS, st.randoms())
def test_the_order_of_labels_and_the_names_of_raters_do_not_matter(
    given_labels: dict[tuple[int, str], int], chance: random.Random
) -> None:
    items = {f"i{n}": n for n in range(10)}
    labels = [
        Label(f"i{n}", rater, "r", float(value)) for (n, rater), value in given_labels.items()
    ]
    mixed = [Label(each.item, f"Z{each.rater}", "r", each.value) for each in labels]
    chance.shuffle(mixed)
    one, other = (
        people_of(each, items, {"r": Integer(1, 5)}).people["r"] for each in (labels, mixed)
    )
    np.testing.assert_array_equal(one.places, other.places)
    np.testing.assert_array_equal(one.values, other.values)
    assert one.values.min() >= 1
    assert one.values.max() <= 5
