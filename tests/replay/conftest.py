from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.replay.geval import JudgedModes


@pytest.fixture(scope="session")
def geval_modes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[JudgedModes]:
    """What `adjudge run` made of each mode; see geval.py."""
    modes = JudgedModes(tmp_path_factory.mktemp("geval"))
    yield modes
    modes.close()
