"""`make test-quick` finds the tests that a change can reach, the nearest first."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.quick import by_distance, imports_of, module_of


@pytest.mark.parametrize(
    ("file", "module"),
    [
        ("src/adjudge/core/scale.py", "adjudge.core.scale"),
        ("src/adjudge/core/__init__.py", "adjudge.core"),
        ("src/adjudge/judges/builtin/chatbot.yaml", "adjudge.judges.builtin"),
        ("tests/commands.py", "tests.commands"),
    ],
)
def test_the_module_of_a_file(file: str, module: str) -> None:
    assert module_of(Path(file)) == module


def test_relative_imports_are_followed() -> None:
    assert "adjudge.core.rubric" in imports_of(Path("src/adjudge/core/judge.py"))


def test_the_nearest_come_first() -> None:
    near = by_distance([Path("src/adjudge/stats/ppi.py")])
    assert near[0] == Path("tests/unit/stats/test_ppi.py")


def test_tests_of_what_changed_come_before_those_of_what_uses_it() -> None:
    near = by_distance([Path("src/adjudge/core/reply.py"), Path("src/adjudge/datasets/columns.py")])
    mirrors = {"test_columns.py", "test_columns_nested.py"}
    assert {file.name for file in near[: len(mirrors)]} == mirrors


def test_a_test_that_changed_is_its_own_nearest() -> None:
    changed = Path("tests/unit/stats/test_ppi.py")
    assert by_distance([changed]) == [changed]


def test_a_page_of_the_docs_brings_the_tests_of_the_docs() -> None:
    assert Path("tests/docs/test_readme.py") in by_distance([Path("docs/data.md")])
