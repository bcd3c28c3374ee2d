"""The tokens of the store, looked up at most every few seconds."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from time import monotonic
from typing import cast

from starlette.requests import HTTPConnection

from adjudge.stores.base import Store
from adjudge.stores.records import KeptToken

from .limits import Rates
from .tokens import id_in, is_token

# Seconds that a lookup holds: a token that is revoked in the meantime works that long.
_HOLDS = 2.0
# One that is made in the meantime works at once; but wrong ones can make us look only so often.
_LOOKS_A_MINUTE = 300
_NOBODY = KeptToken(id="", name="", hash="0" * 64, scope="read")


class TokenBook:
    """Revoked tokens are not in it."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._tokens: Mapping[str, KeptToken] = {}
        self._looked: float | None = None
        self._looking = asyncio.Lock()
        self._looks = Rates(_LOOKS_A_MINUTE)

    async def valid(self, token: str) -> KeptToken | None:
        """What is kept of the token; None for one that is wrong or revoked."""
        token_id = id_in(token)
        kept = await self.by_id(token_id) if token_id is not None else None
        right = is_token(token, kept or _NOBODY)  # in any case: the time it takes says nothing
        return kept if right else None

    async def by_id(self, token_id: str) -> KeptToken | None:
        await self._look(_HOLDS)
        if token_id not in self._tokens and not self._looks.take("", None):
            await self._look(0.0)
        return self._tokens.get(token_id)

    async def _look(self, holds: float) -> None:
        if self._is_fresh(holds):
            return
        async with self._looking:
            if not self._is_fresh(holds):  # another request may have looked meanwhile
                began = monotonic()
                kept = await asyncio.to_thread(self._store.tokens.all)
                self._tokens = {each.id: each for each in kept if each.revoked is None}
                self._looked = began

    def _is_fresh(self, holds: float) -> bool:
        return self._looked is not None and monotonic() - self._looked < holds


def book_of(request: HTTPConnection) -> TokenBook:
    """The one of the service: one more would look into the store as often again."""
    return cast(TokenBook, request.app.state.token_book)
