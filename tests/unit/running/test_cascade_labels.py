from __future__ import annotations

from adjudge.core.label import Label
from adjudge.core.scale import Category, Integer
from adjudge.running.cascade import cascade_labels

SCALES = {"x": Integer(1, 5), "y": Category(("a", "b")), "z": Integer(1, 5)}


def test_raters_are_made_one() -> None:
    labels = [
        Label("1", "ann", "x", 4.0),
        Label("1", "bob", "x", 5.0),
        Label("1", "ann", "y", "a"),
        Label("1", "bob", "y", "b"),
        Label("1", "eve", "y", "a"),
    ]
    found = cascade_labels(labels, SCALES)
    assert found.criteria == ("x", "y")
    assert found.by_item == {"1": {"x": 4.5, "y": "a"}}
    assert found.left_out == 0


def test_what_does_not_count() -> None:
    labels = [
        Label("whole", "", "x", 4.0),
        Label("whole", "", "y", "a"),
        Label("half", "", "x", 4.0),
        Label("split", "ann", "x", 4.0),
        Label("split", "ann", "y", "a"),
        Label("split", "bob", "y", "b"),
        Label("picked", "", "x", 4.0, "uncertain"),
        Label("picked", "", "y", "a", "uncertain"),
        Label("left", "", "x", 4.0, "abstained"),
        Label("left", "", "y", "a", "abstained"),
    ]
    found = cascade_labels(labels, SCALES)
    assert list(found.by_item) == ["whole"]
    assert found.left_out == 4


def test_only_picked_ones() -> None:
    found = cascade_labels([Label("1", "", "x", 4.0, "uncertain")], SCALES)
    assert (found.criteria, found.by_item, found.left_out) == ((), {}, 1)
