from __future__ import annotations

import numpy as np
import pytest

from adjudge.analysis.browsing.bars import bars
from adjudge.core.scale import Binary, Category, Integer, Level, Number, Ordinal, Scale


def shown(scale: Scale | None, *values: float) -> dict[str, int]:
    return {bar.label: bar.count for bar in bars(scale, np.array(values))}


def test_levels_with_their_names() -> None:
    scale = Ordinal({2: Level("good"), 1: Level("bad")})
    found = bars(scale, np.array([1.0, 2.0, 2.0]))
    assert [(bar.label, bar.name, bar.count) for bar in found] == [
        ("1", "bad", 1),
        ("2", "good", 2),
    ]


def test_a_mean_of_repeats_counts_at_the_nearest_level() -> None:
    assert shown(Integer(1, 3), 1.4, 1.5, 2.6) == {"1": 1, "2": 1, "3": 1}


def test_names_and_yes_and_no() -> None:
    assert shown(Category(("a", "b")), 1, 1) == {"a": 0, "b": 2}
    assert shown(Binary(), 0, 1, 1) == {"no": 1, "yes": 2}


@pytest.mark.parametrize(
    ("scale", "labels"),
    [
        (Number(0.0, 10.0), [f"{n}–{n + 1}" for n in range(10)]),
        (Number(0.0, 1.0), ["0–0.1", "0.1–0.2", "0.2–0.3"]),
        (Integer(0, 100), [f"{n}–{n + 10}" for n in range(0, 100, 10)]),
        (Number(-1.0, 1.0), ["-1–-0.8", "-0.8–-0.6"]),
    ],
)
def test_edges_are_round_numbers(scale: Scale, labels: list[str]) -> None:
    assert list(shown(scale))[: len(labels)] == labels


def test_ends_and_edges_belong_somewhere() -> None:
    found = shown(Number(0.0, 1.0), 0.0, 0.1, 0.3, 0.7, 1.0)
    assert {label for label, count in found.items() if count} == {
        "0–0.1",
        "0.1–0.2",
        "0.3–0.4",
        "0.7–0.8",
        "0.9–1",
    }


def test_numbers_on_no_scale() -> None:
    assert shown(None) == {}
    assert shown(None, -2.5) == {"-3–-2": 1}
    assert sum(shown(None, *np.linspace(-4.2, -0.3, 50)).values()) == 50
