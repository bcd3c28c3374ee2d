"""The change that CONTRIBUTING.md walks through works as it stands there."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
(CODE,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)


@pytest.fixture(scope="module")
def walked() -> dict[str, Any]:
    names: dict[str, Any] = {"__name__": "adjudge.stats.kinder"}
    exec(compile(CODE, "CONTRIBUTING.md", "exec"), names)  # noqa: S102 - our own page
    return names


def test_the_statistic_counts_what_it_says(walked: dict[str, Any]) -> None:
    found = walked["kinder"]([4, 3, 5, 2], [3, 3, 4, 4])
    assert found.value == 0.5
    assert 0 < found.low < 0.5 < found.high < 1


def test_without_rows_it_says_why(walked: dict[str, Any]) -> None:
    found = walked["kinder"]([], [])
    assert found.value is None
    assert found.why is not None


def test_groups_widen_the_interval(walked: dict[str, Any]) -> None:
    judge, people = np.repeat([4, 3, 5, 2, 5], 8), np.repeat([3, 3, 4, 4, 2], 8)
    rows, grouped = (
        walked["kinder"](judge, people, groups) for groups in (None, np.repeat(range(5), 8))
    )
    assert grouped.high - grouped.low > rows.high - rows.low


@pytest.mark.parametrize("page", ["ARCHITECTURE.md", "CONTRIBUTING.md"])
def test_every_module_that_is_named_is_there(page: str) -> None:
    """`stats/`, `reports/files/rows.py`, `service.middleware`: what a newcomer looks for."""
    text = (ROOT / page).read_text("utf-8")
    package = ROOT / "src" / "adjudge"
    folders = "|".join(sorted(path.name for path in package.iterdir() if path.is_dir()))
    paths = re.findall(rf"`((?:{folders})/[\w/]*(?:\.py|\.yaml)?)`", text)
    dotted = re.findall(rf"`((?:{folders})(?:\.\w+)+)`", text)
    assert len(paths) + len(dotted) > 5
    for name in paths:
        assert (package / name).exists(), name
    for name in dotted:
        parts = name.split(".")
        found = any(
            (package / "/".join(parts[:end])).with_suffix(".py").exists()
            or (package / "/".join(parts[:end])).is_dir()
            for end in (len(parts), len(parts) - 1)
            if end > 1 or len(parts) == 2
        )
        assert found, name
