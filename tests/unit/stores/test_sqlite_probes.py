from __future__ import annotations

from adjudge.stores.base import Store


def test_the_latest_for_each_model(store: Store) -> None:
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
