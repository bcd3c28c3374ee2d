from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from adjudge.errors import Conflict, StoreError
from adjudge.stores import KeptToken, Store, open_store

CI = KeptToken(id="1", name="ci", hash="ab" * 32, scope="judge", rate=60, created="2026-01-01")


def test_what_was_put_comes_back(store: Store) -> None:
    assert store.tokens.all() == []
    other = KeptToken(id="0", name="김", hash="cd" * 32, scope="admin", created="2026-01-02")
    store.tokens.put(other)
    store.tokens.put(CI)
    assert store.tokens.all() == [CI, other]  # the oldest first


def test_a_token_without_a_time_is_made_now(store: Store) -> None:
    store.tokens.put(replace(CI, created=""))
    (found,) = store.tokens.all()
    assert found.created.endswith("+00:00")


def test_an_id_is_given_once(store: Store) -> None:
    store.tokens.put(CI)
    with pytest.raises(StoreError, match=r"(?i)unique"):
        store.tokens.put(replace(CI, name="other"))
    assert store.tokens.all() == [CI]


def test_revoking(store: Store) -> None:
    store.tokens.put(CI)
    store.tokens.put(replace(CI, id="2", name="other"))
    store.tokens.revoke("1")
    first, second = store.tokens.all()
    assert first.revoked is not None
    assert first.revoked.endswith("+00:00")
    assert second.revoked is None
    store.tokens.revoke("1")
    assert store.tokens.all() == [first, second]  # it keeps its time
    store.tokens.revoke("unknown")
    assert store.tokens.all() == [first, second]


def test_of_valid_tokens_each_has_a_name_of_its_own(store: Store) -> None:
    store.tokens.put(CI)
    with pytest.raises(Conflict, match=r"a token 'ci' already.* revoke 1$"):
        store.tokens.put(replace(CI, id="2"))
    store.tokens.revoke("1")
    store.tokens.put(replace(CI, id="2"))
    assert [token.id for token in store.tokens.all()] == ["1", "2"]


def test_the_last_admin_is_left_where_that_is_wanted(store: Store) -> None:
    store.tokens.put(CI)
    for name in ("one", "two"):
        store.tokens.put(replace(CI, id=name, name=name, scope="admin"))
    store.tokens.revoke("one", leave_an_admin=True)
    for _ in range(2):
        with pytest.raises(Conflict, match="the last token of scope admin"):
            store.tokens.revoke("two", leave_an_admin=True)
    store.tokens.revoke("one", leave_an_admin=True)  # nothing to be done
    store.tokens.revoke("1", leave_an_admin=True)  # no admin
    assert [token.id for token in store.tokens.all() if not token.revoked] == ["two"]
    store.tokens.revoke("two")
    assert all(token.revoked for token in store.tokens.all())


def test_two_admins_that_revoke_each_other_at_once(store_url: str) -> None:
    stores = [open_store(store_url) for _ in range(2)]
    for name in ("one", "two"):
        stores[0].tokens.put(replace(CI, id=name, name=name, scope="admin"))

    def revoke(store: Store, token_id: str) -> bool:
        try:
            store.tokens.revoke(token_id, leave_an_admin=True)
        except Conflict:
            return False
        return True

    with ThreadPoolExecutor(2) as pool:
        done = list(pool.map(revoke, stores, ["two", "one"]))
    assert sorted(done) == [False, True]
    for store in stores:
        store.close()
