"""That an unsafe request comes from our own pages, or from no page at all."""

from __future__ import annotations

import hmac
import re
import secrets

from starlette.exceptions import HTTPException
from starlette.types import Message, Receive

from .request_head import RequestHead

HEADER = b"x-csrf-token"

_VISIT = re.compile(r"[0-9a-f]{32}")
_JSON = "application/json"
_FORMS = frozenset({"application/x-www-form-urlencoded", "multipart/form-data"})
# The hidden field stands first in every form, so that an upload need not be read to find it.
_FIELD = re.compile(rb'(?:(?:^|&)csrf=|name="csrf"\r\n\r\n)([0-9a-f]{64})(?=&|\r\n|$)')
_FIELD_WITHIN = 1 << 16  # bytes


class CsrfTokens:
    """A browser's visit is a random cookie; the token in our pages is its HMAC.

    Whoever cannot read our pages cannot know the token, nor make a cookie and a token that match.
    """

    cookie = "adjudge_visit"

    def __init__(self, secret: bytes) -> None:
        self._key = hmac.digest(secret, b"adjudge: csrf", "sha256")

    def visit(self, head: RequestHead) -> tuple[str, bool]:
        """The visit of a request, and whether it is new."""
        visit = head.cookie(self.cookie)
        return (visit, False) if _VISIT.fullmatch(visit) else (secrets.token_hex(16), True)

    def token(self, visit: str) -> str:
        return hmac.digest(self._key, visit.encode(), "sha256").hex()

    def matches(self, head: RequestHead, token: str) -> bool:
        """Whether the token is that of the request's visit."""
        visit = head.cookie(self.cookie)
        return bool(_VISIT.fullmatch(visit)) and hmac.compare_digest(
            token.encode(), self.token(visit).encode()
        )


def check_origin(head: RequestHead, *, is_api: bool) -> None:
    """403 for an unsafe request that a page elsewhere makes; browsers say where it comes from.

    Those that do not say it in so many words name the origin. Forms on our pages have the origin
    `null`, because they have no referrer; they carry a token in its place.
    """
    site, origin = head.header(b"sec-fetch-site"), head.header(b"origin")
    if site:
        elsewhere = site not in {"same-origin", "none"}
    elif origin == "null":
        elsewhere = is_api
    else:
        elsewhere = bool(origin) and not _is_ours(origin, head.host)
    if elsewhere:
        raise HTTPException(403, "This request comes from a page of another site.")


def _is_ours(origin: str, host: str) -> bool:
    scheme, _, netloc = origin.partition("://")
    return scheme in {"http", "https"} and netloc.casefold() == host.casefold()


def check_api(head: RequestHead, tokens: CsrfTokens) -> None:
    """415 for an unsafe request to the API in a form that a page elsewhere could send unasked."""
    kind = head.content_type
    if kind == _JSON or kind.endswith("+json"):
        return
    if head.bearer is not None or tokens.matches(head, head.header(HEADER)):
        return
    # Browsers give every body a type, and name their origin, which was looked at before.
    if not kind and head.header(b"content-length") in {"", "0"}:
        return
    raise HTTPException(
        415,
        "Send the body as application/json; a file as multipart/form-data needs a token in the"
        " header Authorization.",
    )


async def check_form(head: RequestHead, receive: Receive, tokens: CsrfTokens) -> Receive:
    """403 for an unsafe request to a page that does not carry the token of its visit.

    The token is in the header, or in a field of the form. What was read to find it comes again from
    the `receive` that is returned.
    """
    if head.header(HEADER):
        if tokens.matches(head, head.header(HEADER)):
            return receive
        raise _refused()
    if head.content_type not in _FORMS:
        raise _refused()
    body, read = b"", []
    more = True
    while more and len(body) < _FIELD_WITHIN:
        message = await receive()
        read.append(message)
        body += message.get("body", b"")
        more = message["type"] == "http.request" and message.get("more_body", False)
        field = _FIELD.search(body)
        if field and tokens.matches(head, field[1].decode()):
            return _replayed(read, receive)
    raise _refused()


def _refused() -> HTTPException:
    return HTTPException(
        403,
        "The form is too old, or was not made by this service. Open the page again and send it"
        " once more; the browser must take cookies.",
        {"Connection": "close"},  # the rest of the body is not read
    )


def _replayed(read: list[Message], receive: Receive) -> Receive:
    left = read[::-1]

    async def receiving() -> Message:
        return left.pop() if left else await receive()

    return receiving
