"""Labels that were written to a file are read from it as they were."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adjudge.analysis.labelling import keys_of
from adjudge.core.label import DRAWS, Label
from adjudge.core.scale import Binary, Category, Integer, Level, NotAValue, Number, Ordinal
from adjudge.datasets.labels import read_labels
from adjudge.reports.files.labels import write_labels

SCALES = {
    "rating": Ordinal({1: Level("bad"), 2: Level("good"), 4: Level("best")}),
    "stars": Integer(-5, 5),
    "accuracy": Number(0, 10),
    "polite": Binary(),
    "winner": Category(("a", "-b", "=tie()", "yes")),
}
VALUES = {
    "rating": st.sampled_from([1.0, 2.0, 4.0]) | st.floats(1, 4),
    "stars": st.integers(-5, 5).map(float) | st.floats(-5, 5),
    "accuracy": st.floats(0, 10),
    "polite": st.sampled_from([0.0, 1.0]),
    "winner": st.sampled_from(SCALES["winner"].values()),
}
# Text as files can hold it: no half characters, no NUL; ids are not blank.
text = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=8)
ids = text.filter(str.strip) | st.sampled_from(["'=1", "''-x", "'\t1", "-5", "@ann", "＝1"])
labels = st.one_of(
    *(
        st.builds(
            Label,
            item=ids,
            rater=text.map(str.strip),
            criterion=st.just(name),
            value=values,
            draw=st.sampled_from(DRAWS),
            created=st.just("2026-01-02T03:04:05.678+00:00"),
        )
        for name, values in VALUES.items()
    )
)
several = st.lists(
    labels, min_size=1, max_size=20, unique_by=lambda each: (each.item, each.rater, each.criterion)
)


@pytest.mark.parametrize("ending", ["csv", "jsonl", "json"])
@settings(max_examples=40)  # each writes a file and waits for the disk
@given(written=several)
def test_long_files(ending: str, written: list[Label]) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder) / f"labels.{ending}"
        write_labels(path, written, SCALES)
        assert read_labels(path, SCALES) == written


@pytest.mark.parametrize("ending", ["csv", "jsonl", "json"])
@settings(max_examples=40)  # each writes a file and waits for the disk
@given(written=several)
def test_wide_files(ending: str, written: list[Label]) -> None:
    """All but the times."""

    def key(label: Label) -> tuple[object, ...]:
        return label.item, label.rater, label.criterion, label.value, label.draw

    with TemporaryDirectory() as folder:
        path = Path(folder) / f"labels.{ending}"
        write_labels(path, written, SCALES, wide=True)
        assert set(map(key, read_labels(path, SCALES))) == set(map(key, written))


@given(st.sampled_from(list(VALUES)).flatmap(lambda name: st.tuples(st.just(name), VALUES[name])))
def test_every_key_stands_for_its_value(drawn: tuple[str, float | str]) -> None:
    name, value = drawn
    scale = SCALES[name]
    keys = keys_of(scale)
    levels = scale.values()
    if levels and value not in levels:  # a mean over people, which no one person gives
        with pytest.raises(NotAValue):
            keys.read(str(value))
    else:
        assert keys.read(str(value)) == value
    for key, meant in keys.values.items():
        assert keys.read(key) == meant
