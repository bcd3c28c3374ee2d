from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.service import Running, running_service

from adjudge.service.options import ServeOptions

from .client import Client


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """The service as it is on one's own machine: open to it."""
    store = str(tmp_path_factory.mktemp("here") / "store.db")
    with running_service(ServeOptions(store=store, body=5_000_000)) as running:
        yield running


@pytest.fixture(scope="module")
def closed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """The service as it is for a team: nobody comes in without a token."""
    store = str(tmp_path_factory.mktemp("closed") / "store.db")
    options = ServeOptions(store=store, require_token=True, allowed_hosts=("judge.example.com",))
    with running_service(options) as running:
        yield running


@pytest.fixture
def local(here: Running) -> Client:
    return Client(here.url)


@pytest.fixture
def remote(closed: Running) -> Client:
    return Client(closed.url)
