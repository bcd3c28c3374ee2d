from __future__ import annotations

import asyncio
import hashlib
from dataclasses import replace
from pathlib import Path

import pytest

from adjudge.service.security import access
from adjudge.service.security.access import TokenCache
from adjudge.service.security.tokens import id_in, is_token, new_token
from adjudge.stores import KeptToken, open_store


def test_a_token() -> None:
    token, kept = new_token("ci", "judge", 60)
    assert token == f"adj_{kept.id}_{token[13:]}"
    assert len(token) == 13 + 43
    assert kept.hash == hashlib.sha256(token.encode()).hexdigest()
    assert (kept.name, kept.scope, kept.rate, kept.revoked) == ("ci", "judge", 60, None)
    assert id_in(token) == kept.id
    assert is_token(token, kept)


def test_no_two_are_alike() -> None:
    made = {new_token("x", "read")[0] for _ in range(100)}
    assert len(made) == len({each[13:] for each in made}) == 100


@pytest.mark.parametrize(
    "text",
    ["", "adj_", "adj_0123abcd_", "adj_0123abcd_" + "a" * 44, "adj_0123ABCD_" + "a" * 43, "토큰",
     "adj_0123abcd_" + "a" * 42 + "\n", " adj_0123abcd_" + "a" * 43],
)  # fmt: skip
def test_what_is_no_token(text: str) -> None:
    assert id_in(text) is None


def test_a_wrong_token() -> None:
    token, kept = new_token("x", "read")
    for wrong in (token[:-1] + ("a" if token[-1] != "a" else "b"), token.upper(), "é", ""):
        assert not is_token(wrong, kept)


class TestBook:
    @pytest.fixture(autouse=True)
    def counted(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now, self.looks = 0.0, 0
        monkeypatch.setattr(access, "monotonic", lambda: self.now)
        self.store = open_store(str(tmp_path / "s.db"))
        everything = self.store.tokens.all

        def counting() -> list[KeptToken]:
            self.looks += 1
            return everything()

        monkeypatch.setattr(self.store.tokens, "all", counting)
        self.book = TokenCache(self.store, 2.0)

    def made(self) -> str:
        token, kept = new_token("x", "read")
        self.store.tokens.put(replace(kept, name=kept.id))
        return token

    def test_looks_are_kept(self) -> None:
        token = self.made()

        async def many() -> list[KeptToken | None]:
            return await asyncio.gather(*(self.book.valid(token) for _ in range(50)))

        found = asyncio.run(many())
        assert {each.id if each else None for each in found} == {token[4:12]}
        assert self.looks == 1

    def test_a_revoked_one_goes(self) -> None:
        token = self.made()
        assert asyncio.run(self.book.valid(token))
        self.store.tokens.revoke(token[4:12])
        self.now += 2.5
        assert asyncio.run(self.book.valid(token)) is None

    def test_a_new_one_comes_at_once(self) -> None:
        assert asyncio.run(self.book.valid(self.made()))
        assert asyncio.run(self.book.valid(self.made()))

    def test_wrong_ones_do_not_make_us_look_without_end(self) -> None:
        async def many() -> None:
            for number in range(1000):
                assert await self.book.valid(f"adj_{number:08x}_{'a' * 43}") is None
                assert await self.book.valid("nonsense") is None

        asyncio.run(many())
        assert 1 <= self.looks <= 320
        self.store.close()
