"""A name means one thing: laws about the names in the whole package."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules

import pytest

PACKAGE = Path(__file__).parents[2] / "src" / "adjudge"
LONGEST = 400  # lines of a module


def modules() -> list[Path]:
    return sorted(PACKAGE.rglob("*.py"))


def test_no_two_public_classes_share_a_name() -> None:
    places = defaultdict(list)
    for path in modules():
        for node in ast.parse(path.read_text("utf-8")).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places[node.name].append(str(path.relative_to(PACKAGE)))
    assert {name: paths for name, paths in places.items() if len(paths) > 1} == {}


def test_every_package_says_what_lives_there() -> None:
    for path in PACKAGE.rglob("__init__.py"):
        if path.stat().st_size:
            tree = ast.parse(path.read_text("utf-8"))
            assert ast.get_docstring(tree), path.relative_to(PACKAGE)


@pytest.mark.parametrize("package", ["core", "settings", "analysis", "stats"])
def test_a_package_that_imports_nothing_names_what_it_has(package: str) -> None:
    """Every module of it, with names that exist."""
    folder = import_module(f"adjudge.{package}")
    named = re.findall(r"`(\w+)\.(\w+)`", folder.__doc__ or "")
    for module, name in named:
        assert hasattr(import_module(f"adjudge.{package}.{module}"), name), (module, name)
    here = {info.name for info in iter_modules(folder.__path__)}
    helpers = {"arrays", "logistic", "measure", "tables"}  # of stats
    assert here - {module for module, _ in named} <= helpers


def test_no_module_is_too_long_to_read() -> None:
    lengths = {path: len(path.read_text("utf-8").splitlines()) for path in modules()}
    long = {str(path.relative_to(PACKAGE)): n for path, n in lengths.items() if n > LONGEST}
    assert long == {}
