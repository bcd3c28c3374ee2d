"""A browser's view of the service: requests as they are written here, cookies kept."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from http.client import HTTPConnection, HTTPMessage
from http.cookies import SimpleCookie
from typing import Any
from urllib.parse import urlencode, urlsplit

import orjson

from adjudge.service.security.tokens import new_token
from adjudge.stores import Store, TokenScope

JSON = {"Content-Type": "application/json"}
FORM = {"Content-Type": "application/x-www-form-urlencoded"}


@dataclass(frozen=True)
class Answer:
    status: int
    headers: HTTPMessage
    body: bytes

    @property
    def json(self) -> Any:
        return orjson.loads(self.body)

    @property
    def text(self) -> str:
        return self.body.decode()


@dataclass
class Client:
    """`cookies` are sent, and taken from answers; `headers` are sent with every request."""

    url: str
    headers: dict[str, str] = field(default_factory=dict)
    cookies: dict[str, str] = field(default_factory=dict)

    def __call__(
        self,
        method: str,
        path: str,
        body: bytes | Iterable[bytes] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Answer:
        connection = HTTPConnection(urlsplit(self.url).netloc, timeout=30)
        sent = {**self.headers, **(headers or {})}
        if self.cookies:
            sent["Cookie"] = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        try:
            connection.request(method, path, body, sent)  # type: ignore[arg-type]
            found = connection.getresponse()
            answer = Answer(found.status, found.headers, found.read())
        finally:
            connection.close()
        for header in answer.headers.get_all("Set-Cookie", []):
            for name, morsel in SimpleCookie(header).items():
                self.cookies[name] = morsel.value
        return answer

    def get(self, path: str, headers: Mapping[str, str] | None = None) -> Answer:
        return self("GET", path, None, headers)

    def mark(self) -> str:
        """The mark in a page, for the visit that it begins."""
        found = re.search(r'name="csrf" content="([0-9a-f]{64})"', self.get("/login").text)
        assert found
        return found[1]

    def send(self, path: str, headers: Mapping[str, str] | None = None, **fields: str) -> Answer:
        """A form of one of our pages."""
        given = {"csrf": self.mark()} | fields
        return self("POST", path, urlencode(given).encode(), FORM | dict(headers or {}))


def token(store: Store, scope: TokenScope = "judge", rate: int | None = None) -> str:
    """A token that is valid from now on."""
    made, kept = new_token(f"{scope} {len(store.tokens.all())}", scope, rate)
    store.tokens.put(kept)
    return made


def bearer(made: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {made}"}
