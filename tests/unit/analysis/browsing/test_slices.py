from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path
from statistics import fmean

import pytest
from tests.unit.analysis.browsing.brute import merged
from tests.unit.analysis.browsing.made import by_chance, store_with

from adjudge.analysis.browsing import RunIndex
from adjudge.analysis.browsing.slices import columns_of
from adjudge.analysis.scores import DIVIDED
from adjudge.core.item import Item
from adjudge.errors import UsageError


def test_means_within_parts(tmp_path: Path) -> None:
    entries = by_chance(2)
    store, record = store_with(tmp_path, entries)
    found = RunIndex(record, store).slices("topic")
    assert found.column == "topic"
    assert [(each.value, each.rest) for each in found.values] == [
        ("x", 0),
        ("y", 0),
        (None, 0),
    ]
    for part in found.values:
        items = {e.item.id for e in entries if e.item.extra["topic"] == part.value}
        assert part.items == len(items)
        for (judge, model, criterion), mean in part.means.items():
            assert judge == "mixed"
            given = [
                merged(
                    [e.verdict for e in entries if (e.item.id, e.verdict.model) == (i, model)],
                    criterion,
                )
                for i in items
            ]
            values = [float(value) for value in given if isinstance(value, float)]
            if criterion == "winner":
                assert mean.mean.value is None
                known = [e for e in entries if e.item.id in items and e.verdict.model == model]
                scored = {e.item.id for e in known if e.verdict.scores["winner"].value is not None}
                assert mean.n == len(scored) == sum(mean.names.values())
                named = Counter(value for value in given if isinstance(value, str))
                assert {n: c for n, c in mean.names.items() if n != DIVIDED} == named
            else:
                assert mean.mean.value == pytest.approx(fmean(values))
                assert mean.n == len(values)
    store.close()


def test_an_item_with_several_tags_belongs_to_each(tmp_path: Path) -> None:
    tags = (["a", "b"], ["a"], None)
    entries = [
        e._replace(item=replace(e.item, extra={"tags": tags[hash_of(e.item.id)]}))
        for e in by_chance(2)
    ]
    store, record = store_with(tmp_path, entries)
    found = {part.value: part.items for part in RunIndex(record, store).slices("tags").values}
    held = Counter(hash_of(item) for item in {e.item.id for e in entries})
    assert found == {"a": held[0] + held[1], "b": held[0], None: held[2]}
    store.close()


def hash_of(item: str) -> int:
    return sum(map(ord, item)) % 3


def test_numbers_divide_as_words_do(tmp_path: Path) -> None:
    store, record = store_with(tmp_path, by_chance(2))
    index = RunIndex(record, store)
    assert index.slice_columns() == ("topic", "level")
    assert [each.value for each in index.slices("level").values] == ["0", "1", "2", "3"]
    with pytest.raises(UsageError, match=r"slice=nowhere: no item .*the data: topic, level"):
        index.slices("nowhere")
    store.close()


def test_a_column_may_have_any_number_of_values(tmp_path: Path) -> None:
    """Its smallest values stand together, and their number is told."""
    store, record = store_with(tmp_path, by_chance(2))
    index = RunIndex(record, store)
    parts = index.slices("number").values
    assert len(parts) == 31
    assert parts[-1].rest == index.items - 30 == parts[-1].items
    assert sum(part.items for part in parts) == index.items
    store.close()


def test_the_rest_is_one_part(tmp_path: Path) -> None:
    """The first 500 items tell which columns divide; later ones may have more values."""
    entries = by_chance(2, items=20, repeats=1)
    store, record = store_with(tmp_path, entries)
    many = [
        e._replace(position=1000 + n, item=Item(f"z{n}", e.item.fields, {"topic": f"t{n % 35}"}))
        for n, e in enumerate(by_chance(2, items=500, repeats=1))
    ]
    many = [e._replace(verdict=replace(e.verdict, item=e.item.id)) for e in many]
    store.verdicts.put(record.id, by_chance(2, items=600, repeats=1))
    store.verdicts.put(record.id, many)
    parts = RunIndex(record, store).slices("topic").values
    assert len(parts) == 31
    assert [part.rest for part in parts] == [0] * 30 + [8]
    assert sum(part.items for part in parts) == RunIndex(record, store).items
    store.close()


def test_which_columns_divide() -> None:
    def items(*rows: dict[str, object]) -> list[Item]:
        return [Item(str(n), {"answer": f"a{n}"}, row) for n, row in enumerate(rows)]

    def divide(*rows: dict[str, object]) -> list[str]:
        return [name for name, values in columns_of(items(*rows)).items() if values]

    assert columns_of([]) == {}
    assert columns_of(items({"a": 1}, {"a": 1})) == {"a": (), "answer": ("a0", "a1")}
    assert divide({"a": "x" * 40}, {"a": "y"}) == ["a", "answer"]
    assert divide({"a": "x" * 41}, {"a": "y"}) == ["answer"]
    rows: list[dict[str, object]] = [
        {"a": n % 12, "b": n % 13, "c": None, "d": [n % 2]} for n in range(100)
    ]
    assert divide(*rows) == ["a", "b", "d"]
    assert divide(*({"own": n, "shared": n // 2} for n in range(100))) == ["shared"]


def test_numbers_come_in_their_order_and_words_by_how_many_there_are(tmp_path: Path) -> None:
    levels = {0: 10, 1: 9, 2: 9, 3: -1.5, 4: None}
    entries = [
        e._replace(item=replace(e.item, extra={"level": levels[int(e.item.id[1:]) % 5]}))
        for e in by_chance(2)
    ]
    store, record = store_with(tmp_path, entries)
    found = [each.value for each in RunIndex(record, store).slices("level").values]
    assert found == ["-1.5", "9", "10", None]
    store.close()
