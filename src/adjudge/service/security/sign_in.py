"""Tokens that people bring to the pages: only so many wrong ones from one address."""

from __future__ import annotations

from typing import cast

from starlette.exceptions import HTTPException
from starlette.requests import HTTPConnection

from adjudge.stores.records import KeptToken

from .addresses import address_of
from .limits import Rates
from .token_book import TokenBook

WRONG_A_MINUTE = 10


class SignIn:
    """One for all requests. `book` is the guard's: it looks into the store only so often."""

    def __init__(self, book: TokenBook) -> None:
        self._book = book
        self._attempts = Rates(WRONG_A_MINUTE)

    async def valid(self, token: str, request: HTTPConnection) -> KeptToken | None:
        """What is kept of the token; None for a wrong one, 429 for one too many of them."""
        address = address_of(request.scope)
        # Taken before the token is looked at: many that come at once are counted all the same.
        wait = self._attempts.take(address, None)
        if wait:
            told = f"Too many wrong tokens from your address; go on in {wait} s."
            raise HTTPException(429, told, {"Retry-After": str(wait)})
        kept = await self._book.valid(token)
        if kept is not None:
            self._attempts.give_back(address)
        return kept


def sign_in_of(request: HTTPConnection) -> SignIn:
    return cast(SignIn, request.app.state.sign_in)
