from __future__ import annotations

from adjudge.stores.sqlite import SqliteStore


def test_the_latest_one_counts(store: SqliteStore) -> None:
    assert store.calibrations.latest("chatbot", "m") is None
    store.calibrations.keep("chatbot", "m", "a" * 16, {"accuracy": [1.0, 2.5]})
    store.calibrations.keep("chatbot", "m", "b" * 16, {"accuracy": {"x": None}})
    store.calibrations.keep("chatbot", "other", "c" * 16, {})
    found = store.calibrations.latest("chatbot", "m")
    assert found is not None
    assert (found.judge, found.model, found.fingerprint) == ("chatbot", "m", "b" * 16)
    assert found.content == {"accuracy": {"x": None}}
    assert found.created.endswith("+00:00")
    assert store.calibrations.latest("helpfulness", "m") is None


def test_those_of_a_fingerprint_the_latest_first(store: SqliteStore) -> None:
    for fingerprint, content in (("a", {"n": 1}), ("b", {"n": 2}), ("a", {"n": 3})):
        store.calibrations.keep("chatbot", "m", fingerprint, content)
    store.calibrations.keep("chatbot", "other", "a", {"n": 4})
    found = store.calibrations.of("chatbot", "m", "a")
    assert [each.content["n"] for each in found] == [3, 1]
    assert list(store.calibrations.of("chatbot", "m", "c")) == []
