from __future__ import annotations

import shutil
from collections.abc import Iterator

import pytest
from tests.service import Running, running_service
from tests.unit.service.security.client import Client

from adjudge.service.options import ServeOptions

from .shop import Shop, make_shop


@pytest.fixture(scope="session")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Shop:
    return make_shop(tmp_path_factory.mktemp("shop"))


@pytest.fixture(scope="module")
def open_shop(shop: Shop, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """With a store of its own: what tests of one module do, those of another do not see."""
    store = shutil.copy(shop.store, tmp_path_factory.mktemp("store"))
    options = ServeOptions(
        store=store, models=shop.models, judges=(str(shop.folder / "shop.yaml"),)
    )
    with running_service(options) as running:
        yield running


@pytest.fixture
def visit(open_shop: Running) -> Client:
    return Client(open_shop.url)
