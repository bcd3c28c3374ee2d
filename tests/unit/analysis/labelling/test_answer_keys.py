from __future__ import annotations

import pytest

from adjudge.analysis.labelling import keys_of
from adjudge.analysis.labelling.session import COMMANDS
from adjudge.core.scale import (
    Binary,
    Category,
    Integer,
    Level,
    NotAValue,
    Number,
    Ordinal,
    Scale,
)


def levels(**named: int) -> Ordinal:
    return Ordinal({value: Level(name) for name, value in named.items()})


@pytest.mark.parametrize(
    ("scale", "words"),
    [
        (levels(bad=1, good=2), {"1": "bad", "2": "good"}),
        (Integer(1, 5), {key: key for key in "12345"}),
        (Integer(0, 9), {key: key for key in "0123456789"}),
        (Integer(0, 10), {}),
        (Number(0, 1), {}),
        (Binary(), {"y": "yes", "n": "no"}),
        (Category(("a", "b", "tie")), {"1": "a", "2": "b", "3": "tie"}),
        (Category(("a", "b")), {"a": "a", "b": "b"}),
        (Category(("u", "s")), {"1": "u", "2": "s"}),
        (Category(("2", "10")), {"a": "2", "b": "10"}),
        (Category(tuple(f"topic {n}" for n in range(10))), {}),
        # 1 must not stand for -1, nor for something between the levels
        (levels(bad=-1, so=0, good=1), {"a": "-1 bad", "b": "so", "c": "good"}),
        (levels(low=10, high=20), {"a": "10 low", "b": "20 high"}),
        (levels(b=10, a=20), {}),
    ],
)
def test_keys(scale: Scale, words: dict[str, str]) -> None:
    keys = keys_of(scale)
    assert keys.words == words
    assert keys.single == bool(words)
    assert not COMMANDS & keys.values.keys()
    for key, value in keys.values.items():
        assert keys.read(key) == value


@pytest.mark.parametrize("scale", [Integer(0, 10), levels(low=10, high=20)])
def test_one_person_gives_nothing_between_levels(scale: Scale) -> None:
    number = {"integer": "8,5", "ordinal": "15"}[scale.kind]
    with pytest.raises(NotAValue, match="lies between two levels; give one"):
        keys_of(scale).read(number)


def test_values_may_be_written_out() -> None:
    assert keys_of(levels(bad=-1, good=1)).read("good") == 1.0
    assert keys_of(levels(bad=-1, good=1)).read("1") == 1.0
    assert keys_of(Binary()).read("có") == 1.0
    with pytest.raises(NotAValue):
        keys_of(Binary()).read("maybe")
