"""A name means one thing: laws about the names in the whole package."""

from __future__ import annotations

import ast
from collections import defaultdict
from pathlib import Path

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


def test_no_module_is_too_long_to_read() -> None:
    lengths = {path: len(path.read_text("utf-8").splitlines()) for path in modules()}
    long = {str(path.relative_to(PACKAGE)): n for path, n in lengths.items() if n > LONGEST}
    assert long == {}
