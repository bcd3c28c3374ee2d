"""What docs/reliability.md says of faults is what tests/faults holds, cell by cell."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
from tests.faults import test_matrix
from tests.faults.matrix import COLUMNS, FAULTS, table

FILE = Path(__file__).parents[2] / "docs/reliability.md"
PART = re.compile(r"(?<=<!-- matrix: begin -->\n).*?(?=<!-- matrix: end -->)", re.DOTALL)


def test_the_table_is_that_of_the_tests() -> None:
    wanted = "".join(f"{line}\n" for line in table())
    if os.environ.get("ADJUDGE_UPDATE_GOLDEN"):
        FILE.write_text(PART.sub(lambda _: wanted, FILE.read_text("utf-8")), "utf-8")
    (shown,) = PART.findall(FILE.read_text("utf-8"))
    assert shown == wanted


@pytest.mark.parametrize("column", COLUMNS)
def test_every_cell_is_a_test_or_says_why_not(column: str) -> None:
    """The marks of the test functions are what pytest makes the tests of."""
    function = getattr(test_matrix, f"test_{column}")
    (mark,) = function.pytestmark
    tested = set(mark.args[1])
    for name, fault in FAULTS.items():
        cell = fault.cell(column)
        if name not in tested:
            assert re.match(r"— \w+", cell)
        else:
            assert cell
            assert not cell.startswith("—")
    assert tested <= FAULTS.keys()


def test_files_that_the_page_names_are_there() -> None:
    named = re.findall(r"`(test_\w+\.py|tests/faults/test_\w+\.py)`", FILE.read_text("utf-8"))
    assert len(named) >= 5
    for name in named:
        assert (FILE.parents[1] / "tests/faults" / Path(name).name).exists()
