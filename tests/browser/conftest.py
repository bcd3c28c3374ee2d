"""One store and one service for all tests in this folder, a browser a file, a visitor a test."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page
from tests.commands import ADJUDGE
from tests.forked import Forked
from tests.servers import ChatServer, after, chat_server, says

from . import chromium
from .filled import Filled, fill

Visit = Callable[..., AbstractContextManager[chromium.Watched]]
REPLY = says('{"evaluation": "It is clear and of real use to the person.", "rating": 3}')


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """One a file: while it is open, no other test of this process could have a loop of its own."""
    with chromium.browser(bare=True) as opened:
        yield opened


@pytest.fixture(scope="session")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Filled:
    return fill(tmp_path_factory.mktemp("filled"))


@dataclass(frozen=True)
class Served:
    """A service as a process of its own, at `url`."""

    url: str
    process: subprocess.Popen[str]


@contextmanager
def served(filled: Filled, *flags: str) -> Iterator[Served]:
    """`adjudge serve` over the store; it must end well when it is told to."""
    clean = {k: v for k, v in os.environ.items() if not k.startswith(("ADJUDGE_", "OPENAI_"))}
    log = filled.folder / "serve.log"
    with (
        log.open("a") as said,
        Forked(
            [ADJUDGE, "serve", "--store", filled.store, "--port", "0", *flags],
            cwd=filled.folder,
            env=clean | {"OPENAI_API_KEY": "key-of-the-tests"},
            stdout=subprocess.PIPE,
            stderr=said,
            text=True,
        ) as process,
    ):
        try:
            assert process.stdout is not None
            url = process.stdout.readline().strip()
            assert url.startswith("http://127.0.0.1:"), log.read_text("utf-8")
            yield Served(url, process)
        finally:
            process.terminate()
            assert process.wait(120) == 0, log.read_text("utf-8")


@pytest.fixture(scope="session")
def model() -> Iterator[ChatServer]:
    """What the service's models are: each answer takes a moment, so that there is progress."""
    with chat_server() as started:
        started.answer = lambda _: after(0.1, REPLY)
        yield started


@pytest.fixture(scope="session")
def url(filled: Filled, model: ChatServer) -> Iterator[str]:
    flags = (
        "-m",
        "openai/judge",
        "--base-url",
        model.base_url,
        "--judges",
        "hostile.yaml",
        "-j",
        "2",
    )
    with served(filled, *flags) as running:
        yield running.url


@pytest.fixture(scope="module")
def visit(browser: Browser, url: str) -> Visit:
    """`with visit(language="ko", width=360) as seen:` a fresh page that must have no faults."""
    return partial(chromium.watched, browser, url)


@pytest.fixture
def page(visit: Visit) -> Iterator[Page]:
    with visit() as seen:
        yield seen.page


@pytest.fixture(scope="session")
def pictures() -> Path:
    """Where the pictures of all pages go, to be looked at."""
    folder = Path(os.environ.get("ADJUDGE_SCREENSHOTS", "build/screenshots"))
    folder.mkdir(parents=True, exist_ok=True)
    return folder
