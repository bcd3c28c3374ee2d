"""Fixtures for what the documentation says."""

from __future__ import annotations

import pytest

from .clean_venvs import CleanVenvs


@pytest.fixture(scope="session")
def clean_venvs(tmp_path_factory: pytest.TempPathFactory) -> CleanVenvs:
    return CleanVenvs(tmp_path_factory.mktemp("clean"))
