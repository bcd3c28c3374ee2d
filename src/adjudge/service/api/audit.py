"""A line in the log for what only those of scope admin can do: who did what, without secrets."""

from __future__ import annotations

from starlette.requests import Request

from adjudge.service.observing.log import LOGGER
from adjudge.service.security.access import access_of


def audit(request: Request, what: str, **about: str) -> None:
    """`about` names what it was done to; of a token its id, never its name."""
    access = access_of(request)
    who = {"request_id": request.state.request_id, "token": access.token_id if access else ""}
    LOGGER.info(what, extra=who | about)
