"""What every request passes before any route: host, access, origin, rate, size.

Nothing is open but the addresses below: a route that somebody forgets to protect stays closed.
"""

from __future__ import annotations

from html import escape
from urllib.parse import quote

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from adjudge.errors import AdjudgeError
from adjudge.service.api import problems
from adjudge.service.state import Service

from .access import CHALLENGE, LOCAL, Access, SignInNeeded
from .csrf import CsrfTokens, check_api, check_form, check_origin
from .hosts import Hosts, is_local, is_loopback
from .limits import BodyLimits, RateLimiter, RequestBody, too_large
from .request_head import RequestHead
from .tokens import Sessions

# Needed before one has signed in, or by whoever watches over the service.
OPEN = frozenset({"/healthz", "/login", "/logout"})
OPEN_BELOW = ("/static/", "/language/")


class RequestChecks:
    """Inside of what observes requests, so that those that are refused are seen too."""

    def __init__(self, app: ASGIApp, service: Service) -> None:
        options = service.options
        self._app = app
        self._hosts = Hosts(options.host, options.allowed_hosts)
        self._trusts_this_machine = not options.require_token and is_loopback(options.host)
        self._tokens, self._sessions = service.tokens, Sessions(service.store.secret)
        self._csrf = CsrfTokens(service.store.secret)
        self._rate_limiter = RateLimiter(options.rate)
        self._body_limits = BodyLimits(options.body, options.item_body)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        head = RequestHead.of(scope)
        state = scope.setdefault("state", {})
        is_api = problems.is_api(head.path)
        if not is_api and not head.path.startswith("/static/"):
            visit, is_new = self._csrf.visit(head)
            state["csrf"] = self._csrf.token(visit)
            state["https"] = _is_https(scope, head)
            if is_new:
                send = _with_cookie(send, self._csrf.cookie, visit, secure=state["https"])
        request = Request(scope)
        body = RequestBody(receive, self._body_limits.limit(head.path, head.content_type))
        try:
            checked = await self._checked(head, body, scope, is_api=is_api)
        except SignInNeeded:
            answer = _reload(request) if head.comes_over_a_link else _to_login(request)
            await answer(scope, receive, send)
        except HTTPException as refused:
            await body.discard()
            await problems.answer(request, problems.of_http(refused))(scope, receive, send)
        except AdjudgeError as error:  # the store cannot be asked for tokens
            await problems.answer(request, problems.of_error(error))(scope, receive, send)
        else:
            await self._app(scope, checked, send)

    async def _checked(
        self, head: RequestHead, body: RequestBody, scope: Scope, *, is_api: bool
    ) -> Receive:
        """What the application receives from; raises where it must not."""
        if not self._hosts.serves(head.host):
            raise HTTPException(
                421,
                f"This service is not called {head.host[:100]!r}. Where it should be:"
                " adjudge serve --allow-host NAME",
            )
        # A check of health must not depend on whether somebody's token is still valid.
        anybody = head.path.startswith("/static/") or head.path == "/healthz"
        access = scope["state"]["access"] = None if anybody else await self._access(head)
        if access is None and not is_open(head.path):
            if is_api:
                raise HTTPException(401, "This needs a token: Authorization: Bearer …", CHALLENGE)
            raise SignInNeeded
        length = head.header(b"content-length")
        if length.isdecimal() and int(length) > body.limit.size:
            raise too_large(body.limit)
        if head.is_safe:
            return body.receive
        check_origin(head, is_api=is_api)
        if is_api:
            check_api(head, self._csrf)
            return body.receive
        return await check_form(head, body.receive, self._csrf)

    async def _access(self, head: RequestHead) -> Access | None:
        """By the token in the header, else by the session, else by being on this machine."""
        token, session = head.bearer, None
        if token is not None:
            kept = await self._tokens.valid(token)
            if kept is None:
                headers = {"WWW-Authenticate": 'Bearer realm="adjudge", error="invalid_token"'}
                raise HTTPException(401, "The token is wrong, or was revoked.", headers)
        else:
            session = self._sessions.read(head.cookie(self._sessions.cookie))
            kept = await self._tokens.by_id(session.token_id) if session else None
        if kept is None:
            here = self._trusts_this_machine and is_local(head.host) and not head.is_forwarded
            return LOCAL if here else None
        wait = self._rate_limiter.take(kept.id, kept.rate)
        if wait:
            detail = f"Too many requests for this token; go on in {wait} s."
            raise HTTPException(429, detail, {"Retry-After": str(wait)})
        return Access(kept.id, kept.name, kept.scope, session)


def is_open(path: str) -> bool:
    """Whether a request needs no access at all."""
    return path in OPEN or path.startswith(OPEN_BELOW)


def _reload(request: Request) -> HTMLResponse:
    """Sends the browser to the same page from here, now with the session, if there is one."""
    where = escape(_path(request))
    return HTMLResponse(
        f'<!doctype html><html lang="en"><title>adjudge</title><meta http-equiv="refresh"'
        f' content="0;url={where}"><a href="{where}">adjudge</a></html>'
    )


def _path(request: Request) -> str:
    """Of this site whatever was asked for: `//host/` would lead elsewhere."""
    path = quote(f"/{request.url.path.lstrip('/')}", safe="/~")
    return f"{path}?{request.url.query}" if request.url.query else path


def _to_login(request: Request) -> RedirectResponse:
    """Whoever wanted to see a page sees it afterwards; what was to be done is not done."""
    back = _path(request) if request.method in {"GET", "HEAD"} else "/"
    where = "/login" if back == "/" else f"/login?next={quote(back, safe='/')}"
    return RedirectResponse(where, 303)


def _is_https(scope: Scope, head: RequestHead) -> bool:
    """Also as a proxy in front of us tells it: who lies there only hurts their own cookies."""
    return scope["scheme"] == "https" or head.header(b"x-forwarded-proto") == "https"


def _with_cookie(send: Send, name: str, value: str, *, secure: bool) -> Send:
    # Lax, unlike the session's: a visit must not begin again, and make open forms useless, with
    # every link from elsewhere. Requests that change something bring it from our own site alone.
    cookie = f"{name}={value}; Path=/; HttpOnly; SameSite=Lax{'; Secure' if secure else ''}"
    header = (b"set-cookie", cookie.encode())

    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            message["headers"] = [*message.get("headers", ()), header]
        await send(message)

    return sending
