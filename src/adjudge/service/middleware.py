"""What every request passes on its way to a route, in order."""

from __future__ import annotations

from fastapi import FastAPI
from starlette.middleware import Middleware

from .observability.requests import RequestObserver
from .security.access import SignIn, TokenCache
from .security.headers import RequestIds, SecurityHeaders
from .security.request_checks import RequestChecks
from .state import Service


def install(app: FastAPI, service: Service) -> None:
    """A request goes down this list, its answer comes up."""
    tokens = TokenCache(service.store, service.options.waits.tokens)
    app.state.token_cache, app.state.sign_in = tokens, SignIn(tokens)
    app.user_middleware = [
        Middleware(SecurityHeaders),  # every answer has them, those of errors too
        Middleware(RequestIds),  # in the answer, in problems and in the log
        Middleware(RequestObserver, metrics=service.metrics),  # sees what is refused below, too
        Middleware(
            RequestChecks, service=service, tokens=tokens
        ),  # host, access, rate, size, origin, form
    ]
