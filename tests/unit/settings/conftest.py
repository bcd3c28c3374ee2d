from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from adjudge.settings import dotenv


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The working directory; what `.env` brings into the environment is gone afterwards."""
    before = dict(os.environ)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(dotenv, "_read", {})
    for name in list(os.environ):
        if name.startswith(("ADJUDGE_", "OPENAI_")):
            monkeypatch.delenv(name)
    yield tmp_path
    for name in set(os.environ) - set(before):
        del os.environ[name]
