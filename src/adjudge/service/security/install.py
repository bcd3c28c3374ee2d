"""Puts the guards around the application."""

from __future__ import annotations

from fastapi import FastAPI

from adjudge.service.state import Service

from .bind import check_address
from .guard import Guard
from .headers import Headers
from .hosts import Hosts
from .request_ids import RequestIds
from .sign_in import SignIn
from .token_book import TokenBook


def check_start(service: Service) -> None:
    """UsageError where the service must not start as it is; the store is closed then."""
    options = service.options
    try:
        Hosts(options.host, options.allowed_hosts)
        check_address(options.host, service.store)
    except BaseException:
        service.store.close()
        raise


def install_guard(app: FastAPI, service: Service) -> None:
    """To be called before what observes requests is added: that then sees refusals too."""
    book = TokenBook(service.store)
    app.state.token_book, app.state.sign_in = book, SignIn(book)
    app.add_middleware(Guard, service=service, book=book)


def install_outermost(app: FastAPI) -> None:
    """To be called last: every answer gets an id and the headers, those of errors too."""
    app.add_middleware(RequestIds)
    app.add_middleware(Headers)
