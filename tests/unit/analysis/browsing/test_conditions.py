"""Conditions on columns, scores and labels."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.analysis.browsing.brute import Brute, merged
from tests.unit.analysis.browsing.made import by_chance, store_with

from adjudge.analysis.browsing import HOWS, ItemCondition, Query, RunIndex
from adjudge.core.label import Label
from adjudge.errors import UsageError


@given(st.text(min_size=1, max_size=12), st.sampled_from(HOWS), st.text(max_size=12))
def test_what_is_written_is_read_again(name: str, how: str, value: str) -> None:
    condition = ItemCondition(name, how, value)  # type: ignore[arg-type]
    if how in ("=", "~") and value.startswith("="):  # `~=` and `==` are read from the left
        return
    assert ItemCondition.of(str(condition)) == condition


def test_columns_scores_and_labels(tmp_path: Path) -> None:
    entries = by_chance(2, repeats=1)
    store, record = store_with(tmp_path, entries)
    index, brute = RunIndex(record, store), Brute(entries)
    topics = {entry.item.id: entry.item.extra["topic"] for entry in entries}

    def found(**asked: object) -> set[str]:
        query = Query(size=200, **asked)  # type: ignore[arg-type]
        return {row.item for row in index.page(query).rows}

    every = found()
    assert found(where=("topic=x",)) == {item for item, topic in topics.items() if topic == "x"}
    assert found(where=("topic!=x",)) == every - found(where=("topic=x",))
    assert found(where=("topic=",)) == {item for item, topic in topics.items() if topic is None}
    assert found(where=("topic~X",)) == found(where=("topic=x",))
    model = brute.verdicts[0].model
    ratings = {
        item: merged([v for v in brute.of(item, Query()) if v.model == model], "rating")
        for item in every
    }
    low = {item for item, value in ratings.items() if value is not None and float(value) <= 2}
    assert found(where=("score.rating<=2",), model=model) == low
    both = found(where=("score.rating<=2", "topic=x"), model=model)
    assert both == low & found(where=("topic=x",))
    winners = found(where=("score.winner=tie",), model=model)
    assert winners == found(criterion="winner", value="tie", model=model)
    first, second, *_ = sorted(item for item, value in ratings.items() if value == 2)
    labels = [Label(first, "Mai", "rating", 2.0), Label(second, "Mai", "rating", 1.0)]
    store.labels.put(record.manifest.data_hash, "mixed", labels)
    asked = {"criterion": "rating", "model": model}
    assert found(label="any", **asked) == {first, second}
    assert found(label="none", **asked) == found(**asked) - {first, second}
    assert found(label="same", **asked) == {first}
    assert found(label="above", **asked) == {second}
    assert found(label="below", **asked) == set()
    assert found(label="=1", **asked) == {second}
    store.close()


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"where": ("nothing=1",)}, "no item has this column.*topic"),
        ({"where": ("topic",)}, "a condition is a column"),
        ({"where": ("score.none=1",)}, "no such criterion"),
        ({"where": ("score.winner<=1",)}, "has names and no numbers"),
        ({"where": ("score.depth<=much",)}, "score.depth<=much"),
        ({"label": "odd"}, "labels are asked for by one of"),
    ],
)
def test_what_cannot_be_asked(tmp_path: Path, asked: dict[str, object], message: str) -> None:
    store, record = store_with(tmp_path, by_chance(2))
    with pytest.raises(UsageError, match=message):
        RunIndex(record, store).page(Query(**asked))  # type: ignore[arg-type]
    store.close()
