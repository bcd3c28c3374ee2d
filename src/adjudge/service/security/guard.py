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
from .asking import Asking
from .bind import is_loopback
from .csrf import Visits, check_api, check_form, check_origin
from .hosts import Hosts, is_local
from .limits import Bodies, Body, Rates, too_large
from .sessions import Sessions
from .token_book import TokenBook

# Needed before one has signed in, or by whoever watches over the service.
OPEN = frozenset({"/healthz", "/login", "/logout"})
OPEN_BELOW = ("/static/", "/language/")


class Guard:
    """Inside of what observes requests, so that those that are refused are seen too."""

    def __init__(self, app: ASGIApp, service: Service, book: TokenBook) -> None:
        options = service.options
        self._app = app
        self._hosts = Hosts(options.host, options.allowed_hosts)
        self._trusts_this_machine = not options.require_token and is_loopback(options.host)
        self._book, self._sessions = book, Sessions(service.store.secret)
        self._visits = Visits(service.store.secret)
        self._rates, self._bodies = Rates(options.rate), Bodies(options.body, options.item_body)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        asking = Asking.of(scope)
        state = scope.setdefault("state", {})
        is_api = problems.is_api(asking.path)
        if not is_api and not asking.path.startswith("/static/"):
            visit, is_new = self._visits.of(asking)
            state["csrf"] = self._visits.mark(visit)
            state["https"] = _is_https(scope, asking)
            if is_new:
                send = _setting(send, self._visits.cookie, visit, secure=state["https"])
        request = Request(scope)
        body = Body(receive, self._bodies.most(asking.path, asking.content_type))
        try:
            checked = await self._checked(asking, body, scope, is_api=is_api)
        except SignInNeeded:
            answer = _once_more(request) if asking.comes_over_a_link else _to_login(request)
            await answer(scope, receive, send)
        except HTTPException as refused:
            await body.discard()
            await problems.answer(request, problems.of_http(refused))(scope, receive, send)
        except AdjudgeError as error:  # the store cannot be asked for tokens
            await problems.answer(request, problems.of_error(error))(scope, receive, send)
        else:
            await self._app(scope, checked, send)

    async def _checked(self, asking: Asking, body: Body, scope: Scope, *, is_api: bool) -> Receive:
        """What the application receives from; raises where it must not."""
        if not self._hosts.serves(asking.host):
            raise HTTPException(
                421,
                f"This service is not called {asking.host[:100]!r}. Where it should be:"
                " adjudge serve --allow-host NAME",
            )
        # A check of health must not depend on whether somebody's token is still valid.
        anybody = asking.path.startswith("/static/") or asking.path == "/healthz"
        access = scope["state"]["access"] = None if anybody else await self._access(asking)
        if access is None and not is_open(asking.path):
            if is_api:
                raise HTTPException(401, "This needs a token: Authorization: Bearer …", CHALLENGE)
            raise SignInNeeded
        length = asking.header(b"content-length")
        if length.isdecimal() and int(length) > body.most.size:
            raise too_large(body.most)
        if asking.is_safe:
            return body.receive
        check_origin(asking, is_api=is_api)
        if is_api:
            check_api(asking, self._visits)
            return body.receive
        return await check_form(asking, body.receive, self._visits)

    async def _access(self, asking: Asking) -> Access | None:
        """By the token in the header, else by the session, else by being on this machine."""
        token, session = asking.bearer, None
        if token is not None:
            kept = await self._book.valid(token)
            if kept is None:
                headers = {"WWW-Authenticate": 'Bearer realm="adjudge", error="invalid_token"'}
                raise HTTPException(401, "The token is wrong, or was revoked.", headers)
        else:
            session = self._sessions.read(asking.cookie(self._sessions.cookie))
            kept = await self._book.by_id(session.token_id) if session else None
        if kept is None:
            here = self._trusts_this_machine and is_local(asking.host) and not asking.is_forwarded
            return LOCAL if here else None
        wait = self._rates.take(kept.id, kept.rate)
        if wait:
            told = f"Too many requests for this token; go on in {wait} s."
            raise HTTPException(429, told, {"Retry-After": str(wait)})
        return Access(kept.id, kept.name, kept.scope, session)


def is_open(path: str) -> bool:
    """Whether a request needs no access at all."""
    return path in OPEN or path.startswith(OPEN_BELOW)


def _once_more(request: Request) -> HTMLResponse:
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


def _is_https(scope: Scope, asking: Asking) -> bool:
    """Also as a proxy in front of us tells it: who lies there only hurts their own cookies."""
    return scope["scheme"] == "https" or asking.header(b"x-forwarded-proto") == "https"


def _setting(send: Send, name: str, value: str, *, secure: bool) -> Send:
    # Lax, unlike the session's: a visit must not begin anew, and make open forms useless, with
    # every link from elsewhere. Requests that change something bring it from our own site alone.
    cookie = f"{name}={value}; Path=/; HttpOnly; SameSite=Lax{'; Secure' if secure else ''}"
    header = (b"set-cookie", cookie.encode())

    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            message["headers"] = [*message.get("headers", ()), header]
        await send(message)

    return sending
