from __future__ import annotations

from dataclasses import replace

import pytest

from adjudge.errors import StoreError
from adjudge.stores.records import KeptToken
from adjudge.stores.sqlite import SqliteStore

CI = KeptToken(id="1", name="ci", hash="ab" * 32, scope="judge", rate=60, created="2026-01-01")


def test_what_was_put_comes_back(store: SqliteStore) -> None:
    assert store.tokens.all() == []
    other = KeptToken(id="0", name="김", hash="cd" * 32, scope="admin", created="2026-01-02")
    store.tokens.put(other)
    store.tokens.put(CI)
    assert store.tokens.all() == [CI, other]  # the oldest first


def test_a_token_without_a_time_is_made_now(store: SqliteStore) -> None:
    store.tokens.put(replace(CI, created=""))
    (found,) = store.tokens.all()
    assert found.created.endswith("+00:00")


def test_an_id_is_given_once(store: SqliteStore) -> None:
    store.tokens.put(CI)
    with pytest.raises(StoreError, match="UNIQUE"):
        store.tokens.put(replace(CI, name="other"))
    assert store.tokens.all() == [CI]


def test_revoking(store: SqliteStore) -> None:
    store.tokens.put(CI)
    store.tokens.put(replace(CI, id="2"))
    store.tokens.revoke("1")
    first, second = store.tokens.all()
    assert first.revoked is not None
    assert first.revoked.endswith("+00:00")
    assert second.revoked is None
    store.tokens.revoke("1")
    assert store.tokens.all() == [first, second]  # it keeps its time
    store.tokens.revoke("unknown")
    assert store.tokens.all() == [first, second]
