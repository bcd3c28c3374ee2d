"""Pages elsewhere cannot use the service in a reader's name."""

from __future__ import annotations

from urllib.parse import urlencode

import pytest
from tests.service import Running

from .client import FORM, JSON, Client, bearer, token

BOUNDARY = "----x"
MULTIPART = {"Content-Type": f"multipart/form-data; boundary={BOUNDARY}"}


def part(name: str, value: str, more: str = "") -> str:
    return f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="{name}"{more}\r\n\r\n{value}\r\n'


class TestMarks:
    """`/logout` is the form that every page may have."""

    def test_a_form_with_its_mark(self, local: Client) -> None:
        assert local.send("/logout").status == 303

    def test_a_form_of_another_kind(self, local: Client) -> None:
        body = part("csrf", local.mark()) + part("x", "y") + f"--{BOUNDARY}--\r\n"
        assert local("POST", "/logout", body.encode(), MULTIPART).status == 303

    def test_a_header(self, local: Client) -> None:
        headers = JSON | {"X-CSRF-Token": local.mark()}
        assert local("POST", "/logout", b"{}", headers).status == 303

    @pytest.mark.parametrize("mark", ["", "0" * 64, "x", "é"])
    def test_a_wrong_mark(self, local: Client, mark: str) -> None:
        local.mark()
        for body, headers in (
            (urlencode({"csrf": mark}).encode(), FORM),
            (part("csrf", mark).encode(), MULTIPART),
            (b"", FORM | {"X-CSRF-Token": mark.encode().decode("latin-1")}),
        ):
            answer = local("POST", "/logout", body, headers)
            assert answer.status == 403
            assert "not made by this service" in answer.text

    def test_none_at_all(self, local: Client) -> None:
        local.mark()
        for headers in (FORM, MULTIPART, JSON, {"Content-Type": "text/plain"}, {}):
            assert local("POST", "/logout", b"a=b", headers).status == 403
        assert local("DELETE", "/logout").status == 403

    def test_the_mark_of_another_visit(self, local: Client, here: Running) -> None:
        other = Client(here.url).mark()
        local.mark()
        body = urlencode({"csrf": other}).encode()
        assert local("POST", "/logout", body, FORM).status == 403

    def test_a_mark_without_its_cookie(self, local: Client) -> None:
        body = urlencode({"csrf": local.mark()}).encode()
        local.cookies.clear()
        assert local("POST", "/logout", body, FORM).status == 403

    def test_a_visit_that_somebody_made_up(self, local: Client) -> None:
        local.cookies["adjudge_visit"] = "x"
        mark = local.mark()  # a page begins another visit
        assert local.cookies["adjudge_visit"] != "x"
        local.cookies["adjudge_visit"] = "x"
        body = urlencode({"csrf": mark}).encode()
        assert local("POST", "/logout", body, FORM).status == 403

    def test_a_visit_lasts(self, local: Client) -> None:
        assert local.mark() == local.mark()

    def test_the_cookie(self, local: Client) -> None:
        cookie = local.get("/").headers["Set-Cookie"]
        assert cookie.startswith("adjudge_visit=")
        assert "HttpOnly" in cookie
        assert "SameSite=Lax" in cookie
        assert "Set-Cookie" not in local.get("/").headers
        assert "Set-Cookie" not in Client(local.url).get("/api/v1/judges").headers

    def test_a_mark_that_comes_too_late(self, local: Client) -> None:
        mark = local.mark()
        long = part("file", "x" * 4_000_000) + part("csrf", mark) + f"--{BOUNDARY}--\r\n"
        assert local("POST", "/logout", long.encode(), MULTIPART).status == 403

    def test_a_body_in_many_pieces(self, local: Client) -> None:
        body = urlencode({"csrf": local.mark(), "next": "/", "token": "x"}).encode()
        pieces = (bytes([each]) for each in body)
        answer = local("POST", "/login", pieces, FORM)
        assert answer.status == 401  # what was read to find the mark was not lost: the token is


class TestOrigins:
    @pytest.mark.parametrize(
        "headers",
        [
            {"Sec-Fetch-Site": "cross-site"},
            {"Sec-Fetch-Site": "same-site"},  # another port of this machine
            {"Sec-Fetch-Site": "nonsense"},
            {"Origin": "https://evil.example"},
            {"Origin": "http://127.0.0.1:1"},
            {"Origin": "http://evil.example", "Sec-Fetch-Site": "cross-site"},
            {"Origin": "file://"},
            {"Origin": "http://[::1"},
        ],
    )
    def test_from_elsewhere(self, local: Client, here: Running, headers: dict[str, str]) -> None:
        assert local.send("/logout", headers).status == 403
        sent = JSON | headers
        answer = local("POST", "/api/v1/judge", b"{}", sent)
        assert answer.status == 403
        assert "another site" in answer.json["detail"]
        # Neither does a token change that: a page elsewhere may have got hold of one.
        made = bearer(token(here.service.store))
        assert local("POST", "/api/v1/judge", b"{}", sent | made).status == 403
        assert local.get("/api/v1/judges", headers).status == 200  # it cannot read the answer

    def test_from_our_own_pages(self, local: Client) -> None:
        host = local.url.removeprefix("http://")
        for headers in (
            {"Origin": local.url, "Sec-Fetch-Site": "same-origin"},
            {"Origin": local.url},
            {"Origin": f"https://{host}"},  # a proxy in front of us
            {"Sec-Fetch-Site": "none"},
        ):
            assert local.send("/logout", headers).status == 303
            assert local("POST", "/api/v1/judge", b"{}", JSON | headers).status == 422

    def test_a_form_without_a_referrer(self, local: Client) -> None:
        """Its origin is `null`: the mark decides. To the API no form of ours is sent."""
        null = {"Origin": "null"}
        assert local.send("/logout", null).status == 303
        assert local("POST", "/logout", b"a=b", FORM | null).status == 403
        assert local("POST", "/api/v1/judge", b"{}", JSON | null).status == 403
        assert local.send("/logout", null | {"Sec-Fetch-Site": "cross-site"}).status == 403

    def test_no_answer_lets_others_read(self, local: Client) -> None:
        ask = {"Origin": "https://evil.example", "Access-Control-Request-Method": "POST"}
        for answer in (local("OPTIONS", "/api/v1/judge", None, ask), local.get("/", ask)):
            assert not [name for name in answer.headers if name.startswith("Access-Control")]


class TestApi:
    @pytest.mark.parametrize(
        "kind", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""]
    )
    def test_a_body_that_any_page_could_send(self, local: Client, kind: str) -> None:
        answer = local("POST", "/api/v1/judge", b'{"judge": "x"}', {"Content-Type": kind})
        assert answer.status == 415
        assert "application/json" in answer.json["detail"]

    def test_json(self, local: Client) -> None:
        kind = {"Content-Type": "Application/JSON; charset=utf-8"}
        assert local("POST", "/api/v1/judge", b"{}", kind).status == 422

    def test_a_file_with_a_token_or_a_mark(self, local: Client, here: Running) -> None:
        body = (part("judge", "x") + f"--{BOUNDARY}--\r\n").encode()
        made = bearer(token(here.service.store))
        assert local("POST", "/api/v1/runs", body, MULTIPART).status == 415
        assert local("POST", "/api/v1/runs", body, MULTIPART | made).status == 422
        mark = {"X-CSRF-Token": local.mark()}
        assert local("POST", "/api/v1/runs", body, MULTIPART | mark).status == 422

    def test_no_body(self, local: Client) -> None:
        assert local("POST", "/api/v1/runs/unknown/stop").status == 404
