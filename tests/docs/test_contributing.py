"""The change that CONTRIBUTING.md walks through works as it stands there."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
(CODE,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
(EDITS,) = re.findall(r"```diff\n(.*?)```", PAGE, re.DOTALL)
TUTORIAL = ROOT / "examples" / "tutorial"


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


@pytest.fixture(scope="module")
def edited(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the package in which the page's edits were made: added lines go below the line that
    is shown above them."""
    folder = tmp_path_factory.mktemp("edited")
    package = folder / "adjudge"
    shutil.copytree(ROOT / "src" / "adjudge", package, ignore=shutil.ignore_patterns("__pycache__"))
    (package / "stats" / "kinder.py").write_text(CODE, "utf-8")
    path, above = package, ""
    for line in EDITS.splitlines():
        if not line.startswith((" ", "+")):
            path = package / line
            continue
        text = path.read_text("utf-8")
        if line.startswith(" "):
            above = f"\n{line[1:]}\n"
            assert text.count(above) >= 1, line
        else:
            path.write_text(text.replace(above, f"{above}{line[1:]}\n", 1), "utf-8")
            above += f"{line[1:]}\n"
    return folder


def test_the_walk_reaches_every_front(edited: Path, tmp_path: Path) -> None:
    program = "import sys; from adjudge.cli.main import main; sys.exit(main())"

    def adjudge(*arguments: str) -> str:
        return subprocess.run(
            [sys.executable, "-c", program, *arguments],
            env={**os.environ, "PYTHONPATH": str(edited)},
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=True,
        ).stdout

    replies, labels = f"replay:{TUTORIAL / 'replies.jsonl'}", str(TUTORIAL / "labels.csv")
    judge = str(TUTORIAL / "judge.yaml")
    adjudge("run", str(TUTORIAL / "answers.csv"), "--judge", judge, "-m", replies, "--quiet")
    calibrate = ("calibrate", "latest", "--labels", labels, "--rounds", "100")
    shown = adjudge(*calibrate, "-o", "trust.md")
    (row,) = (line for line in shown.splitlines() if line.startswith("Judge higher"))
    assert "%" in row
    assert "Judge higher" in (tmp_path / "trust.md").read_text("utf-8")
    found = json.loads(adjudge(*calibrate, "--json"))["criteria"]["accuracy"]["kinder"]
    assert 0 < found["low"] < found["value"] < found["high"] < 1
    assert f"{found['value']:.0%}" in row
    adjudge("report", "latest", "--labels", labels, "-o", "report.html")
    assert "Judge higher" in (tmp_path / "report.html").read_text("utf-8")


@pytest.mark.parametrize("page", ["ARCHITECTURE.md", "CONTRIBUTING.md"])
def test_every_module_that_is_named_is_there(page: str) -> None:
    """`stats/`, `reports/files/rows.py`, `service.middleware`: what a newcomer looks for."""
    text = (ROOT / page).read_text("utf-8")
    package = ROOT / "src" / "adjudge"
    folders = "|".join(sorted(path.name for path in package.iterdir() if path.is_dir()))
    paths = re.findall(rf"`((?:{folders})/[\w/]*(?:\.py|\.yaml)?)`", text)
    dotted = re.findall(rf"`((?:{folders})(?:\.\w+)+)`", text)
    assert len(paths) + len(dotted) >= 3
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
