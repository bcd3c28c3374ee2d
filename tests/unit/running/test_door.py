"""What `adjudge.running` offers, and that asking for a part of it does not load the rest."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

from adjudge import running


def test_every_name_is_there() -> None:
    assert sorted(set(running.__all__)) == sorted(running.__all__)
    for name in running.__all__:
        assert getattr(running, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        running.nonsense  # noqa: B018 - looking it up is the test


def test_type_checkers_see_the_same_names() -> None:
    tree = ast.parse(Path(running.__file__).read_text("utf-8"))
    imports = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.level]
    assert sorted(alias.name for node in imports for alias in node.names) == sorted(running.__all__)


def test_a_part_does_not_load_the_rest() -> None:
    code = "import sys; from adjudge.running import Tally; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split())
    assert "adjudge.running.tally" in loaded
    assert not loaded & {"adjudge.running.recorder", "adjudge.stores.store", "sqlalchemy"}
