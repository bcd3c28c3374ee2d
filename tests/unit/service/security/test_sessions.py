"""Signing in on the pages."""

from __future__ import annotations

import time
from urllib.parse import quote, urljoin, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.service import Running

from adjudge.service.pages.login import local_path
from adjudge.service.security.tokens import SESSION_SECONDS, Sessions

from .client import Client, token


def test_pages_lead_to_the_login_and_back(remote: Client, closed: Running) -> None:
    answer = remote.get("/runs/new?a=%2F&b=c")
    assert answer.status == 303
    assert answer.headers["Location"] == "/login?next=/runs/new%3Fa%3D%252F%26b%3Dc"
    shown = remote.get(answer.headers["Location"])
    assert 'name="next" value="/runs/new?a=%2F&amp;b=c"' in shown.text
    signed = remote.send("/login", token=token(closed.service.store), next="/runs/new?a=%2F&b=c")
    assert (signed.status, signed.headers["Location"]) == (303, "/runs/new?a=%2F&b=c")
    assert remote.get("/").status == 200
    assert "/logout" in remote.get("/").text


def test_the_cookie(remote: Client, closed: Running) -> None:
    made = token(closed.service.store)
    answer = remote.send("/login", token=f"  {made}\n")
    (cookie,) = [c for c in answer.headers.get_all("Set-Cookie", []) if "session" in c]
    assert "HttpOnly" in cookie
    assert "SameSite=strict" in cookie
    assert "Path=/" in cookie
    assert f"Max-Age={SESSION_SECONDS}" in cookie
    assert "Secure" not in cookie
    assert made[13:] not in cookie
    answer = Client(remote.url).send("/login", {"X-Forwarded-Proto": "https"}, token=made)
    assert all("Secure" in each for each in answer.headers.get_all("Set-Cookie", []))


@pytest.mark.parametrize("wrong", ["", "x", "adj_00000000_" + "a" * 43, "<script>"])
def test_a_wrong_token(remote: Client, wrong: str) -> None:
    answer = remote.send("/login", token=wrong, next="/judges")
    assert answer.status == 401
    assert "wrong, or it was revoked" in answer.text
    assert 'name="next" value="/judges"' in answer.text
    assert "<script>" not in answer.text
    assert not [name for name in remote.cookies if "session" in name]


@pytest.mark.parametrize(
    "elsewhere",
    [
        "https://evil.example",
        "//evil.example",
        "/\\evil.example",
        "/\t/evil.example",
        "\\\\evil.example",
        "/a\r\nSet-Cookie: x=y",
        "javascript:alert(1)",
        "evil.example",
        "",
    ],
)
def test_next_leads_nowhere_else(remote: Client, closed: Running, elsewhere: str) -> None:
    shown = remote.get(f"/login?next={quote(elsewhere, safe='')}")
    assert 'name="next" value="/"' in shown.text
    answer = remote.send("/login", token=token(closed.service.store), next=elsewhere)
    assert (answer.status, answer.headers["Location"]) == (303, "/")


@pytest.mark.parametrize("path", ["//evil.example/x", "///evil.example", "/%0d%0aX-Evil:1"])
def test_what_was_asked_for_leads_nowhere_else(remote: Client, path: str) -> None:
    answer = remote.get(path)
    assert answer.status in {303, 400, 404}
    assert "X-Evil" not in answer.headers
    where = answer.headers.get("Location", "/login")
    assert where.startswith("/login")
    assert "next=//" not in where


def test_signing_out(remote: Client, closed: Running) -> None:
    remote.send("/login", token=token(closed.service.store))
    assert remote.get("/").status == 200
    answer = remote.send("/logout")
    assert (answer.status, answer.headers["Location"]) == (303, "/login")
    assert remote.get("/").status == 303


def test_a_revoked_token_ends_the_session(remote: Client, closed: Running) -> None:
    made = token(closed.service.store)
    remote.send("/login", token=made)
    assert remote.get("/").status == 200
    closed.service.store.tokens.revoke(made[4:12])
    end = time.monotonic() + 5
    while remote.get("/").status == 200:
        assert time.monotonic() < end
        time.sleep(0.1)
    assert remote.get("/").status == 303


def test_a_session_is_no_more_than_its_token(remote: Client, closed: Running) -> None:
    remote.send("/login", token=token(closed.service.store, "read"))
    mark = {"X-CSRF-Token": remote.mark(), "Content-Type": "application/json"}
    assert remote("POST", "/api/v1/judge", b"{}", mark).status == 403


def test_whoever_follows_a_link_from_elsewhere_stays_signed_in(remote: Client) -> None:
    """Browsers leave the session out then; the page sends them to itself, now from here."""
    link = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"}
    answer = remote.get('/runs/x?q="><script>', link)
    assert answer.status == 200
    assert 'content="0;url=/runs/x?q=' in answer.text
    assert "<script" not in answer.text
    assert remote.get("/runs/x", link | {"Sec-Fetch-Site": "same-origin"}).status == 303


class TestSignature:
    sessions = Sessions(b"s" * 32)

    def test_round_trip(self) -> None:
        token_id, end = self.sessions.read(self.sessions.value("0123abcd")) or ("", 0)
        assert token_id == "0123abcd"  # noqa: S105 - an id
        assert abs(end - time.time() - SESSION_SECONDS) < 2

    def test_it_ends(self, monkeypatch: pytest.MonkeyPatch) -> None:
        value = self.sessions.value("0123abcd")
        later = time.time() + SESSION_SECONDS
        monkeypatch.setattr(time, "time", lambda: later - 2)
        assert self.sessions.read(value)
        monkeypatch.setattr(time, "time", lambda: later + 2)
        assert self.sessions.read(value) is None

    def test_forgeries(self) -> None:
        value = self.sessions.value("0123abcd")
        token_id, end, sign = value.split(".")
        longer = str(int(end) + 1)
        for forged in (
            "",
            "..",
            value[:-1],
            f"{value}0",
            f"ffffffff.{end}.{sign}",
            f"{token_id}.{longer}.{sign}",
            f"{token_id}.{end}.{'0' * 64}",
            f"{token_id}.{end}.",
            value.upper(),
            f"{token_id}.{'9' * 13}.{sign}",
            Sessions(b"t" * 32).value("0123abcd"),
        ):
            assert self.sessions.read(forged) is None

    def test_each_store_has_its_own_cookie(self) -> None:
        assert self.sessions.cookie != Sessions(b"t" * 32).cookie


@pytest.mark.parametrize("path", ["/", "/runs/a?b=c&d=%2F%2F#x", "/runs/item?id=질문", "/a//b"])
def test_paths_of_this_site(path: str) -> None:
    assert local_path(path) == path


@pytest.mark.parametrize(
    "path",
    ["", "//x", "/\\x", "\\x", "http://x", "x", " /x", "/\n/x", "/\t/x", "/x\x00", "/x y", "/a\\b"],
)
def test_others(path: str) -> None:
    assert local_path(path, "/home") == "/home"


@given(st.text(alphabet=st.sampled_from("/\\:.@?#% \t\n\rahttps"), max_size=12))
def test_whatever_is_given_the_site_stays(text: str) -> None:
    found = urljoin("http://here.example/page", local_path(text))
    assert urlsplit(found).netloc == "here.example"
