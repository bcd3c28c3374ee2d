from __future__ import annotations

from dataclasses import replace

from adjudge.core.label import Label
from adjudge.stores import Store

ONE = Label("1", "ann", "accuracy", 7.5, "random", "2026-01-02T03:04:05.000+00:00")
NAMED = Label("1", "ann", "winner", "tie", "uncertain", "2026-01-02T03:04:06.000+00:00")


def test_labels_come_back_in_their_order(store: Store) -> None:
    labels = [replace(ONE, item=f"mục {n}") for n in range(90, 0, -1)] + [NAMED]
    store.labels.put("0f", "chatbot", labels)
    assert store.labels.of("0f", "chatbot") == labels


def test_labels_belong_to_data_and_judge(store: Store) -> None:
    store.labels.put("0f", "chatbot", [ONE])
    assert store.labels.of("0e", "chatbot") == []
    assert store.labels.of("0f", "helpfulness") == []


def test_the_store_fills_in_the_time(store: Store) -> None:
    store.labels.put("0f", "chatbot", [replace(ONE, created="")])
    (kept,) = store.labels.of("0f", "chatbot")
    assert kept.created.endswith("+00:00")
    assert replace(kept, created=ONE.created) == ONE


def test_a_later_label_takes_the_place_of_an_earlier_one(store: Store) -> None:
    other = replace(ONE, rater="bob")
    store.labels.put("0f", "chatbot", [ONE, other])
    changed = replace(ONE, value=2.0, draw="uncertain")
    store.labels.put("0f", "chatbot", [changed])
    assert store.labels.of("0f", "chatbot") == [changed, other]


def test_a_tally(store: Store) -> None:
    assert store.labels.counts("0f", "chatbot") == (0, 0, 0)
    store.labels.put("0f", "chatbot", [ONE, NAMED, replace(ONE, item="2"), replace(ONE, rater="b")])
    store.labels.put("0e", "chatbot", [ONE])
    assert store.labels.counts("0f", "chatbot") == (4, 2, 2)


def test_nothing_to_keep(store: Store) -> None:
    store.labels.put("0f", "chatbot", [])
    assert store.labels.of("0f", "chatbot") == []


def test_a_rater_takes_back_one_criterion_or_the_item(store: Store) -> None:
    others = [replace(ONE, rater="bob"), replace(ONE, item="2")]
    store.labels.put("0f", "chatbot", [ONE, NAMED, *others])
    assert store.labels.remove("0f", "chatbot", "1", "ann", "winner") == 1
    assert store.labels.of("0f", "chatbot") == [ONE, *others]
    store.labels.put("0f", "chatbot", [NAMED])
    assert store.labels.remove("0f", "chatbot", "1", "ann") == 2
    assert store.labels.of("0f", "chatbot") == others
    assert store.labels.remove("0f", "chatbot", "1", "ann") == 0


def test_another_process_sees_them_at_once(store: Store, other: Store) -> None:
    store.labels.put("0f", "chatbot", [ONE])
    assert other.labels.of("0f", "chatbot") == [ONE]
