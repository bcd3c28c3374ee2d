"""A service that asks for tokens, and pages of other sites that would like to use it."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page
from tests.service import Running, running_service

from adjudge.service.options import ServeOptions
from adjudge.service.security.tokens import new_token

from . import chromium


@pytest.fixture(scope="module")
def team(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    store: Path = tmp_path_factory.mktemp("team") / "store.db"
    with running_service(ServeOptions(store=str(store), require_token=True)) as running:
        yield running


@pytest.fixture
def token(team: Running) -> str:
    made, kept = new_token("a person", "judge")
    team.service.store.tokens.put(replace(kept, name=kept.id))
    return made


def sign_in(page: Page, token: str) -> None:
    page.get_by_label("Token").fill(token)
    with page.expect_navigation():
        page.keyboard.press("Enter")


@contextmanager
def another_site(text: str) -> Iterator[str]:
    """A page at another name of this machine, which makes it another site."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(text.encode())

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://localhost:{server.server_port}/"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def test_in_and_out_again(browser: Browser, team: Running, token: str) -> None:
    with chromium.watched(browser, team.url) as seen:
        page = seen.page
        page.goto("/judges")
        assert page.url == f"{team.url}/login?next=/judges"
        seen.expected.add(401)
        sign_in(page, "adj_wrong")
        assert page.get_by_role("alert").inner_text() == "This token is wrong, or it was revoked."
        seen.expected.clear()
        sign_in(page, token)
        assert page.url == f"{team.url}/judges"
        page.get_by_role("button", name="Sign out").click()
        page.wait_for_url("**/login")
        page.goto("/judges")
        assert page.url == f"{team.url}/login?next=/judges"


def test_a_link_from_another_site(browser: Browser, team: Running, token: str) -> None:
    """Whoever is signed in stays so, though the browser leaves the strict cookie out at first."""
    link = f'<a href="{team.url}/judges">the judges</a>'
    with chromium.visitor(browser) as visitor, another_site(link) as elsewhere:
        page = visitor.new_page()
        page.goto(f"{team.url}/login")
        sign_in(page, token)
        page.goto(elsewhere)
        page.get_by_role("link").click()
        page.wait_for_url(f"{team.url}/judges")
        page.get_by_role("button", name="Sign out").wait_for()


def test_a_form_on_another_site(browser: Browser, team: Running, token: str) -> None:
    form = f'<form method="post" action="{team.url}/logout"><button>A prize!</button></form>'
    with chromium.visitor(browser) as visitor, another_site(form) as elsewhere:
        page = visitor.new_page()
        page.goto(f"{team.url}/login")
        sign_in(page, token)
        page.goto(elsewhere)
        with page.expect_response(f"{team.url}/logout") as answer:
            page.get_by_role("button").click()
        assert answer.value.status == 403
        page.goto(f"{team.url}/judges")
        assert page.url == f"{team.url}/judges"  # still signed in


def test_a_script_on_another_site_against_one_s_own_machine(
    browser: Browser, tmp_path: Path
) -> None:
    """The service is open there, to whoever sits at the machine; not to the pages they look at."""
    with running_service(ServeOptions(store=str(tmp_path / "store.db"))) as mine:
        with chromium.visitor(browser) as visitor, another_site("<p>harmless</p>") as elsewhere:
            page = visitor.new_page()
            page.goto(elsewhere)
            tries = [
                page.evaluate(
                    """([url, options]) => fetch(url, options)
                        .then((answer) => answer.text()).catch(() => "not to be had")""",
                    [f"{mine.url}/api/v1/{path}", options],
                )
                for path, options in (
                    ("judges", {}),
                    ("judge", {"method": "POST", "body": "{}"}),
                    (
                        "judge",
                        {
                            "method": "POST",
                            "body": "{}",
                            "headers": {"Content-Type": "application/json"},
                        },
                    ),
                )
            ]
        assert set(tries) == {"not to be had"}
        refused = mine.service.metrics.text().decode()
        assert 'method="POST",route="(none)",status="403"' in refused
        assert 'method="POST",route="/api/v1/judge"' not in refused  # nothing came through
