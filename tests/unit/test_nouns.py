"""Data have nouns for names: a law about every variable, parameter and field of the package."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

_PACKAGE = Path(__file__).parents[2] / "src" / "adjudge"
# They say that something was found or told, and not what it is.
_NO_NOUNS = {"each", "found", "told", "given"}


def _names(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Lines and names of what is bound: variables, parameters and fields."""
    for node in ast.walk(tree):
        if isinstance(node, ast.arg):
            yield node.lineno, node.arg
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.lineno, node.id
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            yield node.lineno, node.attr


@pytest.mark.parametrize("part", sorted(path.name for path in _PACKAGE.iterdir()))
def test_data_have_nouns_for_names(part: str) -> None:
    path = _PACKAGE / part
    files = sorted(path.rglob("*.py")) if path.is_dir() else [path] * (path.suffix == ".py")
    unnamed = [
        f"{file.relative_to(_PACKAGE)}:{line}: {name}"
        for file in files
        for line, name in _names(ast.parse(file.read_text("utf-8")))
        if name in _NO_NOUNS
    ]
    assert unnamed == []


def test_every_kind_of_name_is_seen() -> None:
    source = "def f(given):\n    found = [each for each in given]\n    self.told: int = 1\n"
    assert sorted(_names(ast.parse(source))) == [
        (1, "given"),
        (2, "each"),
        (2, "found"),
        (3, "told"),
    ]


# What is bound in scripts and templates: variables, parameters, what loops go through.
_IN_SCRIPT = re.compile(r"(?:const|let|function \w+)\s*(\[[^\]]*\]|\([^)]*\)|\w+)")
_IN_TEMPLATE = re.compile(r"{%-? (?:set ([\w, ]+) =|for ([\w, ]+) in|macro (\w+\([^)]*\)))")


@pytest.mark.parametrize(("pattern", "ending"), [(_IN_SCRIPT, "js"), (_IN_TEMPLATE, "j2")])
def test_scripts_and_templates_have_nouns_too(pattern: re.Pattern[str], ending: str) -> None:
    files = sorted(_PACKAGE.rglob(f"*.{ending}"))
    assert files
    unnamed = [
        f"{file.relative_to(_PACKAGE)}: {match[0]}"
        for file in files
        for match in pattern.finditer(file.read_text("utf-8"))
        if _NO_NOUNS & set(re.findall(r"\w+", " ".join(filter(None, match.groups()))))
    ]
    assert unnamed == []
