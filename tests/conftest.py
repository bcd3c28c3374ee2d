"""Fixtures for all tests."""

from __future__ import annotations

import gc
import os
import signal
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

# Before numpy is loaded: where every process multiplies on all cores, they wait for each other.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import pytest
from hypothesis import settings

from .clusters import joined, ray_cluster
from .commands import adjudge
from .postgres import new_store_url, postgres, postgres_server, store_url, usual_store
from .servers import ChatServer, chat_server

# A shell starts what runs in its background deaf to Ctrl-C, `nohup` to the end of the terminal, and
# children inherit that.
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGHUP, signal.SIG_DFL)

__all__ = [
    "adjudge",
    "joined",
    "new_store_url",
    "postgres",
    "postgres_server",
    "ray_cluster",
    "store_url",
    "usual_store",
]

# Timings belong to bench/; the same examples every time, so that a failure can be met again.
settings.register_profile("adjudge", deadline=None, derandomize=True)
settings.load_profile("adjudge")


_MEMORY, _ROOM = "/dev/shm", 8 * 2**30  # noqa: S108 - for everybody, as /tmp is


def pytest_configure() -> None:
    gc.disable()
    # A new store waits for the disk some ten times; in memory it does not.
    if "TMPDIR" not in os.environ and _takes_files(_MEMORY):
        os.environ["TMPDIR"] = tempfile.tempdir = _MEMORY


def _takes_files(folder: str) -> bool:
    """Whether there is room for all that tests write, and programs may be started from there."""
    with suppress(OSError):
        system = os.statvfs(folder)
        return system.f_bavail * system.f_frsize >= _ROOM and not system.f_flag & os.ST_NOEXEC
    return False


def pytest_collection_finish() -> None:
    """Twelve thousand tests stay to the end: looking through them for garbage finds none."""
    gc.freeze()
    gc.enable()


@pytest.fixture
def server() -> Iterator[ChatServer]:
    """A chat completions server on loopback; see servers.py."""
    with chat_server() as started:
        yield started


@pytest.fixture(scope="session")
def smollm() -> Path:
    """The file of the smallest embedded model, fetched by the product itself when it is absent."""
    from adjudge.models import embedded, weights

    return weights.pull("smollm2-135m", embedded.on_stderr())
