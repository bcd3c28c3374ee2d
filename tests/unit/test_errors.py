"""An error says what it says as a reason: a code, fields and, where there is one, a place."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import adjudge
from adjudge import errors
from adjudge.core.reason import Reason
from adjudge.errors import AdjudgeError, UsageError
from adjudge.running.asking.budget import BudgetStopped

_SOURCES = Path(adjudge.__file__).parent
_KINDS = {
    kind.__name__
    for kind in vars(errors).values()
    if isinstance(kind, type) and issubclass(kind, AdjudgeError)
} | {BudgetStopped.__name__}


def _texts(path: Path) -> Iterator[int]:
    """The lines on which an error is made of a text."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.args):
            continue
        said = node.args[0]
        made = isinstance(said, ast.Call) and getattr(said.func, "id", "") == "str"
        text = made or isinstance(said, ast.JoinedStr | ast.Constant | ast.BinOp)
        if node.func.id in _KINDS and text:
            yield node.lineno


def test_no_error_is_a_mere_text() -> None:
    found = [
        f"{path.relative_to(_SOURCES).as_posix()}:{line}"
        for path in sorted(_SOURCES.rglob("*.py"))
        for line in _texts(path)
    ]
    assert found == []


def test_a_text_is_found(tmp_path: Path) -> None:
    written = tmp_path / "module.py"
    written.write_text(
        'raise UsageError("no")\nraise DataError(f"{n} rows")\nraise StoreError(str(error))\n'
        'raise UsageError(Reason("no_rows"))\nraise UsageError(reason.in_file(path))\n'
    )
    assert list(_texts(written)) == [1, 2, 3]


def test_code_place_and_remedy() -> None:
    reason = Reason("price.no_amount", part="x", form=Reason("price.form"))
    error = UsageError(reason.at_option("price", "in=x"))
    assert error.code == "price.no_amount"
    assert error.place == {"name": "price", "value": "in=x"}
    assert error.remedy.startswith("write it like in=0.15")
    assert str(error) == f"--price in=x: 'x' is not an amount; {error.remedy}"


def test_a_place_in_a_file() -> None:
    error = UsageError(Reason("no_rows").in_file("a.csv", 3))
    assert error.place == {"file": "a.csv", "line": 3}
    assert str(error) == "a.csv, line 3: no rows"
    assert str(Reason("no_rows").in_file("a.csv")) == "a.csv: no rows"
    assert str(Reason("query.page").at_parameter("page", 0)) == "page=0: pages count from 1."


def test_nothing_to_name_is_said_in_words() -> None:
    assert str(Reason("query.no_judge", known=())) == "this run has no such judge; it has: none."
