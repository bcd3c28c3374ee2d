from __future__ import annotations

from adjudge.stores import Store


def test_the_latest_calibration_counts(store: Store) -> None:
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


def test_those_of_a_fingerprint_the_latest_first(store: Store) -> None:
    for fingerprint, content in (("a", {"n": 1}), ("b", {"n": 2}), ("a", {"n": 3})):
        store.calibrations.keep("chatbot", "m", fingerprint, content)
    store.calibrations.keep("chatbot", "other", "a", {"n": 4})
    found = store.calibrations.of("chatbot", "m", "a")
    assert [each.content["n"] for each in found] == [3, 1]
    assert list(store.calibrations.of("chatbot", "m", "c")) == []


def test_the_latest_probe_for_each_model(store: Store) -> None:
    assert store.probes.latest("chatbot", "m/one") is None
    store.probes.keep("chatbot", ["m/one", "m/two"], "a" * 16, {"items": 8})
    store.probes.keep("chatbot", ["m/one"], "b" * 16, {"items": 16})
    one, two = (store.probes.latest("chatbot", name) for name in ("m/one", "m/two"))
    assert one is not None
    assert two is not None
    assert (one.fingerprint, one.content) == ("b" * 16, {"items": 16})
    assert (two.fingerprint, two.content) == ("a" * 16, {"items": 8})
    assert one.created.startswith("20")
    assert store.probes.latest("helpfulness", "m/one") is None


def test_a_cascade_by_its_run(store: Store) -> None:
    assert store.cascades.find("r1") is None
    store.cascades.keep("r1", "chatbot", "a" * 16, {"stages": [1]})
    store.cascades.keep("r2", "chatbot", "a" * 16, {"stages": []})
    store.cascades.keep("r1", "chatbot", "a" * 16, {"stages": [1, 2]})
    assert store.cascades.find("r1") == {"stages": [1, 2]}
    assert store.cascades.find("r2") == {"stages": []}
