"""Fixtures for all tests."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def smollm() -> Path:
    """The file of the smallest embedded model, fetched by the product itself when it is absent."""
    from adjudge.models import embedded, weights

    return weights.pull("smollm2-135m", embedded.on_stderr())
